//! Against PIL: `edge/tests/fixtures/images/make.py` made the files and the expected pixels.

use std::path::PathBuf;

use proptest::prelude::*;
use serde::Deserialize;
use shared::result::{ChannelOrder, Interpolation, PreprocessingSource};

use super::*;

#[derive(Deserialize)]
struct DecodeCase {
    file: String,
    width: u32,
    height: u32,
    /// Largest mean absolute difference in levels.
    mean: f64,
}

#[derive(Deserialize)]
struct ResizeCase {
    file: String,
    resize: Option<Rule>,
    crop: (u32, u32),
    interpolation: String,
}

#[derive(Clone, Copy, Deserialize)]
#[serde(untagged)]
enum Rule {
    Shorter(u32),
    Exact(u32, u32),
}

fn fixture(name: &str) -> Vec<u8> {
    let folder = PathBuf::from(concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/tests/fixtures/images"
    ));
    std::fs::read(folder.join(name)).unwrap()
}

fn decode_cases() -> Vec<DecodeCase> {
    serde_json::from_slice(&fixture("decode.json")).unwrap()
}

fn preprocessing(resize: Resize, crop: (u32, u32), interpolation: Interpolation) -> Preprocessing {
    Preprocessing {
        resize,
        crop,
        interpolation,
        mean: [0.485, 0.456, 0.406],
        std: [0.229, 0.224, 0.225],
        channels: ChannelOrder::Rgb,
        source: PreprocessingSource::Defaults,
    }
}

fn take<'a>(pixels: &mut &'a [u8], width: u32, height: u32) -> &'a [u8] {
    let (head, tail) = pixels.split_at(3 * width as usize * height as usize);
    *pixels = tail;
    head
}

fn mean_difference(found: &[u8], expected: &[u8]) -> f64 {
    let sum: u64 = found
        .iter()
        .zip(expected)
        .map(|(a, b)| u64::from(a.abs_diff(*b)))
        .sum();
    sum as f64 / expected.len() as f64
}

