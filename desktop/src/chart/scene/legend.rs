//! What colours, shapes and lines mean.

use eframe::egui::{Color32, Pos2, Rect, vec2};

use super::Item;
use crate::chart::Chart;
use crate::state::filter::Grouping;
use crate::theme::{Form, Mark, Palette};

/// Room between entries.
const BETWEEN: f32 = 16.0;
/// Width of a key with the room after it.
const KEY: f32 = 16.0;

/// What stands before the words of an entry.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Key {
    Color(Color32),
    Form(Form),
    Front,
}

/// An entry, or a heading where it has no key.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Entry {
    pub key: Option<Key>,
    pub text: String,
}

impl Entry {
    /// Where the words start.
    pub fn indent(&self) -> f32 {
        if self.key.is_some() { KEY } else { 0.0 }
    }
}

/// All entries: a list for colours, one for shapes.
pub(super) struct Legend(Vec<Vec<Entry>>);

impl Legend {
    pub fn of(chart: &Chart, palette: Palette) -> Self {
        let mut colors: Vec<Entry> = Vec::new();
        let mut forms: Vec<(Form, Vec<&str>)> = Vec::new();
        for point in &chart.points {
            let color = palette.architecture(&point.architecture).color;
            let key = Some(Key::Color(color));
            let text = point.architecture.clone();
            let entry = Entry { key, text };
            if !colors.contains(&entry) {
                colors.push(entry);
            }
            let form = Form::of_regime(&point.regime);
            match forms.iter_mut().find(|(other, _)| *other == form) {
                Some((_, regimes)) if regimes.contains(&point.regime.as_str()) => {}
                Some((_, regimes)) => regimes.push(&point.regime),
                None => forms.push((form, vec![&point.regime])),
            }
        }
        colors.sort_by(|a, b| a.text.cmp(&b.text));
        let mut forms: Vec<Entry> = forms
            .into_iter()
            .map(|(form, mut regimes)| {
                regimes.sort_unstable();
                let text = match (form, regimes.as_slice()) {
                    (Form::Cross, [_, _, ..]) => "other".to_owned(),
                    _ => regimes.join(", "),
                };
                let key = Some(Key::Form(form));
                Entry { key, text }
            })
            .collect();
        forms.sort_by(|a, b| a.text.cmp(&b.text));
        if chart.shows_front && chart.front.len() > 1 {
            colors.push(Entry {
                key: Some(Key::Front),
                text: "Pareto front".to_owned(),
            });
        }
        let titled = |grouping: Grouping, mut entries: Vec<Entry>| {
            entries.insert(
                0,
                Entry {
                    key: None,
                    text: grouping.label().to_owned(),
                },
            );
            entries
        };
        Self(vec![
            titled(Grouping::Architecture, colors),
            titled(Grouping::Regime, forms),
        ])
    }

    /// The entries in rows no wider than `width`, each with its place from the left.
    pub fn rows(self, width: f32, measure: &dyn Fn(&str) -> f32) -> Vec<Vec<(f32, Entry)>> {
        let headings = self.0.iter().filter_map(|list| list.first());
        let start = headings.map(|heading| measure(&heading.text));
        let start = start.fold(0.0, f32::max) + BETWEEN;
        let mut rows = Vec::new();
        for list in self.0 {
            let mut row: Vec<(f32, Entry)> = Vec::new();
            let mut x = start;
            for entry in list {
                if entry.key.is_none() {
                    row.push((0.0, entry));
                    continue;
                }
                let wide = entry.indent() + measure(&entry.text);
                if x + wide > width && x > start {
                    rows.push(std::mem::take(&mut row));
                    x = start;
                }
                row.push((x, entry));
                x += wide + BETWEEN;
            }
            rows.push(row);
        }
        rows
    }
}

/// Draws a key that starts at a place.
pub(super) fn key(key: Key, at: Pos2, palette: Palette) -> Item {
    let center = at + vec2(5.0, 0.0);
    match key {
        Key::Color(color) => Item::Fill {
            rect: Rect::from_center_size(center, vec2(11.0, 8.0)),
            color,
            corner: 2.0,
        },
        Key::Form(form) => Item::Mark {
            mark: Mark {
                color: palette.ink,
                form,
            },
            at: center,
            radius: 4.5,
        },
        Key::Front => Item::Line {
            points: vec![at - vec2(1.0, 0.0), at + vec2(11.0, 0.0)],
            color: palette.accent.gamma_multiply(0.8),
            width: 1.8,
        },
    }
}
