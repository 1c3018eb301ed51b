//! Draws what egui tessellates, on the CPU: pictures without a display or a graphics driver, the
//! same on every machine.

use std::collections::BTreeMap;

use eframe::egui;
use egui::epaint::{ImageDelta, Mesh, Primitive, Vertex};
use egui::{ClippedPrimitive, Color32, FullOutput, ImageData, Pos2, Rect, TextureId};
use image::{Rgba, RgbaImage};

/// Textures as egui hands them over.
#[derive(Default)]
pub struct Rasterizer {
    textures: BTreeMap<TextureId, Texture>,
}

/// Premultiplied colours, row by row.
#[derive(Default)]
struct Texture {
    width: usize,
    height: usize,
    texels: Vec<Color32>,
}

impl Rasterizer {
    /// Takes over textures of a frame. Each frame must be handed over, as textures grow bit by bit.
    pub fn update(&mut self, output: &mut FullOutput) {
        for (id, deltas) in sorted(std::mem::take(&mut output.textures_delta.set)) {
            for delta in deltas {
                self.textures.entry(id).or_default().apply(&delta);
            }
        }
        for id in sorted_ids(std::mem::take(&mut output.textures_delta.free)) {
            self.textures.remove(&id);
        }
    }

    /// Draws a frame over an opaque ground.
    pub fn draw(
        &self,
        primitives: &[ClippedPrimitive],
        (width, height): (u32, u32),
        pixels_per_point: f32,
        ground: Color32,
    ) -> RgbaImage {
        let mut image = RgbaImage::from_pixel(width, height, Rgba(ground.to_array()));
        for primitive in primitives {
            // Callbacks draw with a graphics API; no view has any.
            if let Primitive::Mesh(mesh) = &primitive.primitive
                && let Some(texture) = self.textures.get(&mesh.texture_id)
            {
                let clip = scaled(primitive.clip_rect, pixels_per_point);
                draw_mesh(&mut image, mesh, texture, clip, pixels_per_point);
            }
        }
        image
    }
}

fn sorted<V>(map: impl IntoIterator<Item = (TextureId, V)>) -> BTreeMap<TextureId, V> {
    map.into_iter().collect()
}

fn sorted_ids(ids: impl IntoIterator<Item = TextureId>) -> Vec<TextureId> {
    let mut ids: Vec<TextureId> = ids.into_iter().collect();
    ids.sort_unstable();
    ids
}

impl Texture {
    fn apply(&mut self, delta: &ImageDelta) {
        let ImageData::Color(image) = &delta.image;
        let [width, height] = image.size;
        let Some([left, top]) = delta.pos else {
            *self = Self {
                width,
                height,
                texels: image.pixels.clone(),
            };
            return;
        };
        for (y, line) in image.pixels.chunks_exact(width.max(1)).enumerate() {
            let start = (top + y) * self.width + left;
            if let Some(target) = self.texels.get_mut(start..start + width) {
                target.copy_from_slice(line);
            }
        }
    }

    /// The colour at texture coordinates, linearly between the four nearest texels.
    fn sample(&self, u: f32, v: f32) -> [f32; 4] {
        let (x, y) = (u * self.width as f32 - 0.5, v * self.height as f32 - 0.5);
        let (fx, fy) = (x - x.floor(), y - y.floor());
        let mut sum = [0.0; 4];
        for (dx, dy, share) in [
            (0.0, 0.0, (1.0 - fx) * (1.0 - fy)),
            (1.0, 0.0, fx * (1.0 - fy)),
            (0.0, 1.0, (1.0 - fx) * fy),
            (1.0, 1.0, fx * fy),
        ] {
            let texel = self.texel(x.floor() + dx, y.floor() + dy);
            for (total, part) in sum.iter_mut().zip(texel.to_array()) {
                *total += share * f32::from(part);
            }
        }
        sum
    }

