//! The weight of every column in a block of resamples.

use super::balance;
use super::draw::{Draws, LANES};
use super::formula::Formula;
use super::layout::{Column, Layout, Stratum};
use crate::dimension::PerDimension;

/// Images whose counts fit into 16 bits together, whatever the draws (each is about 1).
const CHUNK: usize = 256;

/// What a block of [`LANES`] resamples adds up to.
pub(super) struct Block {
    /// By column of the layout.
    pub(super) columns: Vec<[f64; LANES]>,
    /// `[B_acc, B_conf]`, where class balance has a formula.
    pub(super) balance: Option<[[f64; 2]; LANES]>,
}

impl Block {
    /// Adds up with the draws that `draw` gives for a stratum.
    pub(super) fn of(
        layout: &Layout,
        formulas: &PerDimension<Option<Formula>>,
        draw: impl Fn(&Stratum) -> Draws,
    ) -> Self {
        let classes = formulas
            .0
            .iter()
            .flatten()
            .find_map(|formula| match formula {
                Formula::ClassBalance(classes) => Some(classes),
                _ => None,
            });
        let mut columns = vec![[0.0; LANES]; layout.columns.len()];
        let mut sums = balance::Sums::default();
        for (number, population) in layout.populations.iter().enumerate() {
            let own: Vec<usize> = (0..columns.len())
                .filter(|&column| layout.columns[column].population == number)
                .collect();
            if own.is_empty() {
                continue;
            }
            for (position, stratum) in population.strata.iter().enumerate() {
                let draws = draw(stratum);
                for &column in &own {
                    add(
                        &layout.columns[column],
                        stratum,
                        &draws,
                        &mut columns[column],
                    );
                }
                if let Some(classes) = classes.filter(|c| c.population == number) {
                    classes.add(position, &draws, &mut sums);
                }
            }
        }
        Self {
            columns,
            balance: classes.map(|classes| classes.factors(&sums)),
        }
    }
}

/// Adds the weights of the images of one stratum that a column holds.
fn add(column: &Column, stratum: &Stratum, draws: &Draws, sums: &mut [f64; LANES]) {
    let bits = &column.bits[stratum.images.clone()];
    for (bits, counts) in bits.chunks(CHUNK).zip(draws.counts.chunks(CHUNK)) {
        // Sixteen bits, of which a processor adds many at once.
        let mut total = [0u16; LANES];
        for (&bit, counts) in bits.iter().zip(counts) {
            if bit {
                for (sum, &count) in total.iter_mut().zip(counts) {
                    *sum = sum.wrapping_add(count);
                }
            }
        }
        for (sum, total) in sums.iter_mut().zip(total) {
            *sum += draws.scale * f64::from(total);
        }
    }
}
