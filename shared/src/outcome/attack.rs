//! Attacks and their strength.

use std::fmt;

use serde::{Deserialize, Serialize};

/// An attack on the clean images.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Attack {
    /// What is done.
    pub method: AttackMethod,
    /// How distances are measured.
    pub norm: Norm,
    /// Where distances are measured.
    pub space: AttackSpace,
    /// Largest distance from the image.
    pub epsilon: Strength,
}

/// What an attack does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum AttackMethod {
    /// One step along the sign of the gradient.
    Fgsm,
    /// Projected gradient descent; the last iterate counts.
    Pgd {
        /// Length of a step.
        step: Strength,
        /// Number of steps.
        steps: u32,
        /// The first iterate.
        start: Start,
    },
    /// Projected gradient descent from several random starts; the image itself, or else the worst
    /// iterate, counts.
    WorstPgd {
        /// Length of a step.
        step: Strength,
        /// Number of steps of each start.
        steps: u32,
        /// Number of starts.
        restarts: u32,
    },
    /// Square Attack: random search on the scores, without gradients; the image itself, or else the
    /// best one found, counts.
    Square {
        /// Largest number of scored images.
        queries: u32,
    },
}

impl AttackMethod {
    /// What it is called.
    pub fn name(self) -> &'static str {
        match self {
            Self::Fgsm => "fgsm",
            Self::Pgd { .. } => "pgd",
            Self::WorstPgd { .. } => "worst-pgd",
            Self::Square { .. } => "square",
        }
    }

    /// Whether it follows the gradient of the loss, which not every model has.
    pub fn needs_gradient(self) -> bool {
        !matches!(self, Self::Square { .. })
    }
}

/// Where projected gradient descent starts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum Start {
    /// At a uniformly drawn point of the ball.
    Random,
    /// At the image.
    Image,
}

/// A norm of the perturbation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum Norm {
    /// Largest change of an element.
    LInf,
    /// Euclidean.
    L2,
}

/// The space that an attack moves in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum AttackSpace {
    /// Pixels from 0 to 1; normalisation is part of the attacked function (the correct protocol).
    Pixels,
    /// The normalised tensor, clamped to [0, 1] there (what the study's code does).
    Normalized,
}

/// A distance in hundred-thousandths of 1/255, so that equal strengths are equal bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Strength(u32);

/// Units of a strength in 1/255.
const PER_LEVEL: u32 = 100_000;

impl Strength {
    /// The largest in 1/255: beyond any use, Euclidean distances of images included.
    pub const LARGEST: u32 = 40_000;

    /// `levels` / 255, rounded to hundred-thousandths of a level; `None` unless that is above 0 and
    /// at most [`Self::LARGEST`].
    pub fn from_levels(levels: f64) -> Option<Self> {
        let units = (levels * f64::from(PER_LEVEL)).round();
        let largest = f64::from(Self::LARGEST) * f64::from(PER_LEVEL);
        (1.0..=largest)
            .contains(&units)
            .then_some(Self(units as u32))
    }

    /// A whole number of 1/255.
    pub const fn whole(levels: u8) -> Self {
        Self(levels as u32 * PER_LEVEL)
    }

    /// In 1/255.
    pub fn levels(self) -> f64 {
        f64::from(self.0) / f64::from(PER_LEVEL)
    }

    /// The distance.
    pub fn value(self) -> f32 {
        (self.levels() / 255.0) as f32
    }
}

impl fmt::Display for Strength {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/255", self.levels())
    }
}

impl Attack {
    /// The two attacks that make up adversarial robustness (SPEC §1.2), in one space.
    pub const fn scored(space: AttackSpace) -> [Self; 2] {
        let epsilon = Strength::whole(8);
        let step = Strength::whole(2);
        let norm = Norm::LInf;
        [
            Self {
                method: AttackMethod::Fgsm,
                norm,
                space,
                epsilon,
            },
            Self {
                method: AttackMethod::Pgd {
                    step,
                    steps: 10,
                    start: Start::Random,
                },
                norm,
                space,
                epsilon,
            },
        ]
    }
}

impl Attack {
    /// A distance as people state it: in levels of a pixel, Euclidean ones as they are.
    fn distance(&self, strength: Strength) -> String {
        match self.norm {
            Norm::LInf => strength.to_string(),
            Norm::L2 => format!("{:.5}", strength.levels() / 255.0)
                .trim_end_matches('0')
                .trim_end_matches('.')
                .to_owned(),
        }
    }
}

impl fmt::Display for Attack {
    /// For instance `pgd 8/255 (10 steps of 2/255)`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.method.name(), self.distance(self.epsilon))?;
        if self.norm == Norm::L2 {
            f.write_str(" l2")?;
        }
        match self.method {
            AttackMethod::Fgsm => {}
            AttackMethod::Pgd { step, steps, start } => {
                write!(f, " ({steps} steps of {}", self.distance(step))?;
                f.write_str(match start {
                    Start::Random => ")",
                    Start::Image => ", no random start)",
                })?;
            }
            AttackMethod::WorstPgd {
                step,
                steps,
                restarts,
            } => write!(
                f,
                " ({restarts} × {steps} steps of {})",
                self.distance(step)
            )?,
            AttackMethod::Square { queries } => write!(f, " ({queries} queries)")?,
        }
        match self.space {
            AttackSpace::Pixels => Ok(()),
            AttackSpace::Normalized => f.write_str(" on normalised tensors"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn strengths_are_exact_and_named() {
        assert_eq!(Strength::whole(8).value(), 8.0 / 255.0);
        assert_eq!(Strength::from_levels(0.25).unwrap().to_string(), "0.25/255");
        assert_eq!(Strength::from_levels(8.0), Some(Strength::whole(8)));
        assert!(Strength::from_levels(4e4).is_some());
        for bad in [0.0, -1.0, 1e-6, 4e4 + 0.1, f64::NAN, f64::INFINITY] {
            assert_eq!(Strength::from_levels(bad), None, "{bad}");
        }
    }

    #[test]
    fn words() {
        let [fgsm, pgd] = Attack::scored(AttackSpace::Pixels);
        assert_eq!(fgsm.to_string(), "fgsm 8/255");
        assert_eq!(pgd.to_string(), "pgd 8/255 (10 steps of 2/255)");
        let [fgsm, _] = Attack::scored(AttackSpace::Normalized);
        assert_eq!(fgsm.to_string(), "fgsm 8/255 on normalised tensors");
        let strong = Attack {
            method: AttackMethod::WorstPgd {
                step: Strength::from_levels(0.5).unwrap(),
                steps: 40,
                restarts: 3,
            },
            norm: Norm::LInf,
            space: AttackSpace::Pixels,
            epsilon: Strength::whole(4),
        };
        assert_eq!(
            strong.to_string(),
            "worst-pgd 4/255 (3 × 40 steps of 0.5/255)"
        );
        let euclidean = Attack {
            method: AttackMethod::Pgd {
                step: Strength::from_levels(25.5).unwrap(),
                steps: 20,
                start: Start::Image,
            },
            norm: Norm::L2,
            space: AttackSpace::Pixels,
            epsilon: Strength::from_levels(765.0).unwrap(),
        };
        assert_eq!(
            euclidean.to_string(),
            "pgd 3 l2 (20 steps of 0.1, no random start)"
        );
    }
}
