//! Seeded mutations of a result file, with the checksum put right so that they reach the decoder
//! and the validation: reading never panics, and what is read is valid.
//!
//! `tests/fuzz` holds the coverage-guided twin of this test.

use shared::result::{HEADER_LEN, ReadError, decode, encode, merge};

const GOLDEN: &[u8] = include_bytes!("golden/v1.quba");
const ITERATIONS: usize = 20_000;

/// The generator SplitMix64: the same mutations on every machine.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u32 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((z ^ (z >> 31)) >> 32) as u32
    }
}

/// Changes a few bytes: replaces, removes, inserts, repeats.
fn mutate(body: &mut Vec<u8>, random: &mut Random) {
    for _ in 0..1 + random.next() % 4 {
        if body.is_empty() {
            return;
        }
        let at = random.next() as usize % body.len();
        let byte = random.next() as u8;
        match random.next() % 8 {
            0 | 1 => body[at] = byte,
            2 => body[at] ^= 1 << (byte % 8),
            // The smallest and largest values of variable-length integers.
            3 => body[at] = [0, 1, 0x7f, 0x80, 0xff][usize::from(byte) % 5],
            4 => drop(body.remove(at)),
            5 => body.insert(at, byte),
            6 => drop(body.splice(at..at, [0xff, 0xff, 0xff, 0xff, 0x0f])),
            _ => {
                let end = body.len().min(at + usize::from(byte % 40));
                let copy = body[at..end].to_vec();
                body.splice(at..at, copy);
            }
        }
    }
}

/// A file of the golden header around another body.
fn file(body: &[u8]) -> Vec<u8> {
    let mut bytes = GOLDEN[..HEADER_LEN].to_vec();
    bytes[16..24].copy_from_slice(&(body.len() as u64).to_le_bytes());
    bytes[24..56].copy_from_slice(blake3::hash(body).as_bytes());
    bytes.extend(body);
    bytes
}

#[test]
fn mutated_bodies_are_read_or_refused() {
    let golden = decode(GOLDEN).unwrap();
    let mut random = Random(20_260_101);
    let (mut read, mut malformed, mut inconsistent) = (0, 0, 0);
    for _ in 0..ITERATIONS {
        let mut body = GOLDEN[HEADER_LEN..].to_vec();
        mutate(&mut body, &mut random);
        match decode(&file(&body)) {
            Ok(evaluation) => {
                read += 1;
                encode(&evaluation).unwrap();
                // Any two valid evaluations merge or are refused in words.
                let _ = merge(&golden, &evaluation);
            }
            Err(ReadError::Malformed { .. } | ReadError::ExcessBody(_)) => malformed += 1,
            Err(ReadError::Inconsistent(_)) => inconsistent += 1,
            Err(other) => panic!("the header is sound: {other}"),
        }
    }
    println!("{read} read, {malformed} malformed, {inconsistent} inconsistent");
    // Otherwise the mutations would not reach what they are to test.
    assert!(read > 100 && malformed > 100 && inconsistent > 100);
}

#[test]
fn mutated_files_are_read_or_refused() {
    let mut random = Random(20_260_101);
    for _ in 0..ITERATIONS {
        let mut bytes = GOLDEN.to_vec();
        mutate(&mut bytes, &mut random);
        if bytes != GOLDEN {
            decode(&bytes).unwrap_err();
        }
    }
}
