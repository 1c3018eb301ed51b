//! From a chart to its scene.

use eframe::egui::{Color32, Pos2, Rect, Vec2, pos2, vec2};

use super::legend::{self, Legend};
use super::{Anchor, Item, Layout, Scene, Text};
use crate::chart::labels::Labels;
use crate::chart::{Chart, Point, Quantity, Tick};
use crate::theme::{Form, Mark, Palette};

/// Height of ordinary text.
const FONT: f32 = 12.0;
/// Height of the title.
const TITLE: f32 = 17.0;
/// Room between parts.
const GAP: f32 = 8.0;
/// Room for a line of text.
pub(super) const LINE: f32 = 18.0;
/// Names are cut to so many characters.
const LONGEST_NAME: usize = 34;
/// A legend that takes more of the height gives way to the data.
const LARGEST_LEGEND: f32 = 0.25;
/// Room between a selected mark and its ring.
const RING: f32 = 4.0;
/// Of more own models not all are named.
const NAMED: usize = 40;

pub(super) struct Builder<'a> {
    chart: &'a Chart,
    palette: Palette,
    measure: &'a dyn Fn(&str, f32) -> f32,
    plot: Rect,
    frame: Vec<Item>,
    data: Vec<Item>,
}

pub(super) fn scene(chart: &Chart, layout: Layout, measure: &dyn Fn(&str, f32) -> f32) -> Scene {
    let (width, height) = layout.size;
    let margin = if layout.standalone { 16.0 } else { 4.0 };
    let outer = Rect::from_min_max(pos2(margin, margin), pos2(width - margin, height - margin));
    let mut builder = Builder {
        chart,
        palette: layout.palette,
        measure,
        plot: outer,
        frame: Vec::new(),
        data: Vec::new(),
    };
    if layout.standalone {
        builder.title();
    }
    builder.legend(layout.standalone);
    builder.axes();
    let spots: Vec<Pos2> = chart
        .points
        .iter()
        .map(|p| builder.spot(p.x, p.y))
        .collect();
    builder.front(&spots);
    builder.points(&spots);
    builder.names(&spots);
    Scene {
        size: layout.size,
        ground: layout.palette.ground,
        frame: builder.frame,
        data: builder.data,
        plot: builder.plot,
        spots,
    }
}

