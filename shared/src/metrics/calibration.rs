//! Calibration error (SPEC §1.5): expected (top-1) and adaptive (per class).

use super::{Measured, Measurement, NotMeasured, Part, gmean, records};
use crate::result::Evaluation;

/// Bins of both errors; a probability of exactly 1 falls in one more.
const BINS: usize = 15;

/// Bits of the lower edges of the ECE bins, `linspace(0, 1, 16)` in f32, the last one for
/// confidences of exactly 1. Written out because they are not all equal to `i as f32 / 15.0`.
#[rustfmt::skip]
pub(super) const BOUNDARY_BITS: [u32; BINS + 1] = [
    0x0000_0000, 0x3d88_8889, 0x3e08_8889, 0x3e4c_ccce,
    0x3e88_8889, 0x3eaa_aaab, 0x3ecc_ccce, 0x3eee_eef0,
    0x3f08_8888, 0x3f19_9999, 0x3f2a_aaaa, 0x3f3b_bbbc,
    0x3f4c_cccd, 0x3f5d_ddde, 0x3f6e_eeef, 0x3f80_0000,
];

/// How far outside [0, 1] a graph's rounding may put a probability.
const SLACK: f32 = 1e-3;

/// The value as a probability: clamped to [0, 1] if rounding alone put it outside, else `None`.
pub(crate) fn probability(value: f32) -> Option<f32> {
    (-SLACK..=1.0 + SLACK)
        .contains(&value)
        .then(|| value.clamp(0.0, 1.0))
}

/// Expected calibration error of top-1: 15 equal bins `[B_i, B_(i+1))`, L1, in [0, 1].
///
/// `confidences` are top-1 probabilities, `correct` says whether top-1 was right, image by image.
/// All arithmetic is f32 and in image order, as in the study's code, so that values match.
/// `None` if there is no image, the lengths differ, or a confidence is not a probability.
pub fn ece(confidences: &[f32], correct: impl IntoIterator<Item = bool>) -> Option<f64> {
    let bins = bins(confidences, correct)?;
    let all = confidences.len() as f32;
    let gap = |bin: usize| {
        let bin = &bins[bin];
        if bin.images == 0 {
            return 0.0;
        }
        let n = bin.images as f32;
        (bin.correct as f32 / n - bin.mass / n).abs() * (n / all)
    };
    // The reference adds 16 bins in eight lanes of two: the order decides the last bit.
    let sum: f32 = (0..8).map(|lane| gap(lane) + gap(lane + 8)).sum();
    Some(f64::from(sum))
}

/// The images of one bin of the expected calibration error.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct ReliabilityBin {
    /// Images whose top-1 probability falls in the bin.
    pub images: u32,
    /// Those of them that were right.
    pub correct: u32,
    /// Sum of their top-1 probabilities, in f32 and image order.
    mass: f32,
}

impl ReliabilityBin {
    /// Share of right answers, in [0, 1]; `None` for an empty bin.
    pub fn accuracy(&self) -> Option<f64> {
        (self.images > 0).then(|| f64::from(self.correct) / f64::from(self.images))
    }

    /// Mean top-1 probability, in [0, 1]; `None` for an empty bin.
    pub fn confidence(&self) -> Option<f64> {
        (self.images > 0).then(|| f64::from(self.mass) / f64::from(self.images))
    }

    /// Lower and upper edge of bin `index`; both are 1 for the last, which holds the probabilities
    /// of exactly 1.
    pub fn edges(index: usize) -> (f32, f32) {
        let edge = |i: usize| f32::from_bits(BOUNDARY_BITS[i.min(BINS)]);
        (edge(index), edge(index + 1))
    }
}

/// The clean images by top-1 probability: 15 equal bins and one for probabilities of exactly 1.
///
/// # Errors
/// The clean pass is missing or its records contradict each other.
pub fn reliability(evaluation: &Evaluation) -> Result<[ReliabilityBin; BINS + 1], NotMeasured> {
    let clean = records::clean(evaluation)?;
    bins(clean.confidences, clean.correct())
        .ok_or_else(|| NotMeasured::Undefined("a confidence is not a probability".to_owned()))
}

/// `None` if there is no image, the lengths differ, or a confidence is not a probability.
fn bins(
    confidences: &[f32],
    correct: impl IntoIterator<Item = bool>,
) -> Option<[ReliabilityBin; BINS + 1]> {
    let boundaries = BOUNDARY_BITS.map(f32::from_bits);
    let mut bins = [ReliabilityBin::default(); BINS + 1];
    let mut correct = correct.into_iter();
    for &confidence in confidences {
        let confidence = probability(confidence)?;
        // The first boundary is 0, so at least one is not above the confidence.
        let bin = &mut bins[boundaries.partition_point(|&edge| edge <= confidence) - 1];
        bin.images += 1;
        bin.correct += u32::from(correct.next()?);
        bin.mass += confidence;
    }
    (!confidences.is_empty() && correct.next().is_none()).then_some(bins)
}