    fn texel(&self, x: f32, y: f32) -> Color32 {
        // Casts of negative numbers give zero, so coordinates are clamped on both sides.
        let x = (x as usize).min(self.width.saturating_sub(1));
        let y = (y as usize).min(self.height.saturating_sub(1));
        self.texels
            .get(y * self.width + x)
            .copied()
            .unwrap_or_default()
    }
}

fn scaled(rect: Rect, factor: f32) -> Rect {
    Rect::from_min_max(
        (rect.min.to_vec2() * factor).to_pos2(),
        (rect.max.to_vec2() * factor).to_pos2(),
    )
}

fn draw_mesh(image: &mut RgbaImage, mesh: &Mesh, texture: &Texture, clip: Rect, scale: f32) {
    for indices in mesh.triangles() {
        let [a, b, c] = indices.map(|index| mesh.vertices.get(index as usize));
        if let (Some(a), Some(b), Some(c)) = (a, b, c) {
            draw_triangle(image, [*a, *b, *c], texture, clip, scale);
        }
    }
}

/// Twice the signed area of a triangle.
fn area(a: Pos2, b: Pos2, c: Pos2) -> f32 {
    (b.x - a.x) * (c.y - a.y) - (b.y - a.y) * (c.x - a.x)
}

fn draw_triangle(
    image: &mut RgbaImage,
    mut corners: [Vertex; 3],
    texture: &Texture,
    clip: Rect,
    scale: f32,
) {
    for corner in &mut corners {
        corner.pos = (corner.pos.to_vec2() * scale).to_pos2();
    }
    let whole = area(corners[0].pos, corners[1].pos, corners[2].pos);
    if whole == 0.0 {
        return;
    }
    if whole < 0.0 {
        corners.swap(1, 2);
    }
    let whole = whole.abs();
    let [a, b, c] = corners.map(|corner| corner.pos);
    let plain = is_plain(&corners).then(|| color(&corners, [1.0, 0.0, 0.0], texture));
    let bounds = Rect::from_points(&[a, b, c]).intersect(clip);
    let columns = pixels(bounds.left(), bounds.right(), image.width());
    let lines = pixels(bounds.top(), bounds.bottom(), image.height());
    for y in lines {
        let (left, right) = span([(a, b), (b, c), (c, a)], y as f32 + 0.5);
        let first = columns.start.max((left - 1.0).max(0.0) as u32);
        for x in first..columns.end.min((right + 1.0).max(0.0) as u32) {
            let at = Pos2::new(x as f32 + 0.5, y as f32 + 0.5);
            let weights = [area(b, c, at), area(c, a, at), area(a, b, at)];
            if inside(weights, [(b, c), (c, a), (a, b)]) {
                let weights = weights.map(|weight| weight / whole);
                let color = plain.unwrap_or_else(|| color(&corners, weights, texture));
                blend(image.get_pixel_mut(x, y), color);
            }
        }
    }
}

/// Leftmost and rightmost point of a triangle at a height: of a long thin one, most pixels of the
/// bounds lie outside.
fn span(edges: [(Pos2, Pos2); 3], y: f32) -> (f32, f32) {
    let mut span = (f32::INFINITY, f32::NEG_INFINITY);
    for (from, to) in edges {
        if (from.y - y) * (to.y - y) > 0.0 {
            continue;
        }
        let share = if from.y == to.y {
            0.0
        } else {
            (y - from.y) / (to.y - from.y)
        };
        let x = from.x + share * (to.x - from.x);
        // Of a level edge, both ends.
        let other = if from.y == to.y { to.x } else { x };
        span = (span.0.min(x).min(other), span.1.max(x).max(other));
    }
    span
}

/// Pixels whose centre lies between two edges.
fn pixels(low: f32, high: f32, most: u32) -> std::ops::Range<u32> {
    let first = (low - 0.5).ceil().max(0.0) as u32;
    let end = ((high - 0.5).ceil().max(0.0) as u32).min(most);
    first..end
}