impl Builder<'_> {
    fn text(&mut self, at: Pos2, text: &str, anchor: Anchor, color: Color32) {
        self.frame.push(Item::Text(Text {
            at,
            text: text.to_owned(),
            size: FONT,
            color,
            anchor,
            upwards: false,
            halo: Color32::TRANSPARENT,
        }));
    }

    fn title(&mut self) {
        let at = self.plot.left_top() + vec2(0.0, TITLE / 2.0);
        self.frame.push(Item::Text(Text {
            at,
            text: self.chart.title(),
            size: TITLE,
            color: self.palette.ink,
            anchor: Anchor::Start,
            upwards: false,
            halo: Color32::TRANSPARENT,
        }));
        self.plot.min.y += TITLE + GAP;
        for note in self.chart.notes.clone() {
            let at = self.plot.left_top() + vec2(0.0, LINE / 2.0);
            self.text(at, &note, Anchor::Start, self.palette.weak);
            self.plot.min.y += LINE;
        }
        self.plot.min.y += GAP;
    }

    fn legend(&mut self, standalone: bool) {
        let legend = Legend::of(self.chart, self.palette);
        let rows = legend.rows(self.plot.width(), &|text| (self.measure)(text, FONT));
        let height = rows.len() as f32 * LINE;
        if !standalone && height > LARGEST_LEGEND * self.plot.height() {
            return;
        }
        let mut y = self.plot.bottom() - (rows.len() as f32 - 0.5) * LINE;
        self.plot.max.y -= height + GAP;
        for row in rows {
            for (x, entry) in row {
                let at = pos2(self.plot.left() + x, y);
                if let Some(key) = entry.key {
                    self.frame.push(legend::key(key, at, self.palette));
                }
                let color = entry.key.map_or(self.palette.weak, |_| self.palette.ink);
                let start = at + vec2(entry.indent(), 0.0);
                self.text(start, &entry.text, Anchor::Start, color);
            }
            y += LINE;
        }
    }

    /// Axes with their lines; narrows the plot to what they leave.
    fn axes(&mut self) {
        // The horizontal axis: figures and a title beneath.
        self.plot.max.y -= 2.0 * LINE + 4.0;
        let most = (self.plot.height() / 42.0) as usize;
        let rows = self.chart.y.ticks(most.clamp(3, 12));
        let widest = rows.iter().map(|tick| (self.measure)(&tick.label, FONT));
        let widest = widest.fold(0.0, f32::max);
        self.plot.min.x += LINE + widest + GAP + 4.0;
        self.plot.max.x -= GAP;
        let most = (self.plot.width() / 80.0) as usize;
        let columns = self.chart.x.ticks(most.clamp(3, 14));
        self.lines(&rows, &columns);
        let (x, y) = (self.chart.x.quantity, self.chart.y.quantity);
        let at = pos2(self.plot.center().x, self.plot.bottom() + 1.5 * LINE + 4.0);
        self.text(
            at,
            &self.fitting(x, self.plot.width()),
            Anchor::Middle,
            self.palette.ink,
        );
        let at = pos2(
            self.plot.left() - widest - GAP - 4.0 - LINE / 2.0,
            self.plot.center().y,
        );
        self.frame.push(Item::Text(Text {
            at,
            text: self.fitting(y, self.plot.height()),
            size: FONT,
            color: self.palette.ink,
            anchor: Anchor::Middle,
            upwards: true,
            halo: Color32::TRANSPARENT,
        }));
    }

    /// The title of an axis, or only the name where the title is too long.
    fn fitting(&self, quantity: Quantity, room: f32) -> String {
        let title = quantity.title();
        if (self.measure)(&title, FONT) <= room {
            title
        } else {
            quantity.name().to_owned()
        }
    }

    fn lines(&mut self, rows: &[Tick], columns: &[Tick]) {
        let (plot, palette) = (self.plot, self.palette);
        let line = |from: Pos2, to: Pos2| Item::Line {
            points: vec![from, to],
            color: palette.line,
            width: 1.0,
        };
        for tick in rows {
            let y = self.spot(1.0, tick.figure).y;
            self.frame
                .push(line(pos2(plot.left(), y), pos2(plot.right(), y)));
            let at = pos2(plot.left() - GAP, y);
            self.text(at, &tick.label, Anchor::End, palette.weak);
        }
        for tick in columns {
            let x = self.spot(tick.figure, 1.0).x;
            self.frame
                .push(line(pos2(x, plot.top()), pos2(x, plot.bottom())));
            let at = pos2(x, plot.bottom() + LINE / 2.0 + 2.0);
            self.text(at, &tick.label, Anchor::Middle, palette.weak);
        }
        self.frame.push(Item::Line {
            points: vec![plot.left_top(), plot.left_bottom(), plot.right_bottom()],
            color: palette.weak,
            width: 1.0,
        });
    }

    /// Where a pair of figures lies.
    fn spot(&self, x: f64, y: f64) -> Pos2 {
        let across = self.chart.x.position(x) as f32;
        let up = self.chart.y.position(y) as f32;
        pos2(
            self.plot.left() + across * self.plot.width(),
            self.plot.bottom() - up * self.plot.height(),
        )
    }

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

    fn front(&mut self, spots: &[Pos2]) {
        let points = self.steps(spots);
        if points.len() > 1 {
            self.data.push(Item::Line {
                points,
                color: self.palette.accent.gamma_multiply(0.8),
                width: 1.8,
            });
        }
    }

    fn points(&mut self, spots: &[Pos2]) {
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
    fn names(&mut self, spots: &[Pos2]) {
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
            let name = crate::views::widgets::shortened(&point.name, LONGEST_NAME);
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

pub(super) fn mark(point: &Point, palette: Palette) -> Mark {
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
