//! All colours, shapes and sizes. Colours are those of Okabe and Ito, told apart with any kind of
//! colour vision, and each comes with a shape.

use eframe::egui;
use egui::{
    Color32, CornerRadius, FontFamily, FontId, Margin, Painter, Pos2, Shape, Stroke, Style,
    TextStyle, Theme, Vec2, Visuals, vec2,
};
use shared::published::{Architecture, Regime};

use crate::state::groups;

/// Height of a line of a table, in points.
pub const ROW_HEIGHT: f32 = 24.0;

const BLUE: Color32 = Color32::from_rgb(0x00, 0x72, 0xb2);
const SKY: Color32 = Color32::from_rgb(0x56, 0xb4, 0xe9);
const GREEN: Color32 = Color32::from_rgb(0x00, 0x9e, 0x73);
const ORANGE: Color32 = Color32::from_rgb(0xe6, 0x9f, 0x00);
const VERMILION: Color32 = Color32::from_rgb(0xd5, 0x5e, 0x00);
const PURPLE: Color32 = Color32::from_rgb(0xcc, 0x79, 0xa7);

/// The colours of one theme.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Palette {
    dark: bool,
    /// Text.
    pub ink: Color32,
    /// What text and marks stand on.
    pub ground: Color32,
    /// What leads the eye: selections, links, the active tab.
    pub accent: Color32,
    /// Secondary text.
    pub weak: Color32,
    /// Lines between parts.
    pub line: Color32,
    /// Something went wrong.
    pub error: Color32,
    /// Something to know.
    pub warning: Color32,
    /// Rising, better.
    pub better: Color32,
    /// Falling, worse.
    pub worse: Color32,
}

impl Palette {
    /// The colours of the theme that `ui` is drawn in.
    pub fn of(ui: &egui::Ui) -> Self {
        Self::new(ui.visuals().dark_mode)
    }

    /// The colours of a dark or of a light theme.
    pub fn new(dark: bool) -> Self {
        let pick = |light: Color32, night: Color32| if dark { night } else { light };
        Self {
            dark,
            ink: pick(Color32::from_gray(0x1e), Color32::from_gray(0xe6)),
            ground: pick(Color32::from_gray(0xfa), Color32::from_gray(0x1b)),
            accent: pick(BLUE, SKY),
            weak: pick(Color32::from_gray(0x60), Color32::from_gray(0xa6)),
            line: pick(Color32::from_gray(0xdc), Color32::from_gray(0x3a)),
            error: pick(
                Color32::from_rgb(0xb0, 0x3a, 0x00),
                Color32::from_rgb(0xff, 0x8a, 0x4c),
            ),
            warning: pick(Color32::from_rgb(0x8a, 0x5a, 0x00), ORANGE),
            better: pick(BLUE, SKY),
            worse: pick(VERMILION, Color32::from_rgb(0xf0, 0x8a, 0x4b)),
        }
    }

    /// Fill of a bar: from worse over grey to better, for a goodness in [0, 1].
    pub fn goodness(&self, goodness: f32) -> Color32 {
        let middle = if self.dark {
            Color32::from_gray(0x70)
        } else {
            Color32::from_gray(0xb4)
        };
        let (end, share) = if goodness < 0.5 {
            (self.worse, (0.5 - goodness) * 2.0)
        } else {
            (self.better, (goodness - 0.5) * 2.0)
        };
        let strength = if self.dark { 0.5 } else { 0.42 };
        middle
            .lerp_to_gamma(end, share.clamp(0.0, 1.0))
            .gamma_multiply(strength)
    }

    /// Colour and shape of the n-th selected model.
    pub fn series(&self, index: usize) -> Mark {
        const FORMS: [Form; 6] = [
            Form::Circle,
            Form::Square,
            Form::Diamond,
            Form::TriangleUp,
            Form::TriangleDown,
            Form::Hexagon,
        ];
        let last = if self.dark {
            Color32::from_gray(0xc8)
        } else {
            Color32::from_gray(0x50)
        };
        let colors = [self.accent, VERMILION, GREEN, PURPLE, ORANGE, last];
        let index = index % FORMS.len();
        Mark {
            color: colors[index],
            form: FORMS[index],
        }
    }

    /// A thin line among hundreds that stand behind others.
    pub fn behind(&self) -> Color32 {
        self.weak
            .gamma_multiply(if self.dark { 0.09 } else { 0.16 })
    }

