//! The append-only record of a run in progress, so that nothing finished is done twice.
//!
//! File: magic, run key, then frames of `length (u32 LE), BLAKE3 prefix (8 bytes), postcard
//! entries`. A frame that was cut short or damaged ends the replay and is cut off.

use std::collections::BTreeSet;
use std::fs::{File, OpenOptions, TryLockError};
use std::io::{Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use serde::{Deserialize, Serialize};

use super::judge::Record;

const MAGIC: [u8; 8] = *b"QUBAJNL3";
const KEY_BYTES: usize = 32;
const CHECK_BYTES: usize = 8;
/// Larger than any frame written, so that a damaged length is noticed before memory is claimed.
const MAX_FRAME: usize = 1 << 26;

/// Entries written together, and how they came about.
#[derive(Debug, PartialEq, Serialize, Deserialize)]
struct Frame {
    making: Making,
    entries: Vec<Entry>,
}

/// How entries came about.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(super) struct Making {
    /// Milliseconds spent on them.
    pub(super) wall_ms: u64,
    /// Those of them that a result file already tells.
    pub(super) told_ms: u64,
    /// What went wrong on a GPU until then.
    pub(super) fallbacks: BTreeSet<String>,
}

impl Making {
    /// Takes what came later.
    pub(super) fn add(&mut self, later: &Self) {
        self.wall_ms += later.wall_ms;
        self.told_ms += later.told_ms;
        self.fallbacks.extend(later.fallbacks.iter().cloned());
    }
}

/// One finished image.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct Entry {
    /// Position of the pass in the plan.
    pub(super) pass: u16,
    /// Place of the image in the pass.
    pub(super) slot: u32,
    /// Its record, or why it was skipped.
    pub(super) outcome: Result<Record, String>,
}

/// An open journal, locked against other processes.
pub(super) struct Journal {
    path: PathBuf,
    file: File,
}

impl Journal {
    /// Opens or creates the journal of the run `key`, hands the entries it already holds to
    /// `known` (one by one: there may be millions), and returns how they came about.
    pub(super) fn open(
        path: &Path,
        key: &[u8; KEY_BYTES],
        known: impl FnMut(Entry),
    ) -> Result<(Self, Making)> {
        let at = || format!("cannot open the journal: {}", path.display());
        let mut file = OpenOptions::new()
            .read(true)
            .write(true)
            .create(true)
            .truncate(false)
            .open(path)
            .with_context(at)?;
        match file.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => bail!(
                "another edge process is evaluating this model; wait for it or use another --out: {}",
                path.display()
            ),
            // Some network file systems have no locks; running unlocked beats not running.
            Err(TryLockError::Error(_)) => {}
        }
        let mut bytes = Vec::new();
        file.read_to_end(&mut bytes).with_context(at)?;
        let (making, valid) = replay(&bytes, key, known);
        file.set_len(valid as u64).with_context(at)?;
        file.seek(SeekFrom::Start(valid as u64)).with_context(at)?;
        let mut journal = Self {
            path: path.to_owned(),
            file,
        };
        if valid == 0 {
            journal.write_all(&[&MAGIC[..], key].concat())?;
        }
        Ok((journal, making))
    }

    /// Appends one frame, if there is anything to tell, and waits until it is on disk.
    pub(super) fn append(&mut self, entries: Vec<Entry>, making: Making) -> Result<()> {
        if entries.is_empty() && making.told_ms == 0 {
            return Ok(());
        }
        let frame = Frame { making, entries };
        let body = postcard::to_allocvec(&frame).context("cannot encode journal entries")?;
        let length = u32::try_from(body.len()).context("journal frame too large")?;
        let check = blake3::hash(&body);
        let frame = [
            &length.to_le_bytes()[..],
            &check.as_bytes()[..CHECK_BYTES],
            &body,
        ]
        .concat();
        self.write_all(&frame)
    }

    fn write_all(&mut self, bytes: &[u8]) -> Result<()> {
        self.file
            .write_all(bytes)
            .and_then(|()| self.file.sync_data())
            .with_context(|| format!("cannot write the journal: {}", self.path.display()))
    }
}

