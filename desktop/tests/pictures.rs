//! Small pictures of the window, compared with those in `pictures/`. Drawn on the CPU, they are the
//! same on every machine but for rounding. `UPDATE_PICTURES=1` replaces them, to be looked at.

#![expect(
    clippy::unwrap_used,
    clippy::panic,
    reason = "a test fails where a step fails"
)]

use std::path::Path;

use desktop::screenshot::{Picture, draw, save};
use desktop::state::filter::PublishedLayer;
use desktop::state::session::{Panels, ThemeChoice};
use desktop::state::view::View;
use image::RgbaImage;

/// A channel that differs by more counts as different.
const ROUNDING: u8 = 8;

fn check(name: &str, view: View, theme: ThemeChoice) {
    let picture = Picture {
        size: (900, 420),
        pixels_per_point: 1.0,
    };
    let drawn = draw(picture, &[], |app| {
        app.state.view = view;
        // The plots are what these pictures are about.
        if !matches!(view, View::Rank | View::Files) {
            app.state.panels = Panels {
                filters: false,
                weights: false,
            };
        }
        if matches!(view, View::Model | View::Compare | View::Parallel) {
            for name in ["Depthwise CNN", "Residual CNN"] {
                assert!(app.state.select_named(name));
            }
        }
        if view == View::Parallel {
            // Hundreds of lines make a large file.
            app.state.choices.filter.published = PublishedLayer::Hidden;
        }
        app.state.theme = theme;
    });
    let drawn = drawn.unwrap();
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/pictures");
    let path = folder.join(name);
    if std::env::var_os("UPDATE_PICTURES").is_some() {
        save(&drawn, &path).unwrap();
        return;
    }
    let expected = image::open(&path).unwrap().into_rgba8();
    let share = difference(&expected, &drawn);
    if share > 0.001 {
        let actual = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
        save(&drawn, &actual).unwrap();
        panic!(
            "{:.2} % of the pixels differ from {}; look at {} and, if it is right, run with \
             UPDATE_PICTURES=1",
            share * 100.0,
            path.display(),
            actual.display()
        );
    }
}

/// Share of the pixels that differ; all of them where the sizes do.
fn difference(a: &RgbaImage, b: &RgbaImage) -> f64 {
    if a.dimensions() != b.dimensions() {
        return 1.0;
    }
    let differ = |(a, b): &(&image::Rgba<u8>, &image::Rgba<u8>)| {
        a.0.iter().zip(b.0).any(|(a, b)| a.abs_diff(b) > ROUNDING)
    };
    let count = a.pixels().zip(b.pixels()).filter(differ).count();
    count as f64 / f64::from(a.width() * a.height())
}

#[test]
fn rank_light() {
    check("rank-light.png", View::Rank, ThemeChoice::Light);
}

#[test]
fn correlations_light() {
    check(
        "correlations-light.png",
        View::Correlations,
        ThemeChoice::Light,
    );
}

#[test]
fn files_dark() {
    check("files-dark.png", View::Files, ThemeChoice::Dark);
}

#[test]
fn scatter_light() {
    check("scatter-light.png", View::Scatter, ThemeChoice::Light);
}

#[test]
fn scatter_dark() {
    check("scatter-dark.png", View::Scatter, ThemeChoice::Dark);
}

#[test]
fn trade_off_light() {
    check("trade-off-light.png", View::TradeOff, ThemeChoice::Light);
}

#[test]
fn model_light() {
    check("model-light.png", View::Model, ThemeChoice::Light);
}

#[test]
fn compare_dark() {
    check("compare-dark.png", View::Compare, ThemeChoice::Dark);
}

#[test]
fn parallel_light() {
    check("parallel-light.png", View::Parallel, ThemeChoice::Light);
}
