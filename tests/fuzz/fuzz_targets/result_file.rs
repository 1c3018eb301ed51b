//! The reader of result files: arbitrary bytes as a file, and as a body behind a sound header.

#![no_main]

use libfuzzer_sys::fuzz_target;
use shared::result::{FormatVersion, SIGNATURE, decode, encode, merge};

fuzz_target!(|bytes: &[u8]| {
    let _ = decode(bytes);
    if let Ok(evaluation) = decode(&framed(bytes)) {
        // What is read is valid, so it can be written and joined with itself.
        let written = encode(&evaluation).expect("a read evaluation is consistent");
        assert_eq!(decode(&written), Ok(evaluation.clone()));
        assert_eq!(merge(&evaluation, &evaluation), Ok(evaluation));
    }
});

fn framed(body: &[u8]) -> Vec<u8> {
    let mut file = SIGNATURE.to_vec();
    file.extend(FormatVersion::CURRENT.major.to_le_bytes());
    file.extend(FormatVersion::CURRENT.minor.to_le_bytes());
    file.extend([0; 4]);
    file.extend((body.len() as u64).to_le_bytes());
    file.extend(blake3::hash(body).as_bytes());
    file.extend(body);
    file
}
