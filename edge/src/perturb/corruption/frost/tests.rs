//! Frost made with pictures.

use super::*;

/// A folder with pictures of these names and sizes, each of its own content.
fn folder(files: &[(&str, u32, u32)]) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    for (i, &(name, width, height)) in files.iter().enumerate() {
        picture(i as u32, width, height)
            .save(folder.path().join(name))
            .unwrap();
    }
    folder
}

fn picture(index: u32, width: u32, height: u32) -> RgbImage {
    RgbImage::from_fn(width, height, |x, y| {
        image::Rgb([x + 40 * index, y * 3, x * y + index].map(|v| (v % 256) as u8))
    })
}

fn message(folder: &Path) -> String {
    Frost::read(folder).unwrap_err().to_string()
}

#[test]
fn pictures_are_cropped_and_blended_as_published() {
    let sizes = [
        ("b.png", 300, 260),
        ("a.png", 224, 225),
        ("c.png", 640, 480),
    ];
    let folder = folder(&sizes);
    std::fs::write(folder.path().join("notes.txt"), "about").unwrap();
    let pictures = Frost::read(folder.path()).unwrap();
    // Sorted by name.
    let sorted = [1, 0, 2].map(|i| picture(i as u32, sizes[i].1, sizes[i].2));
    let image = picture(9, 224, 224);
    let weights = [(1.0, 0.4), (0.8, 0.6), (0.7, 0.7), (0.65, 0.7), (0.6, 0.75)];
    for (severity, (a, b)) in Severity::ALL.into_iter().zip(weights) {
        for seed in 0..6 {
            let mut rng = SplitMix64::new(seed);
            let found = frost(&image, severity, &pictures, &mut rng);
            let mut draws = SplitMix64::new(seed);
            let ice = &sorted[draws.integer(0, 3) as usize];
            let top = draws.integer(0, i64::from(ice.height()) - 224) as u32;
            let left = draws.integer(0, i64::from(ice.width()) - 224) as u32;
            assert_eq!(rng.next_u64(), draws.next_u64());
            for (x, y, pixel) in image.enumerate_pixels() {
                for channel in 0..3 {
                    let ice = f64::from(ice.get_pixel(left + x, top + y)[channel]);
                    let expected = (a * f64::from(pixel[channel]) + b * ice).clamp(0.0, 255.0);
                    assert_eq!(found.get_pixel(x, y)[channel], expected.trunc() as u8);
                }
            }
        }
    }
}

#[test]
fn any_image_fits_any_picture() {
    let folder = folder(&[("a.png", 224, 224)]);
    let pictures = Frost::read(folder.path()).unwrap();
    for (width, height) in [(1, 1), (1, 500), (500, 1), (224, 900), (30, 20), (448, 448)] {
        let make = |seed| {
            let image = picture(3, width, height);
            frost(
                &image,
                Severity::ALL[1],
                &pictures,
                &mut SplitMix64::new(seed),
            )
        };
        assert_eq!(make(1), make(1));
    }
    // An even picture stays even, whatever is averaged.
    let even = RgbImage::from_pixel(250, 230, image::Rgb([100, 150, 200]));
    even.save(folder.path().join("a.png")).unwrap();
    let pictures = Frost::read(folder.path()).unwrap();
    for side in [20, 100, 224, 300] {
        let black = RgbImage::new(side, side);
        let out = frost(&black, Severity::ALL[1], &pictures, &mut SplitMix64::new(2));
        let near = |(&a, b): (&u8, u8)| a == b || a + 1 == b;
        assert!(
            out.pixels()
                .all(|p| p.0.iter().zip([60, 90, 120]).all(near))
        );
    }
}

#[test]
fn the_source_tells_pictures_apart() {
    let names = ["a.png", "b.PNG", "c.png", "d.bmp", "e.png", "f.png"];
    let six = folder(&names.map(|name| (name, 230, 224)));
    let first = Frost::read(six.path()).unwrap();
    assert_eq!(Frost::synthetic().source(), FrostSource::Synthetic);
    assert_eq!(Frost::read(six.path()).unwrap().source(), first.source());
    // The sixth is not used, nor is a hidden file.
    std::fs::remove_file(six.path().join("f.png")).unwrap();
    std::fs::write(six.path().join(".a.png"), "").unwrap();
    assert_eq!(Frost::read(six.path()).unwrap().source(), first.source());
    std::fs::remove_file(six.path().join("e.png")).unwrap();
    assert_ne!(Frost::read(six.path()).unwrap().source(), first.source());
}

#[test]
fn unusable_folders_are_explained() {
    let empty = tempfile::tempdir().unwrap();
    assert!(message(empty.path()).starts_with("no frost picture found, expected"));
    let missing = empty.path().join("missing");
    assert!(message(&missing).starts_with("cannot read the folder of frost pictures"));
    let small = folder(&[("a.png", 223, 400)]);
    assert!(message(small.path()).starts_with("frost picture of 223x400 pixels, expected"));
    let broken = folder(&[("a.png", 224, 224)]);
    std::fs::write(broken.path().join("b.jpg"), "no picture").unwrap();
    let found = message(broken.path());
    assert!(found.starts_with("frost picture: not an image"), "{found}");
    assert!(found.ends_with("b.jpg"), "{found}");
}
