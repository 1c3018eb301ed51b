//! Scenes and painted views as SVG.

mod shapes;

use std::fmt::Write as _;

use eframe::egui::{Color32, Pos2, Rect};

use super::escaped;
use crate::chart::scene::{Anchor, Item, Scene, Text};
use crate::theme::{LINE, Mark, Outline};

pub use shapes::painted;

/// Fonts by family, the first that a reader has.
const FONTS: &str = "Ubuntu, 'Segoe UI', 'Helvetica Neue', Arial, sans-serif";

/// A scene as a document of its own.
pub fn svg(scene: &Scene) -> String {
    let (width, height) = scene.size;
    let mut out = String::new();
    // Writing into a string does not fail.
    let _ = writeln!(
        out,
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}\" height=\"{height}\" \
         viewBox=\"0 0 {width} {height}\" font-family=\"{FONTS}\">"
    );
    let plot = scene.plot;
    let _ = writeln!(out, "<clipPath id=\"plot\">{}/></clipPath>", rect(plot));
    let ground = Rect::from_min_max(Pos2::ZERO, Pos2::new(width, height));
    let _ = writeln!(out, "{} {}/>", rect(ground), fill(scene.ground));
    for item in &scene.frame {
        out += &written(item);
    }
    out += "<g clip-path=\"url(#plot)\">\n";
    for item in &scene.data {
        out += &written(item);
    }
    out += "</g>\n</svg>\n";
    out
}

fn written(item: &Item) -> String {
    match item {
        Item::Line {
            points,
            color,
            width,
        } => {
            let corners = corners(points.iter().copied());
            let stroke = stroke(*color, *width);
            format!("<polyline points=\"{corners}\" fill=\"none\" {stroke}/>\n")
        }
        Item::Mark { mark, at, radius } => shape(*mark, *at, *radius),
        Item::Ring {
            at,
            radius,
            color,
            width,
        } => {
            let stroke = stroke(*color, *width);
            format!("{} fill=\"none\" {stroke}/>\n", circle(*at, *radius))
        }
        Item::Fill {
            rect: place,
            color,
            corner,
        } => format!("{} rx=\"{corner}\" {}/>\n", rect(*place), fill(*color)),
        Item::Text(text) => words(text),
    }
}

fn shape(mark: Mark, at: Pos2, radius: f32) -> String {
    match mark.form.outline() {
        Outline::Disc(size) => format!("{} {}/>\n", circle(at, radius * size), fill(mark.color)),
        Outline::Polygon(offsets) => {
            let corners = corners(offsets.into_iter().map(|offset| at + offset * radius));
            format!("<polygon points=\"{corners}\" {}/>\n", fill(mark.color))
        }
        Outline::Lines(ends) => {
            let line = |end: &eframe::egui::Vec2| {
                let (from, to) = (at - *end * radius, at + *end * radius);
                let (x, y) = (number(from.x), number(from.y));
                format!("M{x} {y}L{} {}", number(to.x), number(to.y))
            };
            let path: String = ends.iter().map(line).collect();
            let stroke = stroke(mark.color, radius * LINE);
            format!("<path d=\"{path}\" fill=\"none\" {stroke}/>\n")
        }
    }
}

fn words(text: &Text) -> String {
    let anchor = match text.anchor {
        Anchor::Start => "start",
        Anchor::Middle => "middle",
        Anchor::End => "end",
    };
    // Centres capitals and digits, which programs do not agree on when asked to.
    let drop = text.size * 0.35;
    let (x, y) = (text.at.x, text.at.y);
    let place = if text.upwards {
        let (x, y) = (number(x + drop), number(y));
        format!("x=\"{x}\" y=\"{y}\" transform=\"rotate(-90 {x} {y})\"")
    } else {
        format!("x=\"{}\" y=\"{}\"", number(x), number(y + drop))
    };
    let halo = if text.halo == Color32::TRANSPARENT {
        String::new()
    } else {
        let stroke = stroke(text.halo, 3.0);
        format!(" paint-order=\"stroke\" stroke-linejoin=\"round\" {stroke}")
    };
    format!(
        "<text {place} font-size=\"{}\" text-anchor=\"{anchor}\" {}{halo}>{}</text>\n",
        number(text.size),
        fill(text.color),
        escaped(&text.text)
    )
}

fn circle(at: Pos2, radius: f32) -> String {
    let (x, y, radius) = (number(at.x), number(at.y), number(radius));
    format!("<circle cx=\"{x}\" cy=\"{y}\" r=\"{radius}\"")
}

fn rect(rect: Rect) -> String {
    format!(
        "<rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\"",
        number(rect.left()),
        number(rect.top()),
        number(rect.width()),
        number(rect.height())
    )
}

fn corners(points: impl Iterator<Item = Pos2>) -> String {
    let pairs = points.map(|point| format!("{},{}", number(point.x), number(point.y)));
    pairs.collect::<Vec<_>>().join(" ")
}

fn fill(color: Color32) -> String {
    paint("fill", color)
}

fn stroke(color: Color32, width: f32) -> String {
    let stroke = paint("stroke", color);
    format!("{stroke} stroke-width=\"{}\"", number(width))
}

fn paint(what: &str, color: Color32) -> String {
    let [red, green, blue, alpha] = color.to_srgba_unmultiplied();
    let opacity = match alpha {
        255 => String::new(),
        alpha => format!(" {what}-opacity=\"{}\"", number(f32::from(alpha) / 255.0)),
    };
    format!("{what}=\"#{red:02x}{green:02x}{blue:02x}\"{opacity}")
}

/// At most two decimals.
fn number(value: f32) -> f32 {
    (value * 100.0).round() / 100.0
}
