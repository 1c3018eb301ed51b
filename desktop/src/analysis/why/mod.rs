//! Why the leader leads: how far each weight must move before another model takes over.
//!
//! With all other weights fixed, a score is `(a + w·z) / (b + w)` in the moved weight `w`, where `a`
//! and `b` sum the other dimensions that the model has, or the constant `a / b` for a model without
//! the moved dimension. Two scores are equal at a root of a polynomial of degree two, so the weight
//! at which the lead changes is computed, not searched for.

use shared::dimension::Values;
use shared::{Dimension, PerDimension};

use crate::state::choices::MissingPolicy;

/// The weight at which another model takes the lead, and which.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Takeover {
    /// The weight, at least 0.
    pub weight: f64,
    /// Position of the model in the list that was given.
    pub model: usize,
}

/// The nearest changes of the lead on both sides of a weight; `None` where there is none.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Moves {
    /// When the weight falls.
    pub down: Option<Takeover>,
    /// When it rises.
    pub up: Option<Takeover>,
}

/// The models that compete, by their signed z-scores, and how they are scored.
#[derive(Clone, Debug)]
pub struct Contest<'a> {
    /// Signed z-scores of every model, positive where better.
    pub z: &'a [Values],
    /// The weights, valid ones.
    pub weights: PerDimension<f64>,
    /// What happens to models that lack a weighted dimension.
    pub missing: MissingPolicy,
}

/// One model as a function of the moved weight.
#[derive(Clone, Copy, Debug)]
struct Line {
    /// Weighted sum of the z-scores of the other dimensions.
    sum: f64,
    /// Sum of the weights of those dimensions.
    weight: f64,
    /// z-score of the moved dimension.
    z: Option<f64>,
}

impl Line {
    fn score(&self, weight: f64) -> Option<f64> {
        let (sum, total) = match self.z {
            Some(z) => (self.sum + weight * z, self.weight + weight),
            None => (self.sum, self.weight),
        };
        (total > 0.0).then(|| sum / total)
    }

    /// Coefficients, constant first, of what is positive where `self` is ahead of `other`.
    fn lead_over(&self, other: &Self) -> [f64; 3] {
        if let (Some(z), Some(other_z)) = (self.z, other.z)
            && self.weight == other.weight
        {
            // Equal sums of weights cancel.
            return [self.sum - other.sum, z - other_z, 0.0];
        }
        let part = |line: &Self| (line.z.unwrap_or(0.0), f64::from(u8::from(line.z.is_some())));
        let ((z, has), (other_z, other_has)) = (part(self), part(other));
        [
            self.sum * other.weight - other.sum * self.weight,
            self.sum * other_has + z * other.weight - other.sum * has - other_z * self.weight,
            z * other_has - other_z * has,
        ]
    }
}

impl Contest<'_> {
    /// The model with the best score; the first of several.
    pub fn leader(&self) -> Option<usize> {
        // Any dimension can be the moved one: its weight stays where it is.
        let moved = Dimension::Accuracy;
        self.best(moved, self.weights[moved])
    }

    /// How far each weight must move, all others fixed, before the leader is another model.
    pub fn moves(&self) -> PerDimension<Moves> {
        PerDimension::from_fn(|dimension| match self.leader() {
            Some(leader) => self.moves_of(leader, dimension),
            None => Moves::default(),
        })
    }

    fn moves_of(&self, leader: usize, moved: Dimension) -> Moves {
        let now = self.weights[moved];
        let ahead = self.line(leader, moved);
        let mut moves = Moves::default();
        if self.missing == MissingPolicy::Exclude && now == 0.0 && ahead.z.is_none() {
            // Any weight above zero takes the leader out of the list.
            let next = self.best(moved, f64::MIN_POSITIVE);
            moves.up = next.map(|model| Takeover { weight: 0.0, model });
            return moves;
        }
        for model in (0..self.z.len()).filter(|&m| m != leader && self.counts(m, moved, true)) {
            let lead = ahead.lead_over(&self.line(model, moved));
            for weight in roots(lead) {
                let slope = lead[1] + 2.0 * lead[2] * weight;
                let takeover = Takeover { weight, model };
                if weight >= now && slope < 0.0 {
                    nearer(&mut moves.up, takeover, now);
                } else if weight <= now && weight > 0.0 && slope > 0.0 {
                    nearer(&mut moves.down, takeover, now);
                }
            }
        }
        if moves.down.is_none() && now > 0.0 {
            // Without the dimension, models that lack it may count.
            let best = self.best(moved, 0.0).filter(|&model| model != leader);
            let beaten = |&model: &usize| self.line(model, moved).score(0.0) > ahead.score(0.0);
            moves.down = best
                .filter(beaten)
                .map(|model| Takeover { weight: 0.0, model });
        }
        moves
    }

    fn best(&self, moved: Dimension, weight: f64) -> Option<usize> {
        let mut best: Option<(f64, usize)> = None;
        for model in (0..self.z.len()).filter(|&m| self.counts(m, moved, weight > 0.0)) {
            let score = self.line(model, moved).score(weight);
            if let Some(score) = score.filter(|&s| best.is_none_or(|(most, _)| s > most)) {
                best = Some((score, model));
            }
        }
        best.map(|(_, model)| model)
    }

    /// Whether the model takes part, with the moved dimension weighted or not.
    fn counts(&self, model: usize, moved: Dimension, weighted: bool) -> bool {
        let needed = |d: Dimension| {
            if d == moved {
                weighted
            } else {
                self.weights[d] > 0.0
            }
        };
        let has = |d: Dimension| !needed(d) || self.z[model][d].is_some();
        self.missing == MissingPolicy::Partial || Dimension::ALL.into_iter().all(has)
    }

    fn line(&self, model: usize, moved: Dimension) -> Line {
        let mut line = Line {
            sum: 0.0,
            weight: 0.0,
            z: self.z[model][moved],
        };
        for (dimension, z) in self.z[model].iter().filter(|&(d, _)| d != moved) {
            if let Some(z) = z {
                line.sum += self.weights[dimension] * z;
                line.weight += self.weights[dimension];
            }
        }
        line
    }
}

fn nearer(kept: &mut Option<Takeover>, found: Takeover, now: f64) {
    let distance = |takeover: &Takeover| (takeover.weight - now).abs();
    if kept
        .as_ref()
        .is_none_or(|kept| distance(&found) < distance(kept))
    {
        *kept = Some(found);
    }
}

/// Real roots of a polynomial of degree two at most; none where it is constant.
fn roots([c, b, a]: [f64; 3]) -> Vec<f64> {
    let roots = if a == 0.0 {
        vec![-c / b]
    } else {
        let discriminant = b * b - 4.0 * a * c;
        // The larger sum first: no digits are lost to cancellation.
        let q = -0.5 * (b + discriminant.sqrt().copysign(b));
        vec![q / a, c / q]
    };
    roots.into_iter().filter(|root| root.is_finite()).collect()
}

#[cfg(test)]
mod tests;
