//! Completeness of a JPEG stream.

const END_OF_IMAGE: u8 = 0xD9;

/// Whether the end marker of the image is there.
///
/// PIL refuses a JPEG without it, while the decoder used here fills what is missing with grey. The
/// marker is looked for outside the header segments, because an embedded thumbnail has one too.
pub(super) fn is_complete(bytes: &[u8]) -> bool {
    // A scan cannot contain the marker, so a file that ends with it is complete.
    bytes.ends_with(&[0xFF, END_OF_IMAGE]) || find_end(bytes).is_some()
}

fn find_end(bytes: &[u8]) -> Option<()> {
    let mut at = 2;
    loop {
        at += bytes.get(at..)?.iter().position(|byte| *byte == 0xFF)?;
        let marker = *bytes.get(at + 1)?;
        match marker {
            END_OF_IMAGE => return Some(()),
            // Fill byte: the marker follows.
            0xFF => at += 1,
            // Stuffed 0xFF of a scan, or markers without a segment.
            0x00 | 0x01 | 0xD0..=0xD8 => at += 2,
            _ => {
                let length = [*bytes.get(at + 2)?, *bytes.get(at + 3)?];
                at += 2 + usize::from(u16::from_be_bytes(length)).max(2);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn end_of_a_thumbnail_does_not_count() {
        let thumbnail = [
            0xFF, 0xD8, 0xFF, 0xE1, 0, 6, 0xFF, 0xD8, 0xFF, 0xD9, 0xFF, 0xDA, 0, 2, 7,
        ];
        assert!(!is_complete(&thumbnail));
        let mut whole = thumbnail.to_vec();
        whole.extend([0xFF, 0x00, 0xFF, 0xD1, 9, 0xFF, 0xD9]);
        assert!(is_complete(&whole));
        whole.extend(b"trailing");
        assert!(is_complete(&whole));
    }
}
