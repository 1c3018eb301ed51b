//! What a file is that is not a result file, guessed from its first bytes for the message.

use std::fmt;

/// What the first bytes of a foreign file look like.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FirstBytes {
    /// There is none.
    Empty,
    /// A result file after a transfer that converted line ends.
    ConvertedLineEnds,
    /// A PNG image.
    Png,
    /// A JPEG image.
    Jpeg,
    /// A ZIP archive (also a PyTorch checkpoint or a NumPy archive).
    Zip,
    /// A gzip stream.
    Gzip,
    /// Probably an ONNX model.
    Onnx,
    /// Printable text.
    Text,
    /// None of the above: up to four of the bytes.
    Other(Vec<u8>),
}

impl FirstBytes {
    /// Guesses from the first few dozen bytes.
    pub fn of(bytes: &[u8]) -> Self {
        match bytes {
            [] => Self::Empty,
            [_, b'Q', b'U', b'B', b'A', b'\r' | b'\n', ..] => Self::ConvertedLineEnds,
            [0x89, b'P', b'N', b'G', ..] => Self::Png,
            [0xff, 0xd8, 0xff, ..] => Self::Jpeg,
            [b'P', b'K', 3 | 5, 4 | 6, ..] => Self::Zip,
            [0x1f, 0x8b, ..] => Self::Gzip,
            // A ModelProto begins with its IR version (field 1), then another low field.
            [
                0x08,
                1..=31,
                0x12 | 0x1a | 0x22 | 0x28 | 0x32 | 0x3a | 0x42,
                ..,
            ] => Self::Onnx,
            _ if is_text(bytes) => Self::Text,
            _ => Self::Other(bytes.iter().take(4).copied().collect()),
        }
    }
}

fn is_text(bytes: &[u8]) -> bool {
    let valid = match std::str::from_utf8(bytes) {
        Ok(text) => text,
        // The first bytes may end within a character.
        Err(e) if e.error_len().is_none() => {
            std::str::from_utf8(&bytes[..e.valid_up_to()]).unwrap_or_default()
        }
        Err(_) => return false,
    };
    !valid.is_empty() && valid.chars().all(|c| !c.is_control() || c.is_whitespace())
}

impl fmt::Display for FirstBytes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Empty => "an empty file",
            Self::ConvertedLineEnds => {
                "a signature damaged as by a transfer in text mode: copy the file again in binary \
                 mode"
            }
            Self::Png => "a PNG image",
            Self::Jpeg => "a JPEG image",
            Self::Zip => "a ZIP archive",
            Self::Gzip => "a gzip stream: unpack it first",
            Self::Onnx => "what looks like an ONNX model: evaluate it first",
            Self::Text => "text",
            Self::Other(bytes) => {
                f.write_str("the bytes")?;
                return bytes.iter().try_for_each(|byte| write!(f, " {byte:02x}"));
            }
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn common_files_are_named() {
        let onnx = [0x08, 8, 0x12, 7, b'p', b'y', b't', b'o', b'r', b'c', b'h'];
        let cases: [(&[u8], &str); 9] = [
            (b"", "an empty file"),
            (b"\x89PNG\r\n\x1a\n", "a PNG image"),
            (b"\xff\xd8\xff\xe0\0\x10JFIF", "a JPEG image"),
            (b"PK\x03\x04", "a ZIP archive"),
            (b"\x1f\x8b\x08", "a gzip stream: unpack it first"),
            (&onnx, "what looks like an ONNX model: evaluate it first"),
            ("model,größe\n".as_bytes(), "text"),
            (&"größe".as_bytes()[..4], "text"),
            (b"\x7fELF\x02", "the bytes 7f 45 4c 46"),
        ];
        for (bytes, expected) in cases {
            assert_eq!(FirstBytes::of(bytes).to_string(), expected);
        }
    }

    #[test]
    fn line_end_conversion_is_recognised() {
        for bytes in [
            b"\x89QUBA\n\x1a\x01".as_slice(),
            b"\x89QUBA\r\r\n\x1a",
            b"\tQUBA\r\n\x1a",
        ] {
            assert_eq!(FirstBytes::of(bytes), FirstBytes::ConvertedLineEnds);
        }
    }
}
