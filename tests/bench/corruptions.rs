//! Time of every corruption on one core: `cargo bench --workspace --profile dev --bench corruptions
//! -- [RUNS [IMAGE]]` prints milliseconds per image as JSON.

use std::time::Instant;

use edge::perturb::corruption::{Frost, apply, jpeg_round_trip};
use edge::perturb::generate::{Generator, PUBLISHED_SIDE};
use edge::perturb::rng::SplitMix64;
use image::RgbImage;
use serde_json::{Map, Value, json};
use shared::outcome::{Corruption, Severity};

type Failure = Box<dyn std::error::Error>;

fn main() -> Result<(), Failure> {
    // Cargo adds `--bench`.
    let mut arguments = std::env::args().skip(1).filter(|word| word != "--bench");
    let runs = match arguments.next() {
        Some(word) => word.parse()?,
        None => 5,
    };
    let picture = match arguments.next() {
        Some(path) => edge::preprocess::decode(&std::fs::read(path)?)?,
        None => photo_like(500, 375),
    };
    let mut generator = Generator::new(PUBLISHED_SIDE)?;
    let image = generator.base(&picture);
    let frost = Frost::synthetic();
    let mut times = Map::new();
    for corruption in Corruption::ALL {
        let row = Severity::ALL.map(|severity| {
            let mut seed = 0;
            median(runs, || {
                seed += 1;
                apply(
                    &image,
                    corruption,
                    severity,
                    &frost,
                    &mut SplitMix64::new(seed),
                )
            })
        });
        times.insert(corruption.name().to_owned(), json!(row));
    }
    let storage = median(runs, || jpeg_round_trip(&image, 85));
    times.insert("jpeg85".to_owned(), json!(storage));
    times.insert(
        "crop".to_owned(),
        json!(median(runs, || generator.base(&picture))),
    );
    println!("{}", Value::Object(times));
    Ok(())
}

/// Median of `runs` times in milliseconds, after one run that fills caches and tables.
fn median(runs: usize, mut make: impl FnMut() -> RgbImage) -> f64 {
    std::hint::black_box(make());
    let mut times: Vec<f64> = (0..runs.max(1))
        .map(|_| {
            let start = Instant::now();
            std::hint::black_box(make());
            start.elapsed().as_secs_f64() * 1e3
        })
        .collect();
    times.sort_by(f64::total_cmp);
    times[times.len() / 2]
}

/// Smooth and fine structure in every channel.
fn photo_like(width: u32, height: u32) -> RgbImage {
    let mut grain = SplitMix64::new(1);
    RgbImage::from_fn(width, height, |x, y| {
        let (x, y) = (f64::from(x) / 224.0, f64::from(y) / 224.0);
        let wave = |fx: f64, fy: f64| (std::f64::consts::TAU * (fx * x + fy * y)).sin();
        let texture = wave(1.3, 0.7) + 0.5 * wave(-9.0, 13.0) + 0.3 * wave(31.0, 20.0);
        let value = |base: f64, gain: f64, grain: f64| (base + gain * texture + 20.0 * grain) as u8;
        image::Rgb([
            value(120.0, 50.0, grain.uniform()),
            value(110.0, 40.0, grain.uniform()),
            value(90.0, -30.0, grain.uniform()),
        ])
    })
}
