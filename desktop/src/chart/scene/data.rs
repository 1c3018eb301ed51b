//! Front, points, error bars and names of a scene.

use eframe::egui::{Color32, Pos2, Rect, Vec2, pos2, vec2};

use super::build::{Builder, FONT};
use super::{Anchor, Item, Text};
use crate::chart::Point;
use crate::chart::labels::Labels;
use crate::theme::{Form, Mark, Palette};
use crate::views::widgets::shortened;

/// Names are cut to so many characters.
const LONGEST_NAME: usize = 34;
/// Room between a selected mark and its ring.
const RING: f32 = 4.0;
/// Of more own models not all are named.
const NAMED: usize = 40;

impl Builder<'_> {
    /// The border of what the front dominates; nothing where no front is drawn.
    fn steps(&self, spots: &[Pos2]) -> Vec<Pos2> {
        let mut steps: Vec<Pos2> = Vec::new();
        if !self.chart.shows_front {
            return steps;
        }
        for spot in self
            .chart
            .front
            .iter()
            .filter_map(|&index| spots.get(index))
        {
            if let Some(last) = steps.last().copied() {
                // No better in the second figure until the next point.
                steps.push(pos2(spot.x, last.y));
            }
            steps.push(*spot);
        }
        steps
    }

    pub(super) fn front(&mut self, spots: &[Pos2]) {
        let points = self.steps(spots);
        if points.len() > 1 {
            self.data.push(Item::Line {
                points,
                color: self.palette.accent.gamma_multiply(0.8),
                width: 1.8,
            });
        }
    }

    pub(super) fn points(&mut self, spots: &[Pos2]) {
        for (point, &at) in self.chart.points.iter().zip(spots) {
            let mut mark = mark(point, self.palette);
            let radius = radius(point);
            if point.dimmed {
                mark = mark.dimmed();
            } else {
                self.bars(point, mark.color);
            }
            if point.selected {
                self.data.push(Item::Ring {
                    at,
                    radius: radius + RING,
                    color: self.palette.ink,
                    width: 1.6,
                });
            }
            if point.own {
                // Stands out where points are dense.
                let ground = Mark {
                    color: self.palette.ground,
                    ..mark
                };
                self.data.push(Item::Mark {
                    mark: ground,
                    at,
                    radius: radius + 1.6,
                });
            }
            self.data.push(Item::Mark { mark, at, radius });
        }
    }

    fn bars(&mut self, point: &Point, color: Color32) {
        let color = color.gamma_multiply(0.6);
        let mut lines = Vec::new();
        let mut bar = |[from, to]: [Pos2; 2], cap: Vec2| {
            for points in [[from, to], [from - cap, from + cap], [to - cap, to + cap]] {
                lines.push(Item::Line {
                    points: points.into(),
                    color,
                    width: 1.0,
                });
            }
        };
        if let Some((low, high)) = point.x_interval {
            let ends = [low, high].map(|x| self.spot(x, point.y));
            bar(ends, vec2(0.0, 3.0));
        }
        if let Some((low, high)) = point.y_interval {
            let ends = [low, high].map(|y| self.spot(point.x, y));
            bar(ends, vec2(3.0, 0.0));
        }
        self.data.extend(lines);
    }

    /// Names of selected models, of the front and of own models, as far as there is room.
    pub(super) fn names(&mut self, spots: &[Pos2]) {
        let points = &self.chart.points;
        let all_own = points.iter().filter(|point| point.own).count() <= NAMED;
        let on_front = |index: usize| self.chart.shows_front && self.chart.front.contains(&index);
        let rank = |index: usize| match &points[index] {
            point if point.selected => Some(0),
            _ if !self.chart.shows_labels => None,
            _ if on_front(index) => Some(1),
            point if point.own && all_own => Some(2),
            _ => None,
        };
        let mut wanted: Vec<(u8, usize)> = (0..points.len())
            .filter_map(|index| Some((rank(index)?, index)))
            .filter(|&(_, index)| self.plot.contains(spots[index]))
            .collect();
        wanted.sort();
        let mut labels = self.room(spots);
        for (_, index) in wanted {
            let point = &points[index];
            let name = shortened(&point.name, LONGEST_NAME);
            let size = vec2((self.measure)(&name, FONT - 1.0), FONT + 1.0);
            let beside = radius(point) + if point.selected { RING } else { 0.0 };
            if let Some(place) = labels.place(spots[index], beside, size) {
                self.data.push(Item::Text(Text {
                    at: place.center(),
                    text: name,
                    size: FONT - 1.0,
                    color: self.palette.ink,
                    anchor: Anchor::Middle,
                    upwards: false,
                    halo: self.palette.ground,
                }));
            }
        }
    }

    /// The plot with what stands in it already.
    fn room(&self, spots: &[Pos2]) -> Labels {
        let (mut marks, mut bars) = (Vec::new(), Vec::new());
        for (point, &at) in self.chart.points.iter().zip(spots) {
            if point.dimmed {
                continue;
            }
            marks.push(Rect::from_center_size(at, Vec2::splat(1.6 * radius(point))));
            if let Some((low, high)) = point.x_interval {
                let ends = [low, high].map(|x| self.spot(x, point.y));
                bars.push(Rect::from_two_pos(ends[0], ends[1]).expand(2.0));
            }
            if let Some((low, high)) = point.y_interval {
                let ends = [low, high].map(|y| self.spot(point.x, y));
                bars.push(Rect::from_two_pos(ends[0], ends[1]).expand(2.0));
            }
        }
        for line in self.steps(spots).windows(2) {
            bars.push(Rect::from_two_pos(line[0], line[1]).expand(2.0));
        }
        Labels::new(self.plot.shrink(2.0), marks, bars)
    }
}

fn mark(point: &Point, palette: Palette) -> Mark {
    Mark {
        color: palette.architecture(&point.architecture).color,
        form: Form::of_regime(&point.regime),
    }
}

fn radius(point: &Point) -> f32 {
    match (point.dimmed, point.own) {
        (true, _) => 3.8,
        (false, false) => 4.4,
        (false, true) => 5.8,
    }
}