/// Adaptive calibration error of one class: 15 equally filled bins, L1, in [0, 1].
///
/// `column` holds the probabilities of the class over all images, `is_class(i)` says whether the
/// class is the true one of image `i`. Probabilities that are not above 0 (f32 underflow, or NaN)
/// are left out, as the definition asks; those above 1 count as 1. The column is used as working
/// space and holds nothing of use afterwards. Sums are f64 in ascending order of probability, so
/// the order of the images has no effect.
pub fn ace_of_class(column: &mut [f32], is_class: impl Fn(usize) -> bool) -> f64 {
    let kept = pack(column, is_class);
    ace_of_packed(&mut column[..kept])
}

/// What the error of one class is computed from, so that images can be evaluated in parts: of every
/// probability above 0 a number, in ascending order, that holds it and whether the class is the true
/// one of the image. The column is used as working space.
pub fn ace_keys(column: &mut [f32], is_class: impl Fn(usize) -> bool) -> Vec<u32> {
    let kept = pack(column, is_class);
    let mut keys: Vec<u32> = column[..kept].iter().map(|key| key.to_bits()).collect();
    keys.sort_unstable();
    keys
}

/// The largest of the [`ace_keys`]: a probability of 1 for the true class.
pub const LAST_ACE_KEY: u32 = 1.0f32.to_bits() << 1 | 1;

/// [`ace_of_class`] from the [`ace_keys`] of all parts, in any order.
pub fn ace_of_keys(keys: impl IntoIterator<Item = u32>) -> f64 {
    let mut keys: Vec<f32> = keys.into_iter().map(f32::from_bits).collect();
    ace_of_packed(&mut keys)
}

/// Replaces the first values by the keys of those above 0; how many they are.
fn pack(column: &mut [f32], is_class: impl Fn(usize) -> bool) -> usize {
    // Bits of positive floats sort as the floats do, and those up to 1 leave the top bit free:
    // shifted by one, they make room for the label, and one in-place sort orders both.
    let mut kept = 0;
    for image in 0..column.len() {
        let value = column[image];
        if value > 0.0 {
            let key = value.min(1.0).to_bits() << 1 | u32::from(is_class(image));
            column[kept] = f32::from_bits(key);
            kept += 1;
        }
    }
    kept
}

fn ace_of_packed(keys: &mut [f32]) -> f64 {
    keys.sort_unstable_by_key(|key| key.to_bits());
    let mut error = 0.0;
    let mut start = 0;
    for bin in 1..=BINS + 1 {
        let end = bin_end(keys, bin);
        error += gap(&keys[start..end]);
        start = end;
    }
    error / keys.len().max(1) as f64
}

fn unpack(key: f32) -> (f32, bool) {
    let bits = key.to_bits();
    (f32::from_bits(bits >> 1), bits & 1 == 1)
}

/// End of the bin below upper edge `bin` of 1 to 16 in the sorted keys: values equal to an edge
/// belong to the bin above it, the 15th edge is 1, and the 16th bin takes what is left.
fn bin_end(keys: &[f32], bin: usize) -> usize {
    let n = keys.len();
    if n == 0 || bin > BINS {
        return n;
    }
    let edge = if bin == BINS {
        1.0
    } else {
        // bin * n / 15 is never half-way between integers, so adding a half rounds to nearest.
        let position = (2 * bin * n + BINS) / (2 * BINS);
        unpack(keys[position.min(n - 1)]).0
    };
    keys.partition_point(|&key| unpack(key).0 < edge)
}

/// Difference between the number of images of the class and what the probabilities promised.
fn gap(keys: &[f32]) -> f64 {
    let mut positives = 0u32;
    let mut mass = 0.0;
    for &key in keys {
        let (value, is_class) = unpack(key);
        positives += u32::from(is_class);
        mass += f64::from(value);
    }
    (f64::from(positives) - mass).abs()
}

/// Adaptive calibration error of a classifier from those of its classes: their sum over the
/// number of classes, as the reference divides it, also where a class was left out.
pub fn ace_from_classes(errors: impl IntoIterator<Item = f64>, class_count: usize) -> f64 {
    errors.into_iter().sum::<f64>() / class_count as f64
}

/// Geometric mean of both errors, which are the parts.
pub(super) fn measure(evaluation: &Evaluation) -> Measured {
    let clean = records::clean(evaluation)?;
    let ace = clean.ace.ok_or(NotMeasured::AceUnknown)?;
    if !(0.0..=1.0).contains(&ace) {
        let text = "the adaptive calibration error is out of range";
        return Err(NotMeasured::Undefined(text.to_owned()));
    }
    let ece = ece(clean.confidences, clean.correct())
        .ok_or_else(|| NotMeasured::Undefined("a confidence is not a probability".to_owned()))?;
    Ok(Measurement {
        value: gmean(&[ace, ece]),
        images: clean.images(),
        parts: vec![Part::new("ece", ece), Part::new("ace", ace)],
    })
}
