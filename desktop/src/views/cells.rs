//! The cells of the rank table.

use eframe::egui;
use egui::{
    Align, Label, Layout, Rect, RichText, Role, TextStyle, TextWrapMode, Ui, WidgetInfo,
    WidgetText, pos2, vec2,
};
use shared::Dimension;
use shared::uncertainty::QubaInterval;
use shared::words::{NOT_MEASURED, value};

use super::columns::is_number;
use super::widgets::{Sign, above, mark, sign};
use crate::chart::dimension_interval;
use crate::state::model::{Model, Source};
use crate::state::row::Row;
use crate::state::table::{CellStyle, Column};
use crate::state::words;
use crate::theme::Palette;

/// z-scores from this on fill the bar.
const FULL: f64 = 2.5;

/// What a percentile means.
pub fn beats(share: f64) -> String {
    format!(
        "better than {} % of the published models",
        words::percentile(share)
    )
}

/// What a cell is drawn from.
pub struct Cell<'a> {
    /// The model of the line.
    pub model: &'a Model,
    /// What was computed for it.
    pub row: &'a Row,
    /// The 95 % interval of the score, where there is one.
    pub interval: Option<&'a QubaInterval>,
    /// How the nine figures are written.
    pub style: CellStyle,
    /// Whether the line stands behind others.
    pub dimmed: bool,
    /// Whether the line is selected.
    pub selected: bool,
}

