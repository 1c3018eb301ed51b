use proptest::prelude::*;

use super::super::testing::{any_evaluation, small_evaluation};
use super::*;

fn message(bytes: &[u8]) -> String {
    let error = decode(bytes).unwrap_err();
    let chain = std::iter::successors(Some(&error as &dyn std::error::Error), |e| e.source());
    chain
        .map(ToString::to_string)
        .collect::<Vec<_>>()
        .join(": ")
}

fn with_version(major: u16, minor: u16) -> Vec<u8> {
    let mut bytes = encode(&small_evaluation()).unwrap();
    bytes[8..10].copy_from_slice(&major.to_le_bytes());
    bytes[10..12].copy_from_slice(&minor.to_le_bytes());
    bytes
}

proptest! {
    #[test]
    fn any_evaluation_survives_the_round_trip(evaluation in any_evaluation()) {
        let bytes = encode(&evaluation).unwrap();
        let decoded = decode(&bytes).unwrap();
        prop_assert_eq!(&decoded, &evaluation);
        prop_assert_eq!(encode(&decoded).unwrap(), bytes);
    }
}

#[test]
fn every_truncation_is_an_error() {
    let bytes = encode(&small_evaluation()).unwrap();
    for length in 0..bytes.len() {
        let error = decode(&bytes[..length]).unwrap_err();
        let found = length as u64;
        match error {
            ReadError::NotAResultFile { found } => {
                assert_eq!((length, found), (0, FirstBytes::Empty));
            }
            ReadError::Truncated { expected, found: f } => {
                let whole = if length < HEADER_LEN {
                    HEADER_LEN
                } else {
                    bytes.len()
                };
                assert_eq!((expected, f), (whole as u64, found));
            }
            other => panic!("{length}: {other}"),
        }
    }
}

#[test]
fn every_flipped_bit_is_an_error_of_its_field() {
    let whole = encode(&small_evaluation()).unwrap();
    for (offset, bit) in (0..whole.len()).flat_map(|offset| (0..8).map(move |bit| (offset, bit))) {
        let mut bytes = whole.clone();
        bytes[offset] ^= 1 << bit;
        let error = decode(&bytes).unwrap_err();
        let expected = match offset {
            0..8 => matches!(error, ReadError::NotAResultFile { .. }),
            8..12 => matches!(error, ReadError::TooNew { .. } | ReadError::TooOld { .. }),
            12..16 => matches!(error, ReadError::ReservedFlags(_)),
            16..24 => matches!(
                error,
                ReadError::Truncated { .. } | ReadError::TrailingBytes { .. }
            ),
            _ => matches!(error, ReadError::ChecksumMismatch { .. }),
        };
        assert!(expected, "byte {offset}, bit {bit}: {error}");
    }
}

#[test]
fn the_layout_is_the_documented_one() {
    let bytes = encode(&small_evaluation()).unwrap();
    assert_eq!(bytes[..8], [0x89, 0x51, 0x55, 0x42, 0x41, 0x0d, 0x0a, 0x1a]);
    assert_eq!(bytes[8..16], [2, 0, 0, 0, 0, 0, 0, 0]);
    assert_eq!(bytes[16..24], ((bytes.len() - 56) as u64).to_le_bytes());
    assert_eq!(bytes[24..56], *blake3::hash(&bytes[56..]).as_bytes());
}

