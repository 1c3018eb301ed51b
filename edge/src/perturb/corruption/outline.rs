//! Outlines of drops and the distance to them.

use super::raster::{Border, Raster};

/// Canny edges (3 x 3 Sobel, |dx| + |dy|) of a one-channel image of whole levels.
pub(super) fn canny(image: &Raster<u8>, low: i32, high: i32) -> Raster<bool> {
    let gradients = sobel(image);
    // With a border of one pixel that has no gradient.
    let width = image.width + 2;
    let mut strength = vec![0; width * (image.height + 2)];
    let lines = strength.chunks_exact_mut(width).skip(1);
    for (line, gradients) in lines.zip(gradients.chunks_exact(image.width)) {
        for (strength, (dx, dy)) in line[1..].iter_mut().zip(gradients) {
            *strength = dx.abs() + dy.abs();
        }
    }
    let mut candidate = vec![false; strength.len()];
    let mut edge = candidate.clone();
    let mut open = Vec::new();
    for (y, gradients) in gradients.chunks_exact(image.width).enumerate() {
        for (x, &gradient) in gradients.iter().enumerate() {
            let i = (y + 1) * width + x + 1;
            let own = strength[i];
            if own <= low || !is_ridge(&strength, i, width, gradient) {
                continue;
            }
            candidate[i] = true;
            if own > high {
                edge[i] = true;
                open.push(i);
            }
        }
    }
    // Weak candidates count when they touch an edge. The border holds none.
    while let Some(i) = open.pop() {
        for row in [i - width, i, i + width] {
            for i in row - 1..=row + 1 {
                if candidate[i] && !edge[i] {
                    edge[i] = true;
                    open.push(i);
                }
            }
        }
    }
    let lines = edge.chunks_exact(width).skip(1).take(image.height);
    Raster {
        width: image.width,
        height: image.height,
        channels: 1,
        values: lines
            .flat_map(|line| &line[1..=image.width])
            .copied()
            .collect(),
    }
}

/// Whether the gradient at `i` is a maximum across the edge; ties go to the pixel before.
fn is_ridge(strength: &[i32], i: usize, width: usize, (dx, dy): (i32, i32)) -> bool {
    /// tan(22.5 degrees) in 15-bit fixed point.
    const TAN: i32 = 13573;
    let own = strength[i];
    let (x, y) = (dx.abs(), dy.abs() << 15);
    if y < x * TAN {
        own > strength[i - 1] && own >= strength[i + 1]
    } else if y > x * TAN + (x << 16) {
        own > strength[i - width] && own >= strength[i + width]
    } else if (dx ^ dy) < 0 {
        own > strength[i - width + 1] && own > strength[i + width - 1]
    } else {
        own > strength[i - width - 1] && own > strength[i + width + 1]
    }
}

/// Horizontal and vertical 3 x 3 Sobel derivatives, edge clamp.
fn sobel(image: &Raster<u8>) -> Vec<(i32, i32)> {
    let padded = image.map(i32::from).pad_columns(1, Border::Nearest);
    let row = |y: i64| padded.row(Border::Nearest.index(y, image.height));
    let mut gradients = Vec::with_capacity(image.values.len());
    for y in 0..image.height as i64 {
        let lines = row(y - 1)
            .windows(3)
            .zip(row(y).windows(3))
            .zip(row(y + 1).windows(3));
        gradients.extend(lines.map(|((a, b), c)| {
            let dx = (a[2] - a[0]) + 2 * (b[2] - b[0]) + (c[2] - c[0]);
            let dy = (c[0] - a[0]) + 2 * (c[1] - a[1]) + (c[2] - a[2]);
            (dx, dy)
        }));
    }
    gradients
}

/// Distance of every pixel to the nearest edge by the 5 x 5 chamfer of Borgefors (1986) with steps
/// 1, 1.4 and 2.1969; about 32,768 where there is no edge.
pub(super) fn chamfer_distance(edges: &Raster<bool>) -> Raster<f64> {
    // With a border of two pixels that are far from everything.
    let width = edges.width + 4;
    let mut steps = vec![FAR; width * (edges.height + 4)];
    let inner = |y: usize| (y + 2) * width + 2..(y + 2) * width + 2 + edges.width;
    for y in 0..edges.height {
        for (step, &edge) in steps[inner(y)].iter_mut().zip(edges.row(y)) {
            *step = if edge { 0 } else { FAR };
        }
    }
    // How far back in reading order.
    let behind = BEHIND.map(|(dx, dy, cost)| ((-dy * width as i64 - dx) as usize, cost));
    let relax = |steps: &mut [u32], i: usize, ahead: bool| {
        let mut best = steps[i];
        for (back, cost) in behind {
            let j = if ahead { i + back } else { i - back };
            best = best.min(steps[j] + cost);
        }
        steps[i] = best;
    };
    for y in 0..edges.height {
        for i in inner(y) {
            relax(&mut steps, i, false);
        }
    }
    for y in (0..edges.height).rev() {
        for i in inner(y).rev() {
            relax(&mut steps, i, true);
        }
    }
    Raster {
        width: edges.width,
        height: edges.height,
        channels: 1,
        values: (0..edges.height)
            .flat_map(|y| &steps[inner(y)])
            .map(|&d| f64::from(d) / 65536.0)
            .collect(),
    }
}

/// No edge. One step more does not overflow.
const FAR: u32 = 1 << 31;

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
            row[5..].fill(200);
        }
        let edges = canny(&image, 50, 150);
        for y in 0..7 {
            let expected = [0, 0, 0, 0, 1, 0, 0, 0, 0].map(|edge| edge == 1);
            assert_eq!(edges.row(y), expected);
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
