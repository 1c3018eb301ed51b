//! The contact sheet: a row per corruption, a column per severity, the clean picture before them.

use anyhow::Result;
use image::{Rgb, RgbImage, imageops};
use rayon::prelude::*;
use shared::result::{Interpolation, Resize};

use super::picture::Base;
use super::{Job, text};
use crate::preprocess::Preprocessor;

/// Longest side of a picture on the sheet in pixels.
const LONGEST: u32 = 224;

/// Pixels between pictures, and around labels.
const GAP: u32 = 6;
const MARGIN: u32 = 14;

// Dark and neutral: fog, snow and brightness must not run into the background.
const BACKGROUND: Rgb<u8> = Rgb([32, 32, 32]);
const INK: Rgb<u8> = Rgb([235, 235, 235]);

/// Draws the contact sheet of `base`; calls `made` after each corrupted picture.
pub(super) fn draw(job: &Job, base: &Base, made: impl Fn() + Sync) -> Result<RgbImage> {
    let mut scaler = scaler(base.picture.dimensions())?;
    let clean = scaler.crop_u8(&base.picture);
    let corrupted: Vec<RgbImage> = job
        .cells()
        .into_par_iter()
        .map_init(
            || scaler.clone(),
            |scaler, (corruption, severity)| {
                let picture = base.corrupt(&job.method, corruption, severity);
                made();
                scaler.crop_u8(&picture)
            },
        )
        .collect();
    let rows: Vec<String> = job
        .corruptions
        .iter()
        .map(|&corruption| job.method.origin(corruption).label(corruption))
        .collect();
    let columns: Vec<String> = job
        .severities
        .iter()
        .map(|severity| format!("severity {}", severity.get()))
        .collect();
    Ok(arrange(&clean, &corrupted, &rows, &columns))
}

/// Brings pictures of one size to that of the sheet: long ones are reduced, short ones enlarged by
/// a whole factor with their pixels left visible.
fn scaler((width, height): (u32, u32)) -> Result<Preprocessor> {
    let long = width.max(height).max(1);
    let (size, interpolation) = if long > LONGEST {
        let reduce = |side: u32| {
            let side =
                (u64::from(side) * u64::from(LONGEST) + u64::from(long / 2)) / u64::from(long);
            (side as u32).max(1)
        };
        ((reduce(width), reduce(height)), Interpolation::Bilinear)
    } else {
        let factor = LONGEST / long;
        ((width * factor, height * factor), Interpolation::Nearest)
    };
    let resize = Resize::Exact(size.0, size.1);
    Ok(Preprocessor::for_pictures(resize, size, interpolation)?)
}

/// Places `clean` before each row of `corrupted`, which holds the rows one after the other.
fn arrange(
    clean: &RgbImage,
    corrupted: &[RgbImage],
    rows: &[String],
    columns: &[String],
) -> RgbImage {
    let headers: Vec<&str> = std::iter::once("clean")
        .chain(columns.iter().map(String::as_str))
        .collect();
    let widest = |texts: &mut dyn Iterator<Item = &str>| texts.map(text::width).max().unwrap_or(0);
    let left = MARGIN + widest(&mut rows.iter().map(String::as_str)) + MARGIN;
    let top = GAP + text::HEIGHT + GAP;
    let step_x = clean.width().max(widest(&mut headers.iter().copied())) + GAP;
    let step_y = clean.height().max(text::HEIGHT) + GAP;
    let mut sheet = RgbImage::from_pixel(
        left + step_x * headers.len() as u32,
        top + step_y * rows.len() as u32,
        BACKGROUND,
    );
    let column = |i: usize| left + step_x * i as u32;
    for (i, header) in headers.iter().enumerate() {
        text::draw(&mut sheet, (column(i), GAP), header, INK);
    }
    for (r, (name, pictures)) in rows.iter().zip(corrupted.chunks(columns.len())).enumerate() {
        let y = top + step_y * r as u32;
        let middle = y + (step_y - GAP - text::HEIGHT) / 2;
        text::draw(&mut sheet, (MARGIN, middle), name, INK);
        for (i, picture) in std::iter::once(clean).chain(pictures).enumerate() {
            imageops::replace(&mut sheet, picture, column(i).into(), y.into());
        }
    }
    sheet
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pictures_are_enlarged_by_whole_factors_and_reduced_to_the_longest_side() {
        let size = |dimensions: (u32, u32)| {
            let picture = RgbImage::new(dimensions.0, dimensions.1);
            scaler(dimensions).unwrap().crop_u8(&picture).dimensions()
        };
        assert_eq!(size((64, 64)), (192, 192));
        assert_eq!(size((40, 60)), (120, 180));
        assert_eq!(size((1, 1)), (224, 224));
        assert_eq!(size((224, 224)), (224, 224));
        assert_eq!(size((225, 225)), (224, 224));
        assert_eq!(size((30, 1024)), (7, 224));
        assert_eq!(size((1, 2000)), (1, 224));
    }

    #[test]
    fn an_enlarged_picture_keeps_its_pixels() {
        let picture = RgbImage::from_fn(100, 60, |x, y| Rgb([x as u8, y as u8, 7]));
        let enlarged = scaler((100, 60)).unwrap().crop_u8(&picture);
        for (x, y, pixel) in enlarged.enumerate_pixels() {
            assert_eq!(pixel, picture.get_pixel(x / 2, y / 2));
        }
    }

    #[test]
    fn pictures_stand_in_their_row_and_column() {
        let flat = |level| RgbImage::from_pixel(2, 3, Rgb([level, 0, 0]));
        let corrupted: Vec<RgbImage> = (1..=6).map(flat).collect();
        let rows = ["fog", "frost (synthetic)"].map(String::from);
        let columns = [1, 3, 5].map(|n| format!("severity {n}"));
        let sheet = arrange(&flat(200), &corrupted, &rows, &columns);
        let mut seen: Vec<u8> = Vec::new();
        for pixel in sheet.pixels().filter(|pixel| pixel.0[1..] == [0, 0]) {
            seen.push(pixel.0[0]);
        }
        // Two pixels of each picture, side by side, in three lines of pixels.
        let line = |levels: [u8; 4]| levels.map(|level| [level; 2]).concat().repeat(3);
        assert_eq!(seen, [line([200, 1, 2, 3]), line([200, 4, 5, 6])].concat());
        // Labels are wider than these pictures; none of them is cut.
        let right = text::width("frost (synthetic)") + 3 * text::width("severity 1");
        assert!(sheet.width() > right + text::width("clean"));
        assert!(sheet.height() >= 3 * text::HEIGHT);
    }

    #[test]
    fn labels_have_ink_and_stay_inside() {
        let mut canvas = RgbImage::from_pixel(60, 30, BACKGROUND);
        text::draw(&mut canvas, (2, 3), "g_", INK);
        let inked = |x, y| canvas.get_pixel(x, y) != &BACKGROUND;
        let across: Vec<u32> = (0..60).filter(|&x| (0..30).any(|y| inked(x, y))).collect();
        let down: Vec<u32> = (0..30).filter(|&y| (0..60).any(|x| inked(x, y))).collect();
        assert!(across.len() > 10 && across.iter().all(|&x| x < 2 + text::width("g_")));
        assert!(down.len() > 10 && down.iter().all(|&y| y < 3 + text::HEIGHT));
        // Off the canvas and outside the font: no panic.
        text::draw(&mut canvas, (50, 25), "frost ß 雪", INK);
        text::draw(&mut canvas, (500, 500), "fog", INK);
    }
}
