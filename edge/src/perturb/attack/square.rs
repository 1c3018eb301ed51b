//! Square Attack (Andriushchenko et al. 2020): a random search that needs scores alone.

use anyhow::{Context, ensure};

use super::{Attacked, Target, check_image, check_length, misclassified};
use crate::perturb::rng::SplitMix64;

/// Share of the image that the first squares cover.
const FIRST_SHARE: f64 = 0.8;

/// The share is halved after each of these queries of a budget of [`SCHEDULED`].
const HALVINGS: [u64; 9] = [10, 50, 200, 500, 1000, 2000, 4000, 6000, 8000];

/// The budget that the schedule is published for; others stretch or compress it.
const SCHEDULED: u64 = 10_000;

/// Attacks `image` of the true class `label` in L-inf without a gradient.
///
/// The first query is of vertical stripes of plus and minus epsilon; each further one repaints a
/// random square of the best image so far with plus or minus epsilon per channel. The image with
/// the smallest margin between the true class and the best other one is kept. Ends at the first
/// misclassified image, and after `queries` of them at the latest. `dims` are channels, height and
/// width.
///
/// # Errors
/// When the image is not finite or not of these `dims`, epsilon is not from 0 to 1e6, no query is
/// allowed, or the target fails.
pub fn square(
    target: &mut dyn Target,
    image: &[f32],
    dims: (usize, usize, usize),
    label: u32,
    epsilon: f32,
    queries: u32,
    rng: &mut SplitMix64,
) -> anyhow::Result<Attacked> {
    check_image(image)?;
    check_length("epsilon", epsilon)?;
    ensure!(queries > 0, "Square Attack needs at least 1 query");
    let painter = Painter::new(image, dims, epsilon)?;
    let mut draws = rng.clone();
    rng.skip(painter.draws(queries));

    let mut candidate = vec![0.0; image.len()];
    let mut best = candidate.clone();
    let mut window = painter.stripes(&mut candidate, &mut draws);
    let mut smallest = None;
    let mut scores = Vec::new();
    for query in 1..=queries {
        target.scores(&candidate, &mut scores)?;
        if misclassified(&scores, label) {
            return Ok(Attacked {
                image: candidate,
                misclassified: true,
                steps: query,
            });
        }
        let margin = margin(&scores, label);
        if smallest.is_none_or(|smallest| margin < smallest) {
            smallest = Some(margin);
            painter.copy(window, &candidate, &mut best);
        } else {
            painter.copy(window, &best, &mut candidate);
        }
        let share = share(query, queries);
        window = painter.square(share, &mut candidate, &mut draws);
    }
    Ok(Attacked {
        image: best,
        misclassified: false,
        steps: queries,
    })
}

/// How far the true class is ahead of the best other one.
fn margin(scores: &[f32], label: u32) -> f32 {
    let of_label = scores.get(label as usize).copied().unwrap_or(f32::NAN);
    let others = scores.iter().enumerate();
    let others = others.filter(|&(class, _)| class != label as usize);
    of_label - others.fold(f32::NEG_INFINITY, |best, (_, &score)| best.max(score))
}

/// Share of the image that a square covers after `made` of `budget` queries.
fn share(made: u32, budget: u32) -> f64 {
    let scheduled = u64::from(made) * SCHEDULED / u64::from(budget).max(1);
    let halvings = HALVINGS.iter().filter(|&&after| scheduled > after);
    halvings.fold(FIRST_SHARE, |share, _| share / 2.0)
}

/// A part of the image, in all channels.
#[derive(Clone, Copy, Debug)]
struct Window {
    top: usize,
    left: usize,
    height: usize,
    width: usize,
}

/// Changes parts of an image by plus and minus epsilon.
struct Painter<'a> {
    image: &'a [f32],
    epsilon: f32,
    channels: usize,
    height: usize,
    width: usize,
}

impl<'a> Painter<'a> {
    fn new(
        image: &'a [f32],
        (channels, height, width): (usize, usize, usize),
        epsilon: f32,
    ) -> anyhow::Result<Self> {
        let expected = channels.checked_mul(height);
        let expected = expected
            .and_then(|rows| rows.checked_mul(width))
            .filter(|&values| values > 0)
            .with_context(|| format!("no image is {channels} x {height} x {width}"))?;
        let found = image.len();
        ensure!(
            found == expected,
            "an image of {channels} x {height} x {width} has {expected} values, not {found}"
        );
        Ok(Self {
            image,
            epsilon,
            channels,
            height,
            width,
        })
    }

    /// Draws for this many queries: one sign per channel and column, then two coordinates and one
    /// sign per channel each time.
    fn draws(&self, queries: u32) -> u64 {
        let (channels, width) = (self.channels as u64, self.width as u64);
        channels * width + u64::from(queries - 1) * (2 + channels)
    }

    /// Paints the whole image.
    fn stripes(&self, into: &mut [f32], rng: &mut SplitMix64) -> Window {
        for channel in 0..self.channels {
            for left in 0..self.width {
                let stripe = Window {
                    top: 0,
                    left,
                    height: self.height,
                    width: 1,
                };
                self.paint(stripe, channel, self.change(rng), into);
            }
        }
        Window {
            top: 0,
            left: 0,
            height: self.height,
            width: self.width,
        }
    }

