//! What egui paints as SVG: texts stay texts, with the widths that they were laid out for.

use std::fmt::Write as _;

use eframe::egui::epaint::{
    CircleShape, ClippedShape, ColorMode, EllipseShape, PathShape, PathStroke, RectShape,
    StrokeKind, TextShape,
};
use eframe::egui::{Color32, FontFamily, Pos2, Rect, Shape, Stroke, Vec2};

use super::{FONTS, circle, corners, escaped, fill, number, rect, stroke};

/// Fonts where digits and letters are equally wide.
const MONOSPACE: &str = "Hack, 'DejaVu Sans Mono', Consolas, Menlo, monospace";

/// Painted shapes as a document of its own, on a plain ground.
pub fn painted(title: &str, size: Vec2, ground: Color32, shapes: &[ClippedShape]) -> String {
    let whole = Rect::from_min_size(Pos2::ZERO, size);
    let mut writer = Writer {
        whole,
        out: String::new(),
        clips: Vec::new(),
    };
    let (width, height) = (number(size.x), number(size.y));
    // Writing into a string does not fail.
    let _ = writeln!(
        writer.out,
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}\" height=\"{height}\" \
         viewBox=\"0 0 {width} {height}\" font-family=\"{FONTS}\">\n<title>{}</title>\n{} {}/>",
        escaped(title),
        rect(whole),
        fill(ground)
    );
    for clipped in shapes {
        writer.clipped(clipped);
    }
    writer.out + "</svg>\n"
}

struct Writer {
    whole: Rect,
    out: String,
    /// Rectangles that cut something off; a position is part of an id.
    clips: Vec<Rect>,
}

impl Writer {
    fn clipped(&mut self, clipped: &ClippedShape) {
        let clip = clipped.clip_rect.intersect(self.whole);
        let bounds = clipped.shape.visual_bounding_rect();
        if !bounds.intersects(clip) {
            return;
        }
        if clip.contains_rect(bounds) {
            self.shape(&clipped.shape);
            return;
        }
        let id = self.clip(clip);
        let start = self.out.len();
        let _ = writeln!(self.out, "<g clip-path=\"url(#clip{id})\">");
        let filled = self.out.len();
        self.shape(&clipped.shape);
        if self.out.len() == filled {
            self.out.truncate(start);
        } else {
            self.out += "</g>\n";
        }
    }

    /// The id of a rectangle that cuts off, defined where it is new.
    fn clip(&mut self, clip: Rect) -> usize {
        if let Some(id) = self.clips.iter().position(|known| *known == clip) {
            return id;
        }
        let id = self.clips.len();
        let _ = writeln!(
            self.out,
            "<clipPath id=\"clip{id}\">{}/></clipPath>",
            rect(clip)
        );
        self.clips.push(clip);
        id
    }

    fn shape(&mut self, shape: &Shape) {
        match shape {
            Shape::Vec(shapes) => shapes.iter().for_each(|shape| self.shape(shape)),
            Shape::Circle(shape) => self.circle(shape),
            Shape::Ellipse(shape) => self.ellipse(shape),
            Shape::LineSegment { points, stroke } => self.line(points, *stroke),
            Shape::Path(shape) => self.path(shape),
            Shape::Rect(shape) => self.rect(shape),
            Shape::Text(shape) => self.text(shape),
            // No view draws images, curves or with a graphics API.
            Shape::Noop
            | Shape::Band(_)
            | Shape::Mesh(_)
            | Shape::QuadraticBezier(_)
            | Shape::CubicBezier(_)
            | Shape::Callback(_) => {}
        }
    }

    /// Finishes an element with fill and outline, unless neither is visible.
    fn element(&mut self, start: &str, color: Color32, line: Stroke) {
        let filled = color != Color32::TRANSPARENT;
        if !filled && line.is_empty() {
            return;
        }
        let inside = if filled {
            fill(color)
        } else {
            "fill=\"none\"".to_owned()
        };
        let outline = if line.is_empty() {
            String::new()
        } else {
            format!(" {}", stroke(line.color, line.width))
        };
        let _ = writeln!(self.out, "{start} {inside}{outline}/>");
    }

