//! From a chart to its scene.

use eframe::egui::{Color32, Pos2, Rect, pos2, vec2};

use super::legend::{self, Legend};
use super::{Anchor, Item, Layout, Scene, Text};
use crate::chart::{Chart, Quantity, Tick};
use crate::theme::Palette;

/// Height of ordinary text.
pub(super) const FONT: f32 = 12.0;
/// Height of the title.
const TITLE: f32 = 17.0;
/// Room between parts.
const GAP: f32 = 8.0;
/// Room for a line of text.
const LINE: f32 = 18.0;
/// A legend that takes more of the height gives way to the data.
const LARGEST_LEGEND: f32 = 0.25;

pub(super) struct Builder<'a> {
    pub(super) chart: &'a Chart,
    pub(super) palette: Palette,
    pub(super) measure: &'a dyn Fn(&str, f32) -> f32,
    pub(super) plot: Rect,
    pub(super) frame: Vec<Item>,
    pub(super) data: Vec<Item>,
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
    pub(super) fn spot(&self, x: f64, y: f64) -> Pos2 {
        let across = self.chart.x.position(x) as f32;
        let up = self.chart.y.position(y) as f32;
        pos2(
            self.plot.left() + across * self.plot.width(),
            self.plot.bottom() - up * self.plot.height(),
        )
    }
}
