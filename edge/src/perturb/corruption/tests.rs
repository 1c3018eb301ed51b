//! Fixtures (computed by executing the reference definitions) and properties of all corruptions.

use image::RgbImage;
use proptest::prelude::*;
use serde::Deserialize;
use shared::outcome::{Corruption, Severity};

use super::super::rng::SplitMix64;
use super::{Corrupted, Frost, Raster, jpeg_round_trip};

/// [`super::apply`] with synthetic frost.
fn apply(
    image: &RgbImage,
    corruption: Corruption,
    severity: Severity,
    rng: &mut SplitMix64,
) -> RgbImage {
    super::apply(image, corruption, severity, &Frost::synthetic(), rng)
}

/// Levels of [`super::corrupt`] with synthetic frost.
fn corrupt(
    image: &RgbImage,
    corruption: Corruption,
    severity: Severity,
    rng: &mut SplitMix64,
) -> Raster {
    match super::corrupt(image, corruption, severity, &Frost::synthetic(), rng) {
        Corrupted::Bytes(out) => Raster::levels(&out),
        Corrupted::Levels(levels) => levels,
    }
}

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
    let channel = |c: usize| {
        let values = values.values.iter().skip(c).step_by(3);
        values.map(|&v| f64::from(v))
    };
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
            largest_gap([0, 1, 2].map(|c| f64::from(pixel[c])), sample)
        })
        .collect();
    let truncated = moments(&out.map(f32::trunc)).0;
    [
        largest_gap(mean, row.mean),
        largest_gap(deviation, row.std),
        largest_gap(truncated, row.mean_u8),
        gaps.iter().copied().fold(0.0, f64::max),
        gaps.iter().sum::<f64>() / gaps.len() as f64,
    ]
}

/// Allowed misses of `misses`: mean and deviation, worst sample, mean sample.
fn tolerances(corruption: Corruption) -> [f64; 3] {
    match corruption {
        // Truncation of values within 1e-15 of an integer.
        Corruption::GlassBlur => [0.1, 0.5, 0.2],
        // Another DCT implementation: coefficients next to a rounding boundary differ.
        Corruption::JpegCompression => [0.5, 6.0, 1.0],
        // Also those computed in f32, whose last bit is a thousandth of that.
        _ => [1e-3, 1e-3, 1e-3],
    }
}

#[test]
fn fixtures_are_met() {
    let fixtures = fixtures();
    let mut names: Vec<&str> = fixtures.rows.iter().map(|row| row.c.as_str()).collect();
    names.dedup();
    assert_eq!(names.len(), 18, "all but frost");
    for row in &fixtures.rows {
        let index = names.iter().position(|&name| name == row.c).unwrap() as u64;
        let missed = misses(row, &fixtures, index);
        let [moments, worst, average] = tolerances(row.c.parse().unwrap());
        let met = missed[0] <= moments && missed[1] <= moments && missed[3] <= worst;
        // Means after truncation hang on the last bit of values that should be whole.
        let met = met && missed[2] <= 0.15f64.max(moments) && missed[4] <= average;
        assert!(met, "{} {}: {missed:?}", row.c, row.s);
    }
}

/// Smooth and fine structure whose size is relative to the image.
fn photo_like(width: u32, height: u32) -> RgbImage {
    let side = f64::from(width.min(height));
    RgbImage::from_fn(width, height, |x, y| {
        let (x, y) = (f64::from(x) / side, f64::from(y) / side);
        let wave = |fx: f64, fy: f64| (std::f64::consts::TAU * (fx * x + fy * y)).sin();
        let disk = f64::from(u8::from((x - 0.5).hypot(y - 0.5) < 0.3));
        let texture = wave(5.0, 3.0) + wave(-9.0, 13.0) + 0.7 * wave(21.0, 10.0);
        let value = |base: f64, gain: f64| (base + gain * disk + 16.0 * texture) as u8;
        image::Rgb([value(90.0, 60.0), value(110.0, -30.0), value(80.0, 20.0)])
    })
}

fn distance(a: &RgbImage, b: &RgbImage) -> f64 {
    let sum: u64 = a
        .iter()
        .zip(b.iter())
        .map(|(a, b)| u64::from(a.abs_diff(*b)))
        .sum();
    sum as f64 / a.as_raw().len() as f64
}

/// Mean distance to `image` over four seeds, by severity.
fn distances(image: &RgbImage, corruption: Corruption) -> [f64; 5] {
    Severity::ALL.map(|severity| {
        let corrupted = |seed| apply(image, corruption, severity, &mut SplitMix64::new(seed));
        (0..4)
            .map(|seed| distance(image, &corrupted(seed)))
            .sum::<f64>()
            / 4.0
    })
}

#[test]
fn distance_grows_with_severity() {
    // The others are not ordered by their published parameters either.
    let ordered = Corruption::ALL.into_iter().filter(|corruption| {
        use Corruption::*;
        !matches!(
            corruption,
            GlassBlur | Snow | Frost | ElasticTransform | Saturate | Spatter
        )
    });
    for corruption in ordered {
        for side in [64, 224] {
            let found = distances(&photo_like(side, side), corruption);
            assert!(
                found.is_sorted_by(|a, b| a < b),
                "{corruption} at {side}: {found:?}"
            );
        }
    }
}