#[test]
fn decodes_as_pil() {
    let pixels = fixture("decode.rgb");
    let mut rest = &pixels[..];
    let mut wrong = Vec::new();
    for case in decode_cases() {
        let expected = take(&mut rest, case.width, case.height);
        match decode(&fixture(&format!("decode/{}", case.file))) {
            Ok(image) if image.dimensions() != (case.width, case.height) => {
                wrong.push(format!("{}: size {:?}", case.file, image.dimensions()));
            }
            Ok(image) if mean_difference(&image, expected) > case.mean => {
                let mean = mean_difference(&image, expected);
                wrong.push(format!("{}: mean difference {mean}", case.file));
            }
            Ok(_) => {}
            Err(error) => wrong.push(format!("{}: {error}", case.file)),
        }
    }
    assert!(rest.is_empty());
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn resizes_and_crops_exactly_as_pil() {
    let pixels = fixture("resize.rgb");
    let mut rest = &pixels[..];
    let cases: Vec<ResizeCase> = serde_json::from_slice(&fixture("resize.json")).unwrap();
    for case in cases {
        let expected = take(&mut rest, case.crop.0, case.crop.1);
        let resize = match case.resize {
            None => Resize::None,
            Some(Rule::Shorter(side)) => Resize::ShorterSide(side),
            Some(Rule::Exact(width, height)) => Resize::Exact(width, height),
        };
        let interpolation = match case.interpolation.as_str() {
            "nearest" => Interpolation::Nearest,
            "bilinear" => Interpolation::Bilinear,
            "bicubic" => Interpolation::Bicubic,
            _ => Interpolation::Lanczos,
        };
        let image = decode(&fixture(&format!("resize/{}", case.file))).unwrap();
        let preprocessing = preprocessing(resize, case.crop, interpolation);
        let found = Preprocessor::new(&preprocessing).unwrap().crop_u8(&image);
        let name = format!("{} {resize:?} {:?} {interpolation:?}", case.file, case.crop);
        assert!(
            found.as_raw() == expected,
            "{name}: mean {}",
            mean_difference(&found, expected)
        );
    }
    assert!(rest.is_empty());
}

#[test]
fn normalises_with_the_bits_of_torchvision() {
    // torch: v.to(float32).div(255).sub_(mean).div_(std) with ImageNet's mean and deviation.
    let levels = [0, 1, 17, 127, 128, 200, 254, 255];
    #[rustfmt::skip]
    let expected: [[u32; 8]; 3] = [
        [0xc0078bbd, 0xc006732b, 0xbfe9d408, 0x3d6939a6, 0x3d97af32, 0x3fa74d4f, 0x400ed58a, 0x400fee1d],
        [0xc0024924, 0xc0012a4f, 0xbfde79e7, 0x3e402de4, 0x3e521b48, 0x3fbb9b9c, 0x401a4ee0, 0x401b6db7],
        [0xbfe6f809, 0xbfe4bcea, 0xbfc10b00, 0x3ed170bd, 0x3eda5d3c, 0x3fd737ef, 0x4027d834, 0x4028f5c3],
    ];
    let image = RgbImage::from_fn(8, 1, |x, _| image::Rgb([levels[x as usize]; 3]));
    let preprocessing = preprocessing(Resize::None, (8, 1), Interpolation::Bilinear);
    let mut tensor = vec![f32::NAN; 5];
    Preprocessor::new(&preprocessing)
        .unwrap()
        .tensor(&image, &mut tensor);
    let bits: Vec<u32> = tensor.iter().map(|value| value.to_bits()).collect();
    assert_eq!(bits, expected.concat());
}

#[test]
fn tensor_is_planar_in_the_model_channel_order() {
    let image = RgbImage::from_fn(2, 1, |x, _| {
        image::Rgb([10 + x as u8, 20 + x as u8, 30 + x as u8])
    });
    let mut preprocessing = preprocessing(Resize::None, (2, 1), Interpolation::Bilinear);
    preprocessing.channels = ChannelOrder::Bgr;
    (preprocessing.mean, preprocessing.std) = ([0.0; 3], [1.0 / 255.0, 2.0 / 255.0, 1.0 / 255.0]);
    let mut tensor = Vec::new();
    Preprocessor::new(&preprocessing)
        .unwrap()
        .tensor(&image, &mut tensor);
    let rounded: Vec<f32> = tensor.iter().map(|value| value.round()).collect();
    assert_eq!(rounded, [30.0, 31.0, 10.0, 11.0, 10.0, 11.0]);
}

#[test]
fn a_worker_carries_nothing_from_one_image_to_the_next() {
    let preprocessing = preprocessing(Resize::None, (9, 9), Interpolation::Bilinear);
    let mut preprocessor = Preprocessor::new(&preprocessing).unwrap();
    let (white, small) = (
        RgbImage::from_pixel(9, 9, image::Rgb([255; 3])),
        RgbImage::new(1, 1),
    );
    let (mut tensor, mut fresh) = (Vec::new(), Vec::new());
    preprocessor.clone().tensor(&small, &mut fresh);
    preprocessor.tensor(&white, &mut tensor);
    preprocessor.tensor(&small, &mut tensor);
    assert_eq!(tensor, fresh);
}

#[test]
fn a_strip_of_extreme_proportion_needs_no_more_than_its_crop() {
    for interpolation in [Interpolation::Nearest, Interpolation::Lanczos] {
        let preprocessing = preprocessing(Resize::ShorterSide(256), (224, 224), interpolation);
        let strip = RgbImage::from_pixel(1, 2_000_000, image::Rgb([7, 8, 9]));
        let crop = Preprocessor::new(&preprocessing).unwrap().crop_u8(&strip);
        assert!(crop.pixels().all(|pixel| pixel.0 == [7, 8, 9]));
    }
}

#[test]
fn impossible_values_are_refused_with_a_reason() {
    let good = preprocessing(
        Resize::ShorterSide(256),
        (224, 224),
        Interpolation::Bilinear,
    );
    let message = |bad: Preprocessing| Preprocessor::new(&bad).unwrap_err().to_string();
    assert_eq!(
        message(Preprocessing {
            crop: (0, 224),
            ..good.clone()
        }),
        "preprocessing: crop width of 0 pixels, expected 1 to 16384"
    );
    assert_eq!(
        message(Preprocessing {
            resize: Resize::ShorterSide(99_999),
            ..good.clone()
        }),
        "preprocessing: resize of the shorter side of 99999 pixels, expected 1 to 16384"
    );
    assert_eq!(
        message(Preprocessing {
            std: [0.2, 0.0, 0.2],
            ..good.clone()
        }),
        "preprocessing: std of channel 1 is 0, expected a positive number"
    );
    assert_eq!(
        message(Preprocessing {
            mean: [0.2, 0.1, f32::NAN],
            ..good
        }),
        "preprocessing: mean of channel 2 is NaN, expected a finite number"
    );
}

fn interpolations() -> impl Strategy<Value = Interpolation> {
    prop_oneof![
        Just(Interpolation::Nearest),
        Just(Interpolation::Bilinear),
        Just(Interpolation::Bicubic),
        Just(Interpolation::Lanczos),
    ]
}

fn resizes() -> impl Strategy<Value = Resize> {
    prop_oneof![
        Just(Resize::None),
        (1_u32..300).prop_map(Resize::ShorterSide),
        (1_u32..300, 1_u32..300).prop_map(|(width, height)| Resize::Exact(width, height)),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, ..ProptestConfig::default() })]

    #[test]
    fn any_size_gives_a_full_tensor_and_keeps_a_flat_colour(
        size in (1_u32..600, 1_u32..600),
        resize in resizes(),
        crop in (1_u32..300, 1_u32..300),
        interpolation in interpolations(),
        colour in any::<[u8; 3]>(),
    ) {
        let image = RgbImage::from_pixel(size.0, size.1, image::Rgb(colour));
        let preprocessing = preprocessing(resize, crop, interpolation);
        let mut preprocessor = Preprocessor::new(&preprocessing).unwrap();
        let crop_u8 = preprocessor.crop_u8(&image);
        prop_assert_eq!(crop_u8.dimensions(), crop);
        prop_assert!(crop_u8.pixels().all(|pixel| pixel.0 == colour || pixel.0 == [0; 3]));
        let mut tensor = Vec::new();
        preprocessor.tensor(&image, &mut tensor);
        prop_assert_eq!(tensor.len(), preprocessor.tensor_len());
        prop_assert!(tensor.iter().all(|value| value.is_finite()));
    }

    #[test]
    fn random_bytes_never_panic(bytes in prop::collection::vec(any::<u8>(), 0..300)) {
        let _ = decode(&bytes);
    }

    #[test]
    fn damaged_images_never_panic(
        pick in any::<prop::sample::Index>(),
        cut in any::<prop::sample::Index>(),
        flips in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 0..4),
    ) {
        let cases = decode_cases();
        let mut bytes = fixture(&format!("decode/{}", pick.get(&cases).file));
        for (at, value) in flips {
            let at = at.index(bytes.len());
            bytes[at] = value;
        }
        let _ = decode(&bytes);
        bytes.truncate(cut.index(bytes.len()));
        let _ = decode(&bytes);
    }
}
