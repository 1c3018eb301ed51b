//! Fixtures (computed by executing the reference definitions) and properties of all corruptions.

use image::RgbImage;
use serde::Deserialize;
use shared::outcome::{Corruption, Severity};

use super::super::rng::SplitMix64;
use super::{Raster, apply, corrupt};

#[derive(Deserialize)]
struct Fixtures {
    positions_yx: Vec<[usize; 2]>,
    #[serde(rename = "SEED0")]
    seed: u64,
    rows: Vec<Row>,
}

#[derive(Deserialize)]
struct Row {
    c: String,
    s: u8,
    draws: u64,
    mean: [f64; 3],
    std: [f64; 3],
    mean_u8: [f64; 3],
    samples: Vec<[f64; 3]>,
}

fn fixtures() -> Fixtures {
    serde_json::from_str(include_str!(
        "../../../tests/fixtures/corruption_fixtures.json"
    ))
    .unwrap()
}

/// The fixtures' image, here for any size.
fn synthetic(width: u32, height: u32) -> RgbImage {
    let (w, h) = ((width - 1).max(1), (height - 1).max(1));
    RgbImage::from_fn(width, height, |x, y| {
        let blue = ((x / 16 + y / 16) % 2) * 160 + (x * 7 + y * 13) % 64;
        image::Rgb([(x * 255 / w) as u8, (y * 255 / h) as u8, blue as u8])
    })
}

fn moments(values: &Raster) -> ([f64; 3], [f64; 3]) {
    let pixels = (values.width * values.height) as f64;
    let channel = |c: usize| values.values.iter().skip(c).step_by(3);
    let mean = [0, 1, 2].map(|c| channel(c).sum::<f64>() / pixels);
    let deviation =
        [0, 1, 2].map(|c| (channel(c).map(|v| (v - mean[c]).powi(2)).sum::<f64>() / pixels).sqrt());
    (mean, deviation)
}

fn largest_gap(a: [f64; 3], b: [f64; 3]) -> f64 {
    (0..3).map(|c| (a[c] - b[c]).abs()).fold(0.0, f64::max)
}

/// How far `row` is missed: mean, deviation, truncated mean, worst sample, mean sample.
fn misses(row: &Row, fixtures: &Fixtures, index: u64) -> [f64; 5] {
    let corruption: Corruption = row.c.parse().unwrap();
    let severity = Severity::try_from(row.s).unwrap();
    let seed = fixtures.seed + 1000 * index + u64::from(row.s);
    let mut rng = SplitMix64::new(seed);
    let out = corrupt(&synthetic(224, 224), corruption, severity, &mut rng);
    let mut counted = SplitMix64::new(seed);
    for _ in 0..row.draws {
        counted.next_u64();
    }
    assert_eq!(
        counted.next_u64(),
        rng.next_u64(),
        "{} {}: number of draws",
        row.c,
        row.s
    );
    let (mean, deviation) = moments(&out);
    let gaps: Vec<f64> = fixtures
        .positions_yx
        .iter()
        .zip(&row.samples)
        .map(|(&[y, x], &sample)| {
            let pixel = &out.row(y)[x * 3..x * 3 + 3];
            largest_gap([pixel[0], pixel[1], pixel[2]], sample)
        })
        .collect();
    let truncated = moments(&out.map(f64::trunc)).0;
    [
        largest_gap(mean, row.mean),
        largest_gap(deviation, row.std),
        largest_gap(truncated, row.mean_u8),
        gaps.iter().copied().fold(0.0, f64::max),
        gaps.iter().sum::<f64>() / gaps.len() as f64,
    ]
}

#[test]
fn print_misses() {
    let fixtures = fixtures();
    let mut names: Vec<&str> = fixtures.rows.iter().map(|row| row.c.as_str()).collect();
    names.dedup();
    for row in &fixtures.rows {
        let index = names.iter().position(|&name| name == row.c).unwrap() as u64;
        println!(
            "{:18} {} {:.5?}",
            row.c,
            row.s,
            misses(row, &fixtures, index)
        );
    }
}