/// Whether a point is inside; on an edge it belongs to one of the two triangles that share it, as
/// graphics cards decide: the one left of or beneath the edge.
fn inside(weights: [f32; 3], edges: [(Pos2, Pos2); 3]) -> bool {
    weights.into_iter().zip(edges).all(|(weight, (from, to))| {
        weight > 0.0 || (weight == 0.0 && ((to.y < from.y) || (to.y == from.y && to.x > from.x)))
    })
}

/// Whether all points of a triangle have one colour.
fn is_plain(corners: &[Vertex; 3]) -> bool {
    corners
        .iter()
        .all(|corner| corner.uv == corners[0].uv && corner.color == corners[0].color)
}

/// The colour at a point of a triangle, premultiplied, each channel in [0, 255].
fn color(corners: &[Vertex; 3], weights: [f32; 3], texture: &Texture) -> [f32; 4] {
    let mix = |f: &dyn Fn(&Vertex) -> f32| -> f32 {
        corners
            .iter()
            .zip(weights)
            .map(|(corner, weight)| f(corner) * weight)
            .sum()
    };
    let texel = texture.sample(mix(&|v| v.uv.x), mix(&|v| v.uv.y));
    // Colours are premultiplied and multiplied in gamma space, as egui's own shaders do.
    std::array::from_fn(|channel| {
        mix(&|v| f32::from(v.color.to_array()[channel])) * texel[channel] / 255.0
    })
}

fn blend(pixel: &mut Rgba<u8>, source: [f32; 4]) {
    let behind = 1.0 - source[3] / 255.0;
    for (target, source) in pixel.0.iter_mut().zip(source) {
        *target = (source + f32::from(*target) * behind)
            .round()
            .clamp(0.0, 255.0) as u8;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn white() -> Texture {
        Texture {
            width: 1,
            height: 1,
            texels: vec![Color32::WHITE],
        }
    }

    #[test]
    fn two_triangles_cover_a_rectangle_once() {
        let mut mesh = Mesh::default();
        let rect = Rect::from_min_max(Pos2::new(1.0, 1.0), Pos2::new(7.0, 5.0));
        mesh.add_colored_rect(rect, Color32::from_black_alpha(128));
        let mut image = RgbaImage::from_pixel(8, 8, Rgba([255; 4]));
        draw_mesh(&mut image, &mesh, &white(), Rect::EVERYTHING, 1.0);
        for (x, y, pixel) in image.enumerate_pixels() {
            let covered = (1..7).contains(&x) && (1..5).contains(&y);
            assert_eq!(pixel.0[0], if covered { 127 } else { 255 }, "{x} {y}");
        }
    }

    #[test]
    fn clipping_and_scaling() {
        let mut mesh = Mesh::default();
        mesh.add_colored_rect(
            Rect::from_min_max(Pos2::ZERO, Pos2::new(4.0, 4.0)),
            Color32::BLACK,
        );
        let mut image = RgbaImage::from_pixel(8, 8, Rgba([255; 4]));
        let clip = Rect::from_min_max(Pos2::new(2.0, 0.0), Pos2::new(5.0, 8.0));
        draw_mesh(&mut image, &mesh, &white(), clip, 2.0);
        let black = image.pixels().filter(|pixel| pixel.0[0] == 0).count();
        assert_eq!(black, 3 * 8);
    }

    #[test]
    fn textures_are_patched_and_sampled_between_texels() {
        let mut texture = Texture::default();
        let full = egui::ColorImage::filled([2, 1], Color32::BLACK);
        texture.apply(&ImageDelta::full(full, Default::default()));
        let patch = egui::ColorImage::filled([1, 1], Color32::WHITE);
        texture.apply(&ImageDelta::partial([1, 0], patch, Default::default()));
        assert_eq!(texture.sample(0.25, 0.5)[0], 0.0);
        assert_eq!(texture.sample(0.75, 0.5)[0], 255.0);
        assert_eq!(texture.sample(0.5, 0.5)[0], 127.5);
    }
}
