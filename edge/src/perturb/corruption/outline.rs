//! Outlines of drops and the distance to them.

use super::raster::{Border, Raster};

/// Canny edges (3 x 3 Sobel, |dx| + |dy|) of a one-channel image of whole levels: 1 on edges,
/// else 0.
pub(super) fn canny(image: &Raster, low: i64, high: i64) -> Raster {
    let gradients = sobel(image);
    let (width, height) = (image.width as i64, image.height as i64);
    let strength = |x: i64, y: i64| -> i64 {
        if (0..width).contains(&x) && (0..height).contains(&y) {
            let (dx, dy) = gradients[(y * width + x) as usize];
            dx.abs() + dy.abs()
        } else {
            0
        }
    };
    let mut candidate = vec![false; gradients.len()];
    let mut edges = Raster::zeros(image.width, image.height, 1);
    let mut open = Vec::new();
    for y in 0..height {
        for x in 0..width {
            let own = strength(x, y);
            let i = (y * width + x) as usize;
            if own <= low || !is_ridge(own, gradients[i], |ox, oy| strength(x + ox, y + oy)) {
                continue;
            }
            candidate[i] = true;
            if own > high {
                edges.values[i] = 1.0;
                open.push((x, y));
            }
        }
    }
    // Weak candidates count when they touch an edge.
    while let Some((x, y)) = open.pop() {
        for (ox, oy) in (-1..=1).flat_map(|oy| (-1..=1).map(move |ox| (x + ox, y + oy))) {
            if !(0..width).contains(&ox) || !(0..height).contains(&oy) {
                continue;
            }
            let i = (oy * width + ox) as usize;
            if candidate[i] && edges.values[i] == 0.0 {
                edges.values[i] = 1.0;
                open.push((ox, oy));
            }
        }
    }
    edges
}

/// Whether a gradient of L1 norm `own` is a maximum across the edge; ties go to the pixel before.
fn is_ridge(own: i64, (dx, dy): (i64, i64), neighbour: impl Fn(i64, i64) -> i64) -> bool {
    /// tan(22.5 degrees) in 15-bit fixed point.
    const TAN: i64 = 13573;
    let (x, y) = (dx.abs(), dy.abs() << 15);
    if y < x * TAN {
        own > neighbour(-1, 0) && own >= neighbour(1, 0)
    } else if y > x * TAN + (x << 16) {
        own > neighbour(0, -1) && own >= neighbour(0, 1)
    } else {
        let side = if (dx ^ dy) < 0 { -1 } else { 1 };
        own > neighbour(-side, -1) && own > neighbour(side, 1)
    }
}

/// Horizontal and vertical 3 x 3 Sobel derivatives, edge clamp.
fn sobel(image: &Raster) -> Vec<(i64, i64)> {
    let padded = image.pad_columns(1, Border::Nearest);
    let row = |y: i64| padded.row(Border::Nearest.index(y, image.height));
    let mut gradients = Vec::with_capacity(image.values.len());
    for y in 0..image.height as i64 {
        let lines = row(y - 1)
            .windows(3)
            .zip(row(y).windows(3))
            .zip(row(y + 1).windows(3));
        gradients.extend(lines.map(|((a, b), c)| {
            let dx = (a[2] - a[0]) + 2.0 * (b[2] - b[0]) + (c[2] - c[0]);
            let dy = (c[0] - a[0]) + 2.0 * (c[1] - a[1]) + (c[2] - a[2]);
            (dx as i64, dy as i64)
        }));
    }
    gradients
}

/// Distance of every pixel to the nearest edge (a value above 0) by the 5 x 5 chamfer of Borgefors
/// (1986) with steps 1, 1.4 and 2.1969; about 32,768 where there is no edge.
pub(super) fn chamfer_distance(edges: &Raster) -> Raster {
    const FAR: u32 = 1 << 31;
    let (width, height) = (edges.width as i64, edges.height as i64);
    let mut steps: Vec<u32> = edges
        .values
        .iter()
        .map(|&edge| if edge > 0.0 { 0 } else { FAR })
        .collect();
    let relax = |steps: &mut [u32], x: i64, y: i64, sign: i64| {
        let mut best = steps[(y * width + x) as usize];
        for (dx, dy, cost) in BEHIND {
            let (x, y) = (x + sign * dx, y + sign * dy);
            if (0..width).contains(&x) && (0..height).contains(&y) {
                best = best.min(steps[(y * width + x) as usize].saturating_add(cost));
            }
        }
        steps[(y * width + x) as usize] = best;
    };
    for y in 0..height {
        for x in 0..width {
            relax(&mut steps, x, y, 1);
        }
    }
    for y in (0..height).rev() {
        for x in (0..width).rev() {
            relax(&mut steps, x, y, -1);
        }
    }
    let values = steps.into_iter().map(|d| f64::from(d) / 65536.0).collect();
    Raster {
        width: edges.width,
        height: edges.height,
        channels: 1,
        values,
    }
}

/// The neighbours already visited in reading order, with their distance in 16-bit fixed point.
const BEHIND: [(i64, i64, u32); 8] = [
    (-1, 0, STRAIGHT),
    (0, -1, STRAIGHT),
    (-1, -1, DIAGONAL),
    (1, -1, DIAGONAL),
    (-1, -2, KNIGHT),
    (1, -2, KNIGHT),
    (-2, -1, KNIGHT),
    (2, -1, KNIGHT),
];
const STRAIGHT: u32 = 65_536;
const DIAGONAL: u32 = 91_750;
const KNIGHT: u32 = 143_976;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_step_has_a_one_pixel_edge_and_distances_grow_from_it() {
        let mut image = Raster::zeros(9, 7, 1);
        for row in image.rows_mut() {
            row[5..].fill(200.0);
        }
        let edges = canny(&image, 50, 150);
        for y in 0..7 {
            assert_eq!(edges.row(y), [0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0]);
        }
        let distance = chamfer_distance(&edges);
        assert_eq!(
            distance.row(3),
            [4.0, 3.0, 2.0, 1.0, 0.0, 1.0, 2.0, 3.0, 4.0]
        );
        let none = chamfer_distance(&Raster::zeros(3, 2, 1));
        assert!(none.values.iter().all(|&d| d > 1000.0));
    }
}