    /// Fill of a cell for a correlation in [-1, 1]: blue where positive, vermilion where negative,
    /// the stronger the fuller.
    pub fn correlation(&self, rho: f64) -> Color32 {
        let color = if rho < 0.0 { self.worse } else { self.better };
        color.gamma_multiply(0.06 + 0.7 * rho.abs().min(1.0) as f32)
    }

    /// Colour and shape of an architecture's label.
    pub fn architecture(&self, label: &str) -> Mark {
        let (color, form) = match groups::known_architecture(label) {
            Some(Architecture::Cnn) => (self.accent, Form::Circle),
            Some(Architecture::Transformer) => (VERMILION, Form::Square),
            Some(Architecture::VisionLanguage) => (GREEN, Form::Diamond),
            Some(Architecture::BCos) => (PURPLE, Form::TriangleUp),
            None => (self.weak, Form::Cross),
        };
        Mark { color, form }
    }
}

/// Makes what surrounds the cells of a table faint: lines between columns, the hovered line.
pub fn quiet_table(ui: &mut egui::Ui) {
    let line = Palette::of(ui).line.gamma_multiply(0.6);
    let widgets = &mut ui.visuals_mut().widgets;
    widgets.noninteractive.bg_stroke.color = line;
    widgets.hovered.bg_fill = line;
}

/// A shape that stands for a group.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// Disc.
    Circle,
    /// Square on its side.
    Square,
    /// Square on its corner.
    Diamond,
    /// Triangle, point up.
    TriangleUp,
    /// Triangle, point down.
    TriangleDown,
    /// Upright cross.
    Plus,
    /// Diagonal cross.
    Cross,
    /// Star of three lines.
    Asterisk,
    /// Six corners.
    Hexagon,
}

impl Form {
    /// The shape of a training regime's label.
    pub fn of_regime(label: &str) -> Self {
        match Regime::ALL.iter().find(|regime| regime.label() == label) {
            Some(Regime::Supervised) => Self::Circle,
            Some(Regime::Adversarial) => Self::Square,
            Some(Regime::SemiSupervised) => Self::Diamond,
            Some(Regime::A1 | Regime::A2 | Regime::A3) => Self::TriangleUp,
            Some(Regime::FineTuned) => Self::TriangleDown,
            Some(Regime::LinearProbe) => Self::Plus,
            Some(Regime::ZeroShot) => Self::Asterisk,
            None => Self::Cross,
        }
    }
}

/// Width of the lines of a shape of radius 1.
pub const LINE: f32 = 0.45;

const PLUS: &[Vec2] = &[Vec2::new(1.0, 0.0), Vec2::new(0.0, 1.0)];
const CROSS: &[Vec2] = &[Vec2::new(0.75, 0.75), Vec2::new(0.75, -0.75)];
const ASTERISK: &[Vec2] = &[
    Vec2::new(0.0, 1.0),
    Vec2::new(0.87, 0.5),
    Vec2::new(0.87, -0.5),
];

/// What a shape of radius 1 around the origin consists of.
#[derive(Clone, Debug, PartialEq)]
pub enum Outline {
    /// A disc of this radius.
    Disc(f32),
    /// A filled convex polygon.
    Polygon(Vec<Vec2>),
    /// Lines from minus each of these to plus each, [`LINE`] wide.
    Lines(&'static [Vec2]),
}

impl Form {
    /// Its geometry.
    pub fn outline(self) -> Outline {
        let polygon = |corners: &[(f32, f32)]| {
            Outline::Polygon(corners.iter().map(|&(x, y)| vec2(x, y)).collect())
        };
        match self {
            Self::Circle => Outline::Disc(0.9),
            Self::Square => polygon(&[(-0.8, -0.8), (0.8, -0.8), (0.8, 0.8), (-0.8, 0.8)]),
            Self::Diamond => polygon(&[(0.0, -1.1), (1.1, 0.0), (0.0, 1.1), (-1.1, 0.0)]),
            Self::TriangleUp => polygon(&[(0.0, -1.0), (1.0, 0.8), (-1.0, 0.8)]),
            Self::TriangleDown => polygon(&[(-1.0, -0.8), (1.0, -0.8), (0.0, 1.0)]),
            Self::Hexagon => Outline::Polygon(
                (0..6u8)
                    .map(|i| Vec2::angled(f32::from(i) * std::f32::consts::FRAC_PI_3))
                    .collect(),
            ),
            Self::Plus => Outline::Lines(PLUS),
            Self::Cross => Outline::Lines(CROSS),
            Self::Asterisk => Outline::Lines(ASTERISK),
        }
    }
}

/// A coloured shape.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Mark {
    /// Its colour.
    pub color: Color32,
    /// Its shape.
    pub form: Form,
}

