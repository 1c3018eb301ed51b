//! A chart laid out: lines, marks and texts at places, drawn alike on screen and in files.

mod build;
mod data;
mod legend;

use eframe::egui::{Color32, Pos2, Rect, Vec2};

use crate::theme::{Mark, Palette};

/// How a text stands to its place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Anchor {
    /// It starts there.
    Start,
    /// It is centred there.
    Middle,
    /// It ends there.
    End,
}

/// A line of text, centred vertically.
#[derive(Clone, Debug, PartialEq)]
pub struct Text {
    /// Where.
    pub at: Pos2,
    /// What.
    pub text: String,
    /// Height of the font.
    pub size: f32,
    /// Colour.
    pub color: Color32,
    /// How it stands to `at`.
    pub anchor: Anchor,
    /// Whether it is read from bottom to top.
    pub upwards: bool,
    /// What keeps it apart from what is behind it; transparent where nothing must.
    pub halo: Color32,
}

/// A part of a scene.
#[derive(Clone, Debug, PartialEq)]
pub enum Item {
    /// Connected straight lines.
    Line {
        /// Corners, two or more.
        points: Vec<Pos2>,
        /// Colour.
        color: Color32,
        /// Width.
        width: f32,
    },
    /// A shape.
    Mark {
        /// Shape and colour.
        mark: Mark,
        /// Centre.
        at: Pos2,
        /// Size.
        radius: f32,
    },
    /// A circle's outline.
    Ring {
        /// Centre.
        at: Pos2,
        /// Size.
        radius: f32,
        /// Colour.
        color: Color32,
        /// Width of the line.
        width: f32,
    },
    /// A filled rectangle.
    Fill {
        /// Where.
        rect: Rect,
        /// Colour.
        color: Color32,
        /// Radius of the corners.
        corner: f32,
    },
    /// A text.
    Text(Text),
}

/// What a scene is laid out for.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Layout {
    /// Width and height.
    pub size: (f32, f32),
    /// Colours.
    pub palette: Palette,
    /// Whether title and notes are within.
    pub standalone: bool,
}

/// A chart laid out.
#[derive(Clone, Debug)]
pub struct Scene {
    /// Width and height.
    pub size: (f32, f32),
    /// What everything stands on.
    pub ground: Color32,
    /// Title, axes and legend, behind the data.
    pub frame: Vec<Item>,
    /// The data, cut off at the border of the plot.
    pub data: Vec<Item>,
    /// The plot within the axes.
    pub plot: Rect,
    /// Where the points of the chart lie.
    pub spots: Vec<Pos2>,
}

impl Scene {
    /// Lays a chart out. `measure` tells the width of a text of a size.
    pub fn new(chart: &super::Chart, layout: Layout, measure: &dyn Fn(&str, f32) -> f32) -> Self {
        build::scene(chart, layout, measure)
    }

    /// The point nearest to a place, within `reach`; of two alike the one in front.
    pub fn nearest(&self, place: Pos2, reach: f32) -> Option<usize> {
        let distances = self.spots.iter().map(|spot| spot.distance(place));
        distances
            .enumerate()
            .filter(|(index, distance)| {
                *distance <= reach && self.plot.contains(self.spots[*index])
            })
            .min_by(|a, b| a.1.total_cmp(&b.1).then(b.0.cmp(&a.0)))
            .map(|(index, _)| index)
    }

    /// The nearest point from a place towards a direction of length 1: within a right angle around
    /// it, or else anywhere on that side.
    pub fn towards(&self, from: Pos2, direction: Vec2) -> Option<usize> {
        let way = |spot: Pos2| {
            let offset = spot - from;
            let along = offset.dot(direction);
            let aside = (offset - along * direction).length();
            (along > 0.0).then_some((aside > along, offset.length()))
        };
        let spots = self.spots.iter().enumerate();
        let seen = spots.filter(|(_, spot)| self.plot.contains(**spot));
        let ways = seen.filter_map(|(index, spot)| Some((way(*spot)?, index)));
        let nearest = ways.min_by(|((a, far), i), ((b, farther), j)| {
            a.cmp(b).then(far.total_cmp(farther)).then(j.cmp(i))
        });
        nearest.map(|(_, index)| index)
    }

    /// The point in front of all others.
    pub fn foremost(&self) -> Option<usize> {
        self.spots
            .iter()
            .rposition(|spot| self.plot.contains(*spot))
    }
}

/// An estimate of the width of a text, where no font is at hand.
pub fn estimated_width(text: &str, size: f32) -> f32 {
    let wide = |c: char| if c.is_ascii() { 0.52 } else { 0.8 };
    text.chars().map(wide).sum::<f32>() * size
}
