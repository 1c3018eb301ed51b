//! Top-1 accuracy (SPEC §1.1) and its interval.

use super::records;
use super::{Measured, Measurement, NotMeasured};
use crate::outcome::PassKind;
use crate::result::Evaluation;

/// 97.5 % point of the standard normal distribution.
const Z_95: f64 = 1.959_963_984_540_054;

/// Share of right answers, in [0, 1]; NaN without an image.
pub fn accuracy(correct: u32, total: u32) -> f64 {
    f64::from(correct) / f64::from(total)
}

/// Wilson's 95 % interval of a share, `(low, high)` within [0, 1]; the whole range without an image.
///
/// Wilson (1927), "Probable inference, the law of succession, and statistical inference".
pub fn wilson(correct: u32, total: u32) -> (f64, f64) {
    if total == 0 {
        return (0.0, 1.0);
    }
    let n = f64::from(total);
    let share = f64::from(correct) / n;
    let z2 = Z_95 * Z_95;
    let centre = (share + z2 / (2.0 * n)) / (1.0 + z2 / n);
    let half = Z_95 / (1.0 + z2 / n) * (share * (1.0 - share) / n + z2 / (4.0 * n * n)).sqrt();
    ((centre - half).max(0.0), (centre + half).min(1.0))
}

/// Right answers and images of one pass; `None` where it was not evaluated, has no image, or its
/// records contradict each other.
///
/// For cue conflict an answer is right when it names the shape.
pub fn pass_accuracy(evaluation: &Evaluation, kind: PassKind) -> Option<(u32, u32)> {
    let tally = records::tally(evaluation, kind).ok()?;
    Some((tally.correct, tally.total))
}

/// Right answers among the clean images of one class.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ClassTally {
    /// The class.
    pub class: u32,
    /// Right answers.
    pub correct: u32,
    /// Images, at least one.
    pub images: u32,
}

impl ClassTally {
    /// Share of right answers, in [0, 1].
    pub fn accuracy(self) -> f64 {
        accuracy(self.correct, self.images)
    }
}

/// Top-1 on the clean images class by class, in class order; classes without an image are left out.
///
/// # Errors
/// The clean pass is missing or its records contradict each other.
pub fn by_class(evaluation: &Evaluation) -> Result<Vec<ClassTally>, NotMeasured> {
    let clean = records::clean(evaluation)?;
    let mut images: Vec<(u32, bool)> = clean.labels.iter().copied().zip(clean.correct()).collect();
    images.sort_unstable();
    let tally = |class: &[(u32, bool)]| ClassTally {
        class: class[0].0,
        correct: records::count(class.iter().filter(|(_, right)| *right).count()),
        images: records::count(class.len()),
    };
    Ok(images.chunk_by(|a, b| a.0 == b.0).map(tally).collect())
}

pub(super) fn measure(evaluation: &Evaluation) -> Measured {
    let clean = records::tally(evaluation, PassKind::Clean)?;
    Ok(Measurement {
        value: clean.accuracy(),
        images: clean.total,
        parts: Vec::new(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The limits are the roots p of `(p - share)^2 = z^2 p (1 - p) / n`, found by bisection.
    #[test]
    fn wilson_solves_its_equation() {
        let cases = [
            (52, 160, 0.257_267_547_229_811_3, 0.400_938_621_080_215_5),
            (180, 200, 0.850_594_187_567_282_6, 0.934_329_551_330_904_2),
            (
                38_065,
                50_000,
                0.757_543_496_525_842_3,
                0.765_016_355_631_089_5,
            ),
            (1, 3, 0.061_491_944_720_396_23, 0.792_340_399_197_952_3),
            (0, 10, 0.0, 0.277_532_799_862_889_26),
            (10, 10, 0.722_467_200_137_110_7, 1.0),
        ];
        for (correct, total, low, high) in cases {
            let interval = wilson(correct, total);
            assert!((interval.0 - low).abs() < 1e-14, "{interval:?}");
            assert!((interval.1 - high).abs() < 1e-14, "{interval:?}");
        }
    }

    #[test]
    fn wilson_without_images_says_nothing() {
        assert_eq!(wilson(0, 0), (0.0, 1.0));
    }
}
