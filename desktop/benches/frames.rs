//! Time per frame of every view with 326 published and 500 own models, without a graphics card:
//! `cargo bench --profile dev --bench frames`, as the application is built for daily use.
//!
//! A frame is laid out and tessellated (medians, idle and while a weight is dragged); the last
//! column is drawing it on the CPU at 1920×1080, which a window does with OpenGL instead.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};

use desktop::app::DesktopApp;
use desktop::demo;
use desktop::raster::Rasterizer;
use desktop::state::library::LoadedFile;
use desktop::state::merging::Measurements;
use desktop::state::view::View;
use eframe::egui::{ClippedPrimitive, Color32, Context, Pos2, RawInput, Rect, vec2};
use shared::Dimension;
use shared::result::Evaluation;

const OWN: usize = 500;
const FRAMES: usize = 40;
const SIZE: (u32, u32) = (1920, 1080);

fn main() -> anyhow::Result<()> {
    let ctx = Context::default();
    let mut app = DesktopApp::new(&ctx)?;
    let started = Instant::now();
    let files = files();
    println!("{OWN} results measured in {:.0?}", started.elapsed());
    let started = Instant::now();
    app.state.add_files(files);
    println!("grouped in {:.0?}", started.elapsed());
    let started = Instant::now();
    app.state.library.resample();
    println!("resampled in {:.0?}", started.elapsed());
    println!(
        "{:<12} {:>10} {:>10} {:>10}",
        "view", "idle", "weights", "raster"
    );
    let models = app.state.library.models().iter().take(3);
    let ids: Vec<_> = models.map(|model| model.id.clone()).collect();
    ids.iter().for_each(|id| app.state.selection.toggle(id));
    let mut rasterizer = Rasterizer::default();
    for view in View::ALL {
        app.state.view = view;
        let (idle, primitives) = frames(&ctx, &mut app, &mut rasterizer, false);
        let started = Instant::now();
        rasterizer.draw(&primitives, SIZE, 1.0, Color32::BLACK);
        let drawn = started.elapsed();
        let (dragged, _) = frames(&ctx, &mut app, &mut rasterizer, true);
        println!(
            "{:<12} {idle:>10.2?} {dragged:>10.2?} {drawn:>10.2?}",
            view.name()
        );
    }
    Ok(())
}

/// Median time of a frame, and the last frame.
fn frames(
    ctx: &Context,
    app: &mut DesktopApp,
    rasterizer: &mut Rasterizer,
    drag: bool,
) -> (Duration, Vec<ClippedPrimitive>) {
    let mut times = Vec::new();
    let mut primitives = Vec::new();
    for frame in 0..FRAMES {
        if drag {
            app.state.choices.weights[Dimension::ShapeBias] = 0.1 * frame as f64;
        }
        let input = RawInput {
            screen_rect: Some(Rect::from_min_size(
                Pos2::ZERO,
                vec2(SIZE.0 as f32, SIZE.1 as f32),
            )),
            time: Some(frame as f64 * 0.016),
            ..RawInput::default()
        };
        let started = Instant::now();
        let mut output = ctx.run_ui(input, |ui| app.ui(ui));
        rasterizer.update(&mut output);
        primitives = ctx.tessellate(output.shapes, output.pixels_per_point);
        times.push(started.elapsed());
    }
    times.sort();
    (times[times.len() / 2], primitives)
}

/// The demo's results over and over, each time with other names and hashes.
fn files() -> Vec<LoadedFile> {
    let demo = demo::files();
    let evaluations: Vec<Arc<Measurements>> = demo
        .into_iter()
        .filter_map(|file| file.content.ok())
        .collect();
    let numbered = evaluations.iter().cycle().take(OWN).enumerate();
    numbered
        .map(|(number, original)| {
            let mut evaluation = Evaluation::clone(&original.evaluation);
            evaluation.model.name += &format!(" {number}");
            for (byte, digit) in evaluation.model.hash.iter_mut().zip(number.to_le_bytes()) {
                *byte ^= digit;
            }
            LoadedFile {
                path: PathBuf::from(format!("/bench/{number}.quba")),
                modified: None,
                bytes: 0,
                content: Ok(Arc::new(Measurements::of(evaluation))),
            }
        })
        .collect()
}