    /// Paints a square of this share of the image, somewhere; cut to the image where that is
    /// narrower.
    fn square(&self, share: f64, into: &mut [f32], rng: &mut SplitMix64) -> Window {
        let side = (share * self.height as f64 * self.width as f64).sqrt();
        let side = (side.round() as usize).max(1);
        let (height, width) = (side.min(self.height), side.min(self.width));
        let mut place = |free: usize| rng.integer(0, free as i64 + 1) as usize;
        let window = Window {
            top: place(self.height - height),
            left: place(self.width - width),
            height,
            width,
        };
        for channel in 0..self.channels {
            self.paint(window, channel, self.change(rng), into);
        }
        window
    }

    /// Plus or minus epsilon. One draw.
    fn change(&self, rng: &mut SplitMix64) -> f32 {
        if rng.uniform() < 0.5 {
            -self.epsilon
        } else {
            self.epsilon
        }
    }

    /// The published step, twice epsilon from where the search is and then back into the ball, ends
    /// at the same values.
    fn paint(&self, window: Window, channel: usize, change: f32, into: &mut [f32]) {
        for row in self.rows(window, channel) {
            let clean = &self.image[row.clone()];
            for (value, &x) in into[row].iter_mut().zip(clean) {
                *value = (x + change).clamp(0.0, 1.0);
            }
        }
    }

    fn copy(&self, window: Window, from: &[f32], to: &mut [f32]) {
        for channel in 0..self.channels {
            for row in self.rows(window, channel) {
                to[row.clone()].copy_from_slice(&from[row]);
            }
        }
    }

    /// Where the rows of a window lie in the tensor.
    fn rows(
        &self,
        window: Window,
        channel: usize,
    ) -> impl Iterator<Item = std::ops::Range<usize>> + use<> {
        let (height, stride) = (self.height, self.width);
        (window.top..window.top + window.height).map(move |row| {
            let start = (channel * height + row) * stride + window.left;
            start..start + window.width
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn squares_shrink_as_published() {
        // round(sqrt(p 224^2)) with p of the authors' schedule, worked out separately.
        let image = vec![0.5; 224 * 224];
        let painter = Painter::new(&image, (1, 224, 224), 0.1).unwrap();
        let side = |made, budget| {
            let mut rng = SplitMix64::new(3);
            let window = painter.square(share(made, budget), &mut image.clone(), &mut rng);
            assert_eq!(window.height, window.width);
            window.height
        };
        let sides = [200, 200, 142, 100, 71, 50, 35, 25, 18, 13, 9];
        let made = [1, 10, 11, 51, 201, 501, 1001, 2001, 4001, 6001, 8001];
        assert_eq!(made.map(|made| side(made, 10_000)), sides);
        let made = [1, 1, 2, 6, 21, 51, 101, 201, 401, 601, 801];
        assert_eq!(made.map(|made| side(made, 1000)), sides);
        assert_eq!(share(1, 1), FIRST_SHARE / 512.0);
        assert_eq!(share(u32::MAX, u32::MAX), FIRST_SHARE / 512.0);
    }

    #[test]
    fn squares_are_cut_to_narrow_images_and_reach_every_place() {
        for (height, width) in [(1, 1), (1, 40), (40, 1), (5, 9)] {
            let image = vec![0.5; 2 * height * width];
            let painter = Painter::new(&image, (2, height, width), 0.1).unwrap();
            let mut rng = SplitMix64::new(1);
            let mut painted = vec![false; image.len()];
            for made in 0..4000 {
                let mut into = image.clone();
                let window = painter.square(share(made, 4000), &mut into, &mut rng);
                assert!(window.top + window.height <= height);
                assert!(window.left + window.width <= width);
                let changed = into.iter().filter(|&&v| v != 0.5).count();
                assert_eq!(changed, 2 * window.height * window.width);
                for (painted, value) in painted.iter_mut().zip(into) {
                    *painted |= value != 0.5;
                }
            }
            assert!(painted.iter().all(|&painted| painted));
        }
    }

    #[test]
    fn stripes_are_vertical() {
        let image: Vec<f32> = (0..2 * 3 * 50).map(|i| i as f32 / 300.0).collect();
        let painter = Painter::new(&image, (2, 3, 50), 0.01).unwrap();
        let mut into = image.clone();
        painter.stripes(&mut into, &mut SplitMix64::new(2));
        let signs: Vec<bool> = into.iter().zip(&image).map(|(a, b)| a > b).collect();
        for channel in signs.chunks(150) {
            let rows: Vec<&[bool]> = channel.chunks(50).collect();
            assert!(rows[0] == rows[1] && rows[1] == rows[2]);
            let up = rows[0].iter().filter(|&&up| up).count();
            assert!((10..40).contains(&up));
        }
        assert_ne!(signs[..50], signs[150..200]);
    }

    #[test]
    fn margin_is_against_the_best_other_class() {
        assert_eq!(margin(&[1.0, 4.0, 3.5], 1), 0.5);
        assert_eq!(margin(&[1.0, 4.0, 3.5], 0), -3.0);
        assert_eq!(margin(&[1.0], 0), f32::INFINITY);
    }
}