impl Cell<'_> {
    /// Draws the cell of a column.
    pub fn ui(&self, ui: &mut Ui, column: Column) {
        if let Column::Value(dimension) = column {
            self.bar(ui, dimension);
        }
        if is_number(column) {
            ui.with_layout(Layout::right_to_left(Align::Center), |ui| {
                ui.add_space(3.0);
                self.number(ui, column);
            });
        } else if column == Column::Model {
            self.name(ui);
        } else {
            let text = match column {
                Column::Architecture => self.model.architecture.clone(),
                Column::PretrainingData => self.model.pretraining_data.clone(),
                Column::Regime => self.model.regime.clone(),
                _ => self.model.devices.join(", "),
            };
            ui.add(Label::new(self.ink(ui, &text)).truncate());
        }
    }

    fn ink(&self, ui: &Ui, text: &str) -> RichText {
        let text = RichText::new(text);
        if self.dimmed {
            text.color(Palette::of(ui).weak)
        } else {
            text
        }
    }

    fn name(&self, ui: &mut Ui) {
        let mut group = Palette::of(ui).architecture(&self.model.architecture);
        if self.dimmed {
            group = group.dimmed();
        }
        mark(ui, group, &self.model.architecture).on_hover_text(&self.model.architecture);
        if !self.model.notes.is_empty() && self.model.is_published() {
            let flags: Vec<&str> = self.model.flags().map(|flag| flag.word()).collect();
            let words = flags.join(", ");
            let hover = format!("{words}: {}", self.model.notes.join("\n"));
            sign(ui, Sign::Warning, Palette::of(ui).warning, &words).on_hover_text(hover);
        }
        let mut name = self.ink(ui, &self.model.name);
        if !self.dimmed {
            name = name.strong();
        }
        let response = ui.add(Label::new(name).truncate());
        response.widget_info(|| {
            WidgetInfo::selected(Role::ListBoxOption, true, self.selected, &self.model.name)
        });
        response.on_hover_ui(|ui| self.card(ui));
        let detail = RichText::new(&self.model.detail).small();
        let detail = WidgetText::from(detail.color(Palette::of(ui).weak));
        let wrap = Some(TextWrapMode::Extend);
        let width = detail
            .clone()
            .into_galley(ui, wrap, f32::INFINITY, TextStyle::Small);
        // What only a part fits of is read on the card.
        if !detail.is_empty() && width.size().x <= ui.available_width() {
            ui.label(detail);
        }
    }

    /// What the table has no room for.
    fn card(&self, ui: &mut Ui) {
        let model = self.model;
        ui.label(RichText::new(&model.name).strong());
        let paper = match &model.source {
            Source::Published(row) => row.paper.clone(),
            Source::Own(own) => own.evaluation.model.grouping.paper.clone(),
        };
        let device = model.devices.join(", ");
        for (name, text) in [
            ("architecture", &model.architecture),
            ("pre-training data", &model.pretraining_data),
            ("training", &model.regime),
            ("device", &device),
            ("paper", &paper),
        ] {
            if !text.is_empty() {
                ui.label(format!("{name}: {text}"));
            }
        }
        for note in &model.notes {
            ui.label(RichText::new(note).small().color(Palette::of(ui).warning));
        }
    }

    fn number(&self, ui: &mut Ui, column: Column) {
        let palette = Palette::of(ui);
        let row = self.row;
        let or_dash = |text: Option<String>| text.unwrap_or_else(|| NOT_MEASURED.to_owned());
        match column {
            Column::Change => self.change(ui),
            Column::Quba => self.score(ui),
            Column::Value(dimension) => self.figure(ui, dimension),
            _ => {
                let text = match column {
                    Column::Position => row.position.map(|rank| rank.to_string()),
                    Column::Rank => row.rank.map(|rank| rank.to_string()),
                    Column::Bytes => self.model.bytes.map(words::bytes),
                    Column::Macs => self.model.macs.map(words::macs),
                    Column::Latency => row.latency(self.model).map(words::milliseconds),
                    Column::Throughput => row.throughput(self.model).map(words::images_per_s),
                    _ => row.place.map(|place| place.to_string()),
                };
                let text = self.ink(ui, &or_dash(text));
                let text = if column == Column::Position {
                    text.color(palette.weak)
                } else {
                    text
                };
                ui.label(text);
            }
        }
    }

    /// The score, with its interval beneath where there is one.
    fn score(&self, ui: &mut Ui) {
        let Some(score) = &self.row.score else {
            ui.label(self.ink(ui, NOT_MEASURED).strong());
            return;
        };
        let names = |dimensions: &[Dimension]| {
            let names: Vec<&str> = dimensions.iter().map(|d| d.name()).collect();
            names.join(", ")
        };
        let mark = if score.is_partial() { "*" } else { "" };
        let number = self.ink(ui, &format!("{:.4}{mark}", score.value)).strong();
        let mut words = Vec::new();
        if let Some(share) = self.row.score_percentile {
            words.push(beats(share));
        }
        if score.is_partial() {
            words.push(format!("partial, without {}", names(&score.missing)));
        }
        let response = match self.interval {
            None => ui.label(number),
            Some(found) => {
                let (low, high) = (found.interval.low, found.interval.high);
                words.push(format!("95 % interval: {low:.4} to {high:.4}"));
                if !found.held_fixed.is_empty() {
                    let fixed = names(&found.held_fixed);
                    words.push(format!("the uncertainty of {fixed} is not in it"));
                }
                above(ui, number, &format!("{low:.2} to {high:.2}"))
            }
        };
        if !words.is_empty() {
            response.on_hover_text(words.join("\n"));
        }
    }

    fn change(&self, ui: &mut Ui) {
        let palette = Palette::of(ui);
        let Some(change) = self.row.change().filter(|&change| change != 0) else {
            return;
        };
        let (direction, color, word) = if change > 0 {
            (Sign::Up, palette.better, "up")
        } else {
            (Sign::Down, palette.worse, "down")
        };
        let before = self.row.default_rank.unwrap_or_default();
        ui.spacing_mut().item_spacing.x = 2.0;
        ui.label(RichText::new(change.unsigned_abs().to_string()).color(color))
            .on_hover_text(format!("rank {before} with the study's weights"));
        let label = format!("{word} {} ranks", change.unsigned_abs());
        sign(ui, direction, color, &label);
    }

    fn figure(&self, ui: &mut Ui, dimension: Dimension) {
        let measured = self.model.values[dimension];
        let mut text = match self.style {
            CellStyle::Value => value(dimension, measured),
            CellStyle::ZScore => match self.row.z[dimension] {
                Some(z) => format!("{z:+.2}"),
                None => NOT_MEASURED.to_owned(),
            },
            CellStyle::Percentile => self.row.percentiles[dimension]
                .map_or_else(|| NOT_MEASURED.to_owned(), words::percentile),
        };
        let own = self.model.measurements();
        let black_box = own.and_then(|own| own.entry.black_box.as_ref());
        if black_box.is_some() && dimension == Dimension::AdversarialRobustness {
            text += "†";
        }
        let mut label = ui.label(self.ink(ui, &text));
        if let Some((low, high)) = dimension_interval(self.model, dimension) {
            let (low, high) = (value(dimension, Some(low)), value(dimension, Some(high)));
            label = label.on_hover_text(format!("95 % interval: {low} to {high}"));
        }
        if let (CellStyle::Percentile, Some(share)) = (self.style, self.row.percentiles[dimension])
        {
            let measured = value(dimension, measured);
            label = label.on_hover_text(format!("{measured}, {}", beats(share)));
        }
        let reason = own.and_then(|own| own.measured[dimension].as_ref().err());
        if let Some(reason) = reason {
            label.on_hover_text(format!("not measured: {reason}"));
        }
    }

    /// A bar behind the number, long and blue where good.
    fn bar(&self, ui: &Ui, dimension: Dimension) {
        let Some(z) = self.row.z[dimension] else {
            return;
        };
        let goodness = (0.5 + z / (2.0 * FULL)).clamp(0.02, 1.0) as f32;
        let mut color = Palette::of(ui).goodness(goodness);
        if self.dimmed {
            color = color.gamma_multiply(0.45);
        }
        let room = ui.max_rect().shrink2(vec2(1.0, 3.0));
        let end = room.left() + room.width() * goodness;
        let bar = Rect::from_min_max(room.min, pos2(end, room.bottom()));
        ui.painter().rect_filled(bar, 2.0, color);
    }
}
