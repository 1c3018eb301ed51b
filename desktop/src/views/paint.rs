//! Scenes on screen.

use eframe::egui;
use egui::text::{LayoutJob, TextFormat};
use egui::{Align2, Color32, FontId, Pos2, Shape, Stroke, Ui, pos2, vec2};

use crate::chart::scene::{Anchor, Item, Scene, Text};

/// Width of a text of a size.
pub fn text_width(ui: &Ui, text: &str, size: f32) -> f32 {
    let font = FontId::proportional(size);
    let job = LayoutJob::simple_singleline(text.to_owned(), font, Color32::WHITE);
    ui.fonts_mut(|fonts| fonts.layout_job(job)).size().x
}

/// Draws a scene with its corner at `origin`.
pub fn paint(ui: &Ui, scene: &Scene, origin: Pos2) {
    let offset = origin.to_vec2();
    for item in &scene.frame {
        paint_item(ui, ui.painter(), item, offset);
    }
    let clip = scene.plot.translate(offset).expand(1.0);
    let painter = ui.painter().with_clip_rect(clip.intersect(ui.clip_rect()));
    for item in &scene.data {
        paint_item(ui, &painter, item, offset);
    }
}

fn paint_item(ui: &Ui, painter: &egui::Painter, item: &Item, offset: egui::Vec2) {
    match item {
        Item::Line {
            points,
            color,
            width,
        } => {
            let points = points.iter().map(|point| *point + offset).collect();
            painter.add(Shape::line(points, Stroke::new(*width, *color)));
        }
        Item::Mark { mark, at, radius } => mark.paint(painter, *at + offset, *radius),
        Item::Ring {
            at,
            radius,
            color,
            width,
        } => {
            painter.circle_stroke(*at + offset, *radius, Stroke::new(*width, *color));
        }
        Item::Fill {
            rect,
            color,
            corner,
        } => {
            painter.rect_filled(rect.translate(offset), *corner, *color);
        }
        Item::Text(text) => paint_text(ui, painter, text, offset),
    }
}

fn paint_text(ui: &Ui, painter: &egui::Painter, text: &Text, offset: egui::Vec2) {
    let format = TextFormat::simple(FontId::proportional(text.size), text.color);
    let job = LayoutJob::single_section(text.text.clone(), format);
    let galley = ui.fonts_mut(|fonts| fonts.layout_job(job));
    let size = galley.size();
    let at = text.at + offset;
    if text.upwards {
        // Turned about its corner, which is then at the bottom left.
        let corner = pos2(at.x - size.y / 2.0, at.y + size.x / 2.0);
        let shape = egui::epaint::TextShape::new(corner, galley, text.color);
        painter.add(shape.with_angle(-std::f32::consts::FRAC_PI_2));
        return;
    }
    let align = match text.anchor {
        Anchor::Start => Align2::LEFT_CENTER,
        Anchor::Middle => Align2::CENTER_CENTER,
        Anchor::End => Align2::RIGHT_CENTER,
    };
    let rect = align.anchor_size(at, size);
    if text.halo != Color32::TRANSPARENT {
        let halo = text.halo.gamma_multiply(0.7);
        painter.rect_filled(rect.expand2(vec2(1.5, 0.0)), 3.0, halo);
    }
    painter.galley(rect.min, galley, text.color);
}
