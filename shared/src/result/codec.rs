//! An evaluation to bytes and back.
//!
//! | offset | bytes | field |
//! |---|---|---|
//! | 0 | 8 | signature `89 51 55 42 41 0d 0a 1a` |
//! | 8 | 2 | format version, major |
//! | 10 | 2 | format version, minor |
//! | 12 | 4 | flags, zero |
//! | 16 | 8 | length of the body |
//! | 24 | 32 | BLAKE3 of the body |
//! | 56 | | body: postcard of [`Evaluation`], or of what format 1 had in its place |
//!
//! Numbers are little endian. As in PNG, the signature shows at once whether a transfer cleared
//! the eighth bit or converted line ends.

use serde::Deserialize;

use super::foreign::FirstBytes;
use super::schema::v1;
use super::{Evaluation, FormatVersion, Inconsistency, ReadError};

/// First bytes of every result file: a byte above 127, `QUBA`, CR, LF, and Control-Z.
pub const SIGNATURE: [u8; 8] = *b"\x89QUBA\r\n\x1a";

/// Bytes before the body.
pub const HEADER_LEN: usize = 56;

/// The part of the header that describes the body.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Header {
    /// Format of the body.
    pub(super) version: FormatVersion,
    /// Bytes of the body.
    pub(super) body_len: u64,
    /// BLAKE3 of the body.
    pub(super) checksum: [u8; 32],
}

/// The bytes of a result file.
///
/// # Errors
/// If the evaluation contradicts itself ([`Evaluation::validate`]).
pub fn encode(evaluation: &Evaluation) -> Result<Vec<u8>, Inconsistency> {
    evaluation.validate()?;
    #[expect(
        clippy::expect_used,
        reason = "invariant: serialisation into memory fails only for sequences of unknown length, \
                  and every sequence of the schema is a Vec"
    )]
    let body = postcard::to_stdvec(evaluation).expect("every length is known");
    Ok(frame(&body))
}

/// Puts a header of the current version before a body.
pub(super) fn frame(body: &[u8]) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(HEADER_LEN + body.len());
    bytes.extend(SIGNATURE);
    bytes.extend(FormatVersion::CURRENT.major.to_le_bytes());
    bytes.extend(FormatVersion::CURRENT.minor.to_le_bytes());
    bytes.extend(0u32.to_le_bytes());
    bytes.extend((body.len() as u64).to_le_bytes());
    bytes.extend(blake3::hash(body).as_bytes());
    bytes.extend(body);
    bytes
}

/// The evaluation in the bytes of a result file, checked by [`Evaluation::validate`].
///
/// Never panics; memory stays within a small multiple of `bytes`, for every length is checked
/// against the bytes at hand before anything is reserved.
///
/// # Errors
/// If the bytes are foreign, cut, damaged, of another version, malformed or inconsistent.
pub fn decode(bytes: &[u8]) -> Result<Evaluation, ReadError> {
    let (head, body) = bytes.split_at(bytes.len().min(HEADER_LEN));
    decode_body(parse_header(head)?, body)
}

/// Reads at most the first [`HEADER_LEN`] bytes of a file.
pub(super) fn parse_header(head: &[u8]) -> Result<Header, ReadError> {
    let signature_part = head.len().min(SIGNATURE.len());
    if head.is_empty() || head[..signature_part] != SIGNATURE[..signature_part] {
        return Err(ReadError::NotAResultFile {
            found: FirstBytes::of(head),
        });
    }
    let truncated = ReadError::Truncated {
        expected: HEADER_LEN as u64,
        found: head.len() as u64,
    };
    // The version comes before the length: the header of a newer version may be another.
    let (Some(major), Some(minor)) = (field(head, 8), field(head, 10)) else {
        return Err(truncated);
    };
    let version = FormatVersion {
        major: u16::from_le_bytes(major),
        minor: u16::from_le_bytes(minor),
    };
    version.readable()?;
    let (Some(flags), Some(body_len), Some(checksum)) =
        (field(head, 12), field(head, 16), field(head, 24))
    else {
        return Err(truncated);
    };
    match u32::from_le_bytes(flags) {
        0 => Ok(Header {
            version,
            body_len: u64::from_le_bytes(body_len),
            checksum,
        }),
        flags => Err(ReadError::ReservedFlags(flags)),
    }
}

fn field<const N: usize>(head: &[u8], offset: usize) -> Option<[u8; N]> {
    head.get(offset..offset + N)?.try_into().ok()
}

/// Checks all bytes that follow the header and decodes them.
pub(super) fn decode_body(header: Header, body: &[u8]) -> Result<Evaluation, ReadError> {
    let expected = header.body_len.saturating_add(HEADER_LEN as u64);
    let found = body.len() as u64;
    if found < header.body_len {
        return Err(ReadError::Truncated {
            expected,
            found: found + HEADER_LEN as u64,
        });
    }
    if found > header.body_len {
        return Err(ReadError::TrailingBytes { expected });
    }
    let checksum = *blake3::hash(body).as_bytes();
    if checksum != header.checksum {
        return Err(ReadError::ChecksumMismatch {
            expected: short_hex(&header.checksum),
            found: short_hex(&checksum),
        });
    }
    let format = header.version;
    let evaluation = match format.major {
        1 => whole::<v1::Evaluation>(body, format)?.into(),
        _ => whole::<Evaluation>(body, format)?,
    };
    evaluation.validate()?;
    Ok(evaluation)
}

/// A value that takes up all of the bytes.
fn whole<'a, T: Deserialize<'a>>(body: &'a [u8], format: FormatVersion) -> Result<T, ReadError> {
    let (value, rest) = postcard::take_from_bytes(body)
        .map_err(|source| ReadError::Malformed { format, source })?;
    if !rest.is_empty() {
        return Err(ReadError::ExcessBody(rest.len()));
    }
    Ok(value)
}

/// The first eight bytes of a hash in hexadecimal: enough to tell two apart in a message.
pub(super) fn short_hex(hash: &[u8; 32]) -> String {
    hash.iter()
        .take(8)
        .map(|byte| format!("{byte:02x}"))
        .collect()
}

#[cfg(test)]
mod tests;