    fn circle(&mut self, shape: &CircleShape) {
        let start = circle(shape.center, shape.radius);
        self.element(&start, shape.fill, shape.stroke);
    }

    fn ellipse(&mut self, shape: &EllipseShape) {
        let (x, y) = (number(shape.center.x), number(shape.center.y));
        let (rx, ry) = (number(shape.radius.x), number(shape.radius.y));
        let start = format!("<ellipse cx=\"{x}\" cy=\"{y}\" rx=\"{rx}\" ry=\"{ry}\"");
        self.element(&start, shape.fill, shape.stroke);
    }

    fn line(&mut self, points: &[Pos2; 2], line: Stroke) {
        let [from, to] = points.map(|point| (number(point.x), number(point.y)));
        let start = format!("<path d=\"M{} {}L{} {}\"", from.0, from.1, to.0, to.1);
        self.element(&start, Color32::TRANSPARENT, line);
    }

    fn path(&mut self, shape: &PathShape) {
        let tag = if shape.closed { "polygon" } else { "polyline" };
        let points = corners(shape.points.iter().copied());
        let start = format!("<{tag} points=\"{points}\"");
        self.element(&start, shape.fill, plain(&shape.stroke));
    }

    fn rect(&mut self, shape: &RectShape) {
        let half = shape.stroke.width / 2.0;
        // SVG draws outlines upon the edge.
        let outline = match shape.stroke_kind {
            StrokeKind::Inside => shape.rect.shrink(half),
            StrokeKind::Middle => shape.rect,
            StrokeKind::Outside => shape.rect.expand(half),
        };
        let mut start = rect(outline);
        let radius = f32::from(shape.corner_radius.nw);
        if radius > 0.0 {
            let _ = write!(start, " rx=\"{}\"", number(radius));
        }
        self.element(&start, shape.fill, shape.stroke);
    }

    /// Texts have one format: a label that mixes several has that of its start.
    fn text(&mut self, shape: &TextShape) {
        let Some(section) = shape.galley.job.sections.first() else {
            return;
        };
        let color = match section.format.color {
            Color32::PLACEHOLDER => shape.fallback_color,
            color => color,
        };
        let color = shape.override_text_color.unwrap_or(color);
        let font = &section.format.font_id;
        let family = if font.family == FontFamily::Monospace {
            format!(" font-family=\"{MONOSPACE}\"")
        } else {
            String::new()
        };
        for placed in &shape.galley.rows {
            let words: String = placed.row.glyphs.iter().map(|glyph| glyph.chr).collect();
            let (Some(first), Some(last)) = (placed.row.glyphs.first(), placed.row.glyphs.last())
            else {
                continue;
            };
            if words.trim().is_empty() {
                continue;
            }
            let at = shape.pos + placed.pos.to_vec2() + first.pos.to_vec2();
            let width = last.pos.x + last.advance_width - first.pos.x;
            let (x, y) = (number(at.x), number(at.y));
            let turn = if shape.angle == 0.0 {
                String::new()
            } else {
                let degrees = number(shape.angle.to_degrees());
                let (px, py) = (number(shape.pos.x), number(shape.pos.y));
                format!(" transform=\"rotate({degrees} {px} {py})\"")
            };
            let _ = writeln!(
                self.out,
                "<text x=\"{x}\" y=\"{y}\" font-size=\"{}\"{family} textLength=\"{}\" \
                 lengthAdjust=\"spacingAndGlyphs\" {}{turn}>{}</text>",
                number(font.size),
                number(width),
                fill(color.gamma_multiply(shape.opacity_factor)),
                escaped(&words)
            );
        }
    }
}

fn plain(line: &PathStroke) -> Stroke {
    match line.color {
        ColorMode::Solid(color) => Stroke::new(line.width, color),
        // Colours by place, which no view uses.
        ColorMode::UV(_) => Stroke::NONE,
    }
}