impl Mark {
    /// Draws it around a point, within `radius` points.
    pub fn paint(self, painter: &Painter, center: Pos2, radius: f32) {
        match self.form.outline() {
            Outline::Disc(size) => {
                painter.circle_filled(center, radius * size, self.color);
            }
            Outline::Polygon(corners) => {
                let corners = corners.into_iter().map(|corner| center + corner * radius);
                let corners: Vec<Pos2> = corners.collect();
                painter.add(Shape::convex_polygon(corners, self.color, Stroke::NONE));
            }
            Outline::Lines(ends) => {
                let stroke = Stroke::new(radius * LINE, self.color);
                for &end in ends {
                    painter.line_segment([center - end * radius, center + end * radius], stroke);
                }
            }
        }
    }

    /// The same, as if behind glass.
    pub fn dimmed(self) -> Self {
        Self {
            color: self.color.gamma_multiply(0.45),
            ..self
        }
    }
}

/// Sets styles of both themes.
pub fn install(ctx: &egui::Context) {
    for theme in [Theme::Light, Theme::Dark] {
        ctx.style_mut_of(theme, |style| apply(style, theme == Theme::Dark));
    }
}

fn apply(style: &mut Style, dark: bool) {
    use FontFamily::{Monospace, Proportional};
    style.text_styles = [
        (TextStyle::Small, FontId::new(11.0, Proportional)),
        (TextStyle::Body, FontId::new(13.5, Proportional)),
        (TextStyle::Button, FontId::new(13.5, Proportional)),
        (TextStyle::Heading, FontId::new(17.0, Proportional)),
        (TextStyle::Monospace, FontId::new(12.5, Monospace)),
    ]
    .into();
    style.spacing.item_spacing = vec2(8.0, 6.0);
    style.spacing.button_padding = vec2(8.0, 3.0);
    style.spacing.interact_size.y = 22.0;
    // Scroll bars lie beside what scrolls, not over it.
    style.spacing.scroll.floating_allocated_width = 8.0;
    style.spacing.menu_margin = Margin::same(8);
    style.spacing.window_margin = Margin::same(12);
    style.visuals = visuals(dark);
}

fn visuals(dark: bool) -> Visuals {
    let palette = Palette::new(dark);
    let mut visuals = if dark {
        Visuals::dark()
    } else {
        Visuals::light()
    };
    let gray = Color32::from_gray;
    visuals.panel_fill = palette.ground;
    visuals.override_text_color = Some(palette.ink);
    if dark {
        visuals.window_fill = gray(0x22);
        visuals.extreme_bg_color = gray(0x14);
        visuals.faint_bg_color = gray(0x20);
    } else {
        visuals.window_fill = Color32::WHITE;
        visuals.extreme_bg_color = Color32::WHITE;
        visuals.faint_bg_color = gray(0xf3);
    }
    visuals.weak_text_color = Some(palette.weak);
    visuals.hyperlink_color = palette.accent;
    visuals.error_fg_color = palette.error;
    visuals.warn_fg_color = palette.warning;
    visuals.selection.bg_fill = palette
        .accent
        .gamma_multiply(if dark { 0.35 } else { 0.22 });
    visuals.selection.stroke = Stroke::new(1.0, palette.accent);
    visuals.slider_trailing_fill = true;
    visuals.widgets.noninteractive.bg_stroke = Stroke::new(1.0, palette.line);
    visuals.widgets.inactive.bg_stroke = Stroke::new(1.0, palette.line);
    for widget in [
        &mut visuals.widgets.noninteractive,
        &mut visuals.widgets.inactive,
        &mut visuals.widgets.hovered,
        &mut visuals.widgets.active,
        &mut visuals.widgets.open,
    ] {
        widget.corner_radius = CornerRadius::same(4);
    }
    visuals
}
