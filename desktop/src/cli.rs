//! Arguments, and the window or picture they ask for.

use std::path::PathBuf;

use anyhow::{Result, anyhow, bail};
use clap::{Parser, ValueEnum};
use eframe::egui;

use crate::app::DesktopApp;
use crate::screenshot::{self, Picture};
use crate::state::session::ThemeChoice;
use crate::state::view::View;

/// Opens result files, ranks models under your own weights and weighs size against quality
#[derive(Debug, Parser)]
#[command(version)]
pub struct Arguments {
    /// Result files, and folders of them (*.quba); without any, the last session or the demo results
    files: Vec<PathBuf>,

    /// Write a picture of the window to this PNG file and exit; needs no display
    #[arg(long, value_name = "PNG")]
    screenshot: Option<PathBuf>,

    /// View to show first
    #[arg(long, value_parser = parse_view)]
    view: Option<View>,

    /// Model to select by name, own results before published models; may be repeated
    #[arg(long, value_name = "NAME", requires = "screenshot")]
    select: Vec<String>,

    /// Size of the window in pixels
    #[arg(long, value_name = "WxH", default_value = "1280x800", value_parser = parse_size)]
    size: (u32, u32),

    /// Pixels for each point of the picture
    #[arg(long, value_name = "FACTOR", default_value_t = 1.0, requires = "screenshot", value_parser = parse_scale)]
    scale: f32,

    /// Colours; without this, as chosen before or as the system is set
    #[arg(long)]
    theme: Option<Colours>,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum Colours {
    Light,
    Dark,
}

impl From<Colours> for ThemeChoice {
    fn from(colours: Colours) -> Self {
        match colours {
            Colours::Light => Self::Light,
            Colours::Dark => Self::Dark,
        }
    }
}

fn parse_view(word: &str) -> Result<View, String> {
    let known = View::ALL.into_iter().find(|view| view.name() == word);
    known.ok_or_else(|| {
        let names: Vec<&str> = View::ALL.iter().map(|view| view.name()).collect();
        format!("expected one of {}", names.join(", "))
    })
}

fn parse_size(text: &str) -> Result<(u32, u32), String> {
    let size = text.split_once('x').and_then(|(width, height)| {
        Some((width.trim().parse().ok()?, height.trim().parse().ok()?))
    });
    size.filter(|&(width, height)| width > 0 && height > 0)
        .ok_or_else(|| "expected WIDTHxHEIGHT, such as 1280x800".to_owned())
}

fn parse_scale(text: &str) -> Result<f32, String> {
    let scale = text
        .parse()
        .ok()
        .filter(|scale| (0.5..=4.0).contains(scale));
    scale.ok_or_else(|| "expected a factor from 0.5 to 4".to_owned())
}

/// Opens the window, or draws the picture.
///
/// # Errors
/// No window can be opened here, or the picture cannot be written.
pub fn run(arguments: Arguments) -> Result<()> {
    match arguments.screenshot.clone() {
        Some(path) => {
            let picture = Picture {
                size: arguments.size,
                pixels_per_point: arguments.scale,
            };
            let mut unknown = None;
            let image = screenshot::draw(picture, &arguments.files, |app| {
                arguments.prepare(app);
                let mut names = arguments.select.iter();
                unknown = names.find(|name| !app.state.select_named(name));
            })?;
            if let Some(name) = unknown {
                bail!("no model to select is named '{name}'; the rank table shows the names");
            }
            screenshot::save(&image, &path)
        }
        None => window(arguments),
    }
}

impl Arguments {
    fn prepare(&self, app: &mut DesktopApp) {
        if let Some(view) = self.view {
            app.state.view = view;
        }
        if let Some(theme) = self.theme {
            app.state.theme = theme.into();
        }
    }
}

fn window(arguments: Arguments) -> Result<()> {
    let (width, height) = arguments.size;
    let options = eframe::NativeOptions {
        viewport: egui::ViewportBuilder::default()
            .with_title("QUBA")
            .with_app_id("quba-desktop")
            .with_inner_size([width as f32, height as f32])
            .with_min_inner_size([800.0, 500.0]),
        renderer: eframe::Renderer::Glow,
        ..Default::default()
    };
    let create = move |creation: &eframe::CreationContext<'_>| {
        let mut app = DesktopApp::new(&creation.egui_ctx)?;
        app.start(arguments.files.clone(), creation.storage);
        arguments.prepare(&mut app);
        Ok(Box::new(app) as Box<dyn eframe::App>)
    };
    eframe::run_native("quba-desktop", options, Box::new(create)).map_err(|error| explained(&error))
}

/// Why no window opens, and what to do.
fn explained(error: &eframe::Error) -> anyhow::Error {
    use eframe::Error::{Glutin, NoGlutinConfigs, OpenGL, Winit, WinitEventLoop};
    match error {
        Winit(_) | WinitEventLoop(_) => anyhow!(
            "no display can be reached, so no window opens; log in graphically (on Linux, DISPLAY or \
             WAYLAND_DISPLAY names the display), or draw a picture with --screenshot"
        ),
        Glutin(_) | NoGlutinConfigs(..) | OpenGL(_) => anyhow!(
            "no OpenGL 2.1 or newer can be started, so no window opens; Mesa offers it without a \
             graphics card, and --screenshot needs none ({error})"
        ),
        _ => anyhow!("cannot start: {error}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_views_and_scales() {
        assert_eq!(parse_size("2560x1440"), Ok((2560, 1440)));
        for wrong in ["", "1280", "0x5", "axb", "-1x4"] {
            assert!(parse_size(wrong).is_err(), "{wrong}");
        }
        for view in View::ALL {
            assert_eq!(parse_view(view.name()), Ok(view));
        }
        assert!(parse_view("map").is_err_and(|e| e.starts_with("expected one of rank")));
        assert!(parse_scale("9").is_err());
    }

    #[test]
    fn arguments_are_well_formed() {
        use clap::CommandFactory;
        Arguments::command().debug_assert();
    }
}