#[test]
fn foreign_files_are_named() {
    insta::assert_snapshot!(message(b""), @"not a result file: expected the signature of a .quba file, found an empty file");
    insta::assert_snapshot!(message(b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR"), @"not a result file: expected the signature of a .quba file, found a PNG image");
    insta::assert_snapshot!(message(b"\x89QUBA\n\x1a\x01\0\0\0"), @"not a result file: expected the signature of a .quba file, found a signature damaged as by a transfer in text mode: copy the file again in binary mode");
    insta::assert_snapshot!(message(&[0x08, 7, 0x12, 7, b'p', b'y', b't']), @"not a result file: expected the signature of a .quba file, found what looks like an ONNX model: evaluate it first");
    insta::assert_snapshot!(message(b"\x7fELF\x02\x01\x01"), @"not a result file: expected the signature of a .quba file, found the bytes 7f 45 4c 46");
}

#[test]
fn newer_and_older_versions_are_named() {
    insta::assert_snapshot!(message(&with_version(1, 4)), @"written by a newer version: found format 1.4, expected at most 1.3; update this tool to read it");
    insta::assert_snapshot!(message(&with_version(2, 1)), @"written by a newer version: found format 2.1, expected at most 2.0; update this tool to read it");
    insta::assert_snapshot!(message(&with_version(0, 9)), @"written by an older version: found format 0.9, expected at least 1.0; repeat the evaluation");
    // A newer header may be shorter, so the version is told before anything is missed.
    insta::assert_snapshot!(message(&with_version(3, 4)[..12]), @"written by a newer version: found format 3.4, expected at most 2.0; update this tool to read it");
}

#[test]
fn damage_is_named() {
    let whole = encode(&small_evaluation()).unwrap();
    insta::assert_snapshot!(message(&whole[..20]), @"truncated: expected 56 bytes, found 20; copy the file again or repeat the evaluation");
    insta::assert_snapshot!(message(&whole[..100]), @"truncated: expected 613 bytes, found 100; copy the file again or repeat the evaluation");
    insta::assert_snapshot!(message(&[&whole[..], b"\n"].concat()), @"trailing bytes: expected 613 bytes, found more; the header is damaged or something was appended: copy the file again");

    let mut flags = whole.clone();
    flags[13] = 0x20;
    insta::assert_snapshot!(message(&flags), @"unknown header flags: expected 0, found 0x00002000; the header is damaged or a newer version wrote it: update this tool or copy the file again");

    let mut body = whole.clone();
    body[57] ^= 1;
    insta::assert_snapshot!(message(&body), @"damaged: expected a body with checksum 31492a8e263507be, found b9122b770b477dc1; copy the file again or repeat the evaluation");

    let mut endless = whole.clone();
    endless[16..24].fill(0xff);
    insta::assert_snapshot!(message(&endless), @"truncated: expected 18446744073709551615 bytes, found 613; copy the file again or repeat the evaluation");
}

#[test]
fn an_intact_body_of_another_kind_is_named() {
    let whole = encode(&small_evaluation()).unwrap();
    let body = &whole[HEADER_LEN..];
    insta::assert_snapshot!(message(&frame(b"")), @"malformed: expected a body of format 2.0, found one that does not decode; its writer is at fault: repeat the evaluation: Hit the end of buffer, expected more data");
    insta::assert_snapshot!(message(&frame(&[body, b"abc"].concat())), @"malformed: expected the body to end with the evaluation, found 3 more bytes; its writer is at fault: repeat the evaluation");

    let mut evaluation = small_evaluation();
    evaluation.passes[0].list = 4;
    let inconsistent = postcard::to_stdvec(&evaluation).unwrap();
    insta::assert_snapshot!(message(&frame(&inconsistent)), @"the recorded evaluation is inconsistent; its writer is at fault: repeat the evaluation: pass clean: expected a list below 2, found 4");
    insta::assert_snapshot!(encode(&evaluation).unwrap_err(), @"pass clean: expected a list below 2, found 4");
}

/// A correct checksum does not make a body harmless: lengths near 2^64 must not be reserved.
#[test]
fn hostile_lengths_neither_panic_nor_allocate() {
    let whole = encode(&small_evaluation()).unwrap();
    let body = &whole[HEADER_LEN..];
    for (fill, last) in [(0xff, 0x01), (0xff, 0x7f), (0x80, 0x01)] {
        let mut length = [fill; 10];
        length[9] = last;
        for offset in 0..body.len() {
            let hostile = [&body[..offset], &length, &body[offset + 1..]].concat();
            // Some offsets hold numbers of 64 bits, where the body may decode.
            let _ = decode(&frame(&hostile));
            let cut = [&body[..offset], &length].concat();
            decode(&frame(&cut)).unwrap_err();
        }
    }
}