/// Hands on the entries of the leading intact frames; returns how they came about and the number of
/// bytes they take (0: start anew).
fn replay(bytes: &[u8], key: &[u8; KEY_BYTES], mut known: impl FnMut(Entry)) -> (Making, usize) {
    let header = MAGIC.len() + KEY_BYTES;
    if bytes.len() < header || bytes[..MAGIC.len()] != MAGIC || bytes[MAGIC.len()..header] != *key {
        return (Making::default(), 0);
    }
    let (mut making, mut at) = (Making::default(), header);
    while let Some((frame, end)) = next_frame(bytes, at) {
        frame.entries.into_iter().for_each(&mut known);
        making.add(&frame.making);
        at = end;
    }
    (making, at)
}

fn next_frame(bytes: &[u8], at: usize) -> Option<(Frame, usize)> {
    let (length, rest) = bytes.get(at..)?.split_first_chunk::<4>()?;
    let (check, rest) = rest.split_first_chunk::<CHECK_BYTES>()?;
    let length = u32::from_le_bytes(*length) as usize;
    let body = rest.get(..length).filter(|_| length <= MAX_FRAME)?;
    if blake3::hash(body).as_bytes()[..CHECK_BYTES] != *check {
        return None;
    }
    let frame = postcard::from_bytes(body).ok()?;
    Some((frame, at + 4 + CHECK_BYTES + length))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// An open journal with what it held.
    fn open(path: &Path, key: &[u8; KEY_BYTES]) -> Result<(Journal, Vec<Entry>, Making)> {
        let mut entries = Vec::new();
        let (journal, making) = Journal::open(path, key, |entry| entries.push(entry))?;
        Ok((journal, entries, making))
    }

    fn made(wall_ms: u64, fallbacks: &[&str]) -> Making {
        Making {
            wall_ms,
            told_ms: 0,
            fallbacks: fallbacks.iter().map(ToString::to_string).collect(),
        }
    }

    fn entry(slot: u32) -> Entry {
        let outcome = match slot % 3 {
            0 => Ok(Record::Correct(true)),
            1 => Ok(Record::Decided(slot)),
            _ => Err("truncated".to_owned()),
        };
        Entry {
            pass: 0,
            slot,
            outcome,
        }
    }

    #[test]
    fn replays_whole_frames_and_drops_a_torn_tail() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("journal");
        let key = [7; 32];
        let (mut journal, entries, _) = open(&path, &key).unwrap();
        assert!(entries.is_empty());
        journal
            .append(vec![entry(0), entry(1)], made(20, &[]))
            .unwrap();
        journal.append(vec![entry(2)], made(20, &["lost"])).unwrap();
        drop(journal);

        let (_, _, making) = open(&path, &key).unwrap();
        assert_eq!(making, made(40, &["lost"]));
        let whole = std::fs::read(&path).unwrap();
        for cut in 0..whole.len() {
            std::fs::write(&path, &whole[..cut]).unwrap();
            let (mut journal, before, mut making) = open(&path, &key).unwrap();
            assert!(before.len() < 3, "cut at {cut}");
            journal.append(vec![entry(9)], made(5, &["slow"])).unwrap();
            drop(journal);
            let (_, after, later) = open(&path, &key).unwrap();
            assert_eq!(after.len(), before.len() + 1, "cut at {cut}");
            assert_eq!(after.last(), Some(&entry(9)));
            making.add(&made(5, &["slow"]));
            assert_eq!(later, making);
        }
    }

    #[test]
    fn another_run_key_starts_anew() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("journal");
        let (mut journal, ..) = open(&path, &[1; 32]).unwrap();
        journal.append(vec![entry(0)], made(1, &[])).unwrap();
        drop(journal);
        assert!(open(&path, &[2; 32]).unwrap().1.is_empty());
    }

    #[test]
    fn a_second_process_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("journal");
        let (_held, ..) = open(&path, &[1; 32]).unwrap();
        let error = open(&path, &[1; 32]).err().unwrap();
        assert!(format!("{error:#}").starts_with("another edge process"));
    }
}
