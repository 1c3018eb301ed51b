//! Class probabilities of the clean images, on disk until ACE is computed by class.
//!
//! Row-major f32 file, one row per slot. ACE needs every class's probabilities sorted over all
//! images; they are gathered in blocks of columns of at most [`BLOCK_BYTES`], so memory stays
//! bounded whatever the number of images, and a resumed run finds the rows again.

use std::fs::{File, OpenOptions};
use std::io::{Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use rayon::prelude::*;
use shared::metrics::calibration::{ace_from_classes, ace_keys, ace_of_class};

/// Memory for the columns of one block.
const BLOCK_BYTES: usize = 64 << 20;

/// The probabilities of one model's clean pass.
pub(super) struct ProbabilityFile {
    path: PathBuf,
    file: File,
    classes: usize,
    row: Vec<u8>,
}

impl ProbabilityFile {
    /// Opens or creates the file; rows of an earlier, interrupted run are kept.
    pub(super) fn open(path: &Path, classes: usize) -> Result<Self> {
        let file = OpenOptions::new()
            .read(true)
            .write(true)
            .create(true)
            .truncate(false)
            .open(path)
            .with_context(|| format!("cannot open the probability file: {}", path.display()))?;
        Ok(Self {
            path: path.to_owned(),
            file,
            classes,
            row: Vec::new(),
        })
    }

    /// Number of leading rows that the file is long enough to hold.
    pub(super) fn rows(&self) -> Result<u64> {
        let bytes = self
            .file
            .metadata()
            .with_context(|| format!("cannot read probabilities: {}", self.path.display()))?
            .len();
        Ok(bytes / (self.classes as u64 * 4).max(1))
    }

    /// Stores the probabilities of one image.
    pub(super) fn write_row(&mut self, slot: u32, probabilities: &[f32]) -> Result<()> {
        self.row.clear();
        self.row
            .extend(probabilities.iter().flat_map(|p| p.to_le_bytes()));
        let offset = self.offset(slot, 0);
        self.file
            .seek(SeekFrom::Start(offset))
            .and_then(|_| self.file.write_all(&self.row))
            .with_context(|| format!("cannot write probabilities: {}", self.path.display()))
    }

    /// Waits until all rows are on disk; called before the journal says that they are.
    pub(super) fn sync(&self) -> Result<()> {
        self.file
            .sync_data()
            .with_context(|| format!("cannot write probabilities: {}", self.path.display()))
    }

    /// The adaptive calibration error over the rows `slots`, whose true classes are `labels`.
    pub(super) fn ace(&mut self, slots: &[u32], labels: &[u32]) -> Result<f64> {
        let error = |column: &mut [f32], class| {
            ace_of_class(column, |image| labels[image] as usize == class)
        };
        let errors = self.by_class(slots, error)?;
        Ok(ace_from_classes(errors, self.classes))
    }

    /// By class, what that error is computed from.
    pub(super) fn keys(&mut self, slots: &[u32], labels: &[u32]) -> Result<Vec<Vec<u32>>> {
        self.by_class(slots, |column, class| {
            ace_keys(column, |image| labels[image] as usize == class)
        })
    }

    /// What `of_class` makes of the probabilities of each class.
    fn by_class<T: Send>(
        &mut self,
        slots: &[u32],
        of_class: impl Fn(&mut [f32], usize) -> T + Sync,
    ) -> Result<Vec<T>> {
        let width = (BLOCK_BYTES / 4 / slots.len().max(1)).clamp(1, self.classes.max(1));
        let mut made = Vec::with_capacity(self.classes);
        for first in (0..self.classes).step_by(width) {
            let block = first..self.classes.min(first + width);
            let mut columns = self.columns(slots, block.clone())?;
            let of_block: Vec<T> = columns
                .par_iter_mut()
                .zip(block)
                .map(|(column, class)| of_class(column, class))
                .collect();
            made.extend(of_block);
        }
        Ok(made)
    }

    fn columns(&mut self, slots: &[u32], block: std::ops::Range<usize>) -> Result<Vec<Vec<f32>>> {
        let mut columns = vec![Vec::with_capacity(slots.len()); block.len()];
        let mut bytes = vec![0; block.len() * 4];
        for &slot in slots {
            let offset = self.offset(slot, block.start);
            self.file
                .seek(SeekFrom::Start(offset))
                .and_then(|_| self.file.read_exact(&mut bytes))
                .with_context(|| format!("cannot read probabilities: {}", self.path.display()))?;
            let (values, _) = bytes.as_chunks::<4>();
            for (column, value) in columns.iter_mut().zip(values) {
                column.push(f32::from_le_bytes(*value));
            }
        }
        Ok(columns)
    }

    fn offset(&self, slot: u32, class: usize) -> u64 {
        (u64::from(slot) * self.classes as u64 + class as u64) * 4
    }
}