#[test]
fn effect_is_the_same_relative_to_the_object() {
    use Corruption::*;
    // Corruptions whose lengths scale: the mean distance at 112 pixels is about that at 224.
    for corruption in [
        DefocusBlur,
        GaussianBlur,
        MotionBlur,
        Snow,
        Frost,
        Fog,
        ElasticTransform,
    ] {
        let [small, large] = [112, 224].map(|side| distances(&photo_like(side, side), corruption));
        for (a, b) in small.iter().zip(large) {
            assert!(
                (a / b - 1.0).abs() < 0.35,
                "{corruption}: {small:?} {large:?}"
            );
        }
    }
}

#[test]
fn frost_textures_are_blended_as_published() {
    // On black, frost is the texture times its weight; the five
    // photographs are equally likely.
    let black = RgbImage::new(64, 64);
    let mut sums = [0.0; 3];
    let mut rng = SplitMix64::new(11);
    for _ in 0..400 {
        let (mean, _) = moments(&corrupt(
            &black,
            Corruption::Frost,
            Severity::ALL[0],
            &mut rng,
        ));
        sums = [0, 1, 2].map(|c| sums[c] + mean[c] / 400.0);
    }
    let expected = [146.0, 166.6, 179.2].map(|mean| 0.4 * mean);
    // The standard deviation of a crop's mean is about 20 levels before weighting.
    assert!(
        largest_gap(sums, expected) < 4.0 * 0.4 * 50.0 / 20.0,
        "{sums:?}"
    );
}

#[derive(Deserialize)]
struct CodecFixtures {
    jpeg: Vec<CodecRow>,
    pixelate: Vec<CodecRow>,
}

#[derive(Deserialize)]
struct CodecRow {
    width: u32,
    height: u32,
    /// JPEG quality, or severity of pixelate.
    setting: u8,
    /// RGB, row-major.
    values: Vec<u8>,
}

/// Made with Pillow 13 from the synthetic image: `save(quality=…, subsampling=2)`, and BOX `resize`
/// down and up, at sizes that are no multiple of a block.
fn codec_fixtures() -> CodecFixtures {
    serde_json::from_str(include_str!("../../../tests/fixtures/codec_fixtures.json")).unwrap()
}

#[test]
fn jpeg_decodes_to_what_a_real_codec_gives_at_odd_sizes() {
    for row in codec_fixtures().jpeg {
        let out = jpeg_round_trip(&synthetic(row.width, row.height), row.setting);
        let gaps: Vec<u8> = out
            .iter()
            .zip(&row.values)
            .map(|(a, b)| a.abs_diff(*b))
            .collect();
        assert_eq!(gaps.len(), row.values.len());
        let mean = gaps.iter().map(|&gap| f64::from(gap)).sum::<f64>() / gaps.len() as f64;
        let far = gaps.iter().filter(|&&gap| gap > 6).count();
        assert!(
            mean <= 1.0 && far * 100 <= gaps.len(),
            "quality {}: {mean} {far}",
            row.setting
        );
    }
}

#[test]
fn pixelate_equals_the_resampler_at_odd_sizes() {
    for row in codec_fixtures().pixelate {
        let severity = Severity::try_from(row.setting).unwrap();
        let image = synthetic(row.width, row.height);
        let out = apply(
            &image,
            Corruption::Pixelate,
            severity,
            &mut SplitMix64::new(0),
        );
        assert!(
            *out.as_raw() == row.values,
            "{} x {}",
            row.width,
            row.height
        );
    }
}

fn check_any_size(image: &RgbImage, severity: Severity, seed: u64) {
    for corruption in Corruption::ALL {
        let run = || apply(image, corruption, severity, &mut SplitMix64::new(seed));
        let out = run();
        assert_eq!(out.dimensions(), image.dimensions(), "{corruption}");
        assert!(out == run(), "{corruption} is not deterministic");
    }
}

#[test]
fn extreme_shapes_are_accepted() {
    for (width, height) in [
        (0, 0),
        (0, 5),
        (1, 1),
        (2, 1),
        (1, 2),
        (2, 2),
        (3, 200),
        (200, 3),
    ] {
        for severity in Severity::ALL {
            check_any_size(
                &RgbImage::from_pixel(width, height, image::Rgb([9, 99, 255])),
                severity,
                1,
            );
        }
    }
    // A black image divides by nothing.
    check_any_size(&RgbImage::new(30, 20), Severity::ALL[4], 2);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn any_size_keeps_its_shape(
        width in 1u32..=80,
        height in 1u32..=80,
        severity in 1u8..=5,
        seed: u64,
    ) {
        check_any_size(&synthetic(width, height), Severity::try_from(severity).unwrap(), seed);
    }
}
