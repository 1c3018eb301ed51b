//! Charts as plain data: what is shown, along which axes. [`scene`] lays one out in lines, marks
//! and texts, which the window and the exports draw alike.

mod axis;
mod labels;
mod quantity;
pub mod scene;

pub use axis::{Axis, Scale, Tick};
pub use quantity::{Quantity, dimension_interval};

use shared::statistics::{Trade, pareto_front, trades};
use shared::words::plural;

use crate::state::AppState;
use crate::state::charts::Axes;
use crate::state::filter::PublishedLayer;
use crate::state::model::{Model, ModelId};
use crate::state::row::Row;
use crate::state::view::View;

/// With more own models than this, only those of selected ones have error bars.
const BARS: usize = 40;

/// A model in a chart.
#[derive(Clone, Debug, PartialEq)]
pub struct Point {
    /// Which model.
    pub id: ModelId,
    /// Its name.
    pub name: String,
    /// Label of its family, shown as a colour.
    pub architecture: String,
    /// Label of its training regime, shown as a shape.
    pub regime: String,
    /// Figure along the horizontal axis, finite.
    pub x: f64,
    /// Figure along the vertical axis, finite.
    pub y: f64,
    /// 95 % interval of `x`, where there is one to show.
    pub x_interval: Option<(f64, f64)>,
    /// 95 % interval of `y`, where there is one to show.
    pub y_interval: Option<(f64, f64)>,
    /// Whether it is an own result.
    pub own: bool,
    /// Whether it stands behind the others.
    pub dimmed: bool,
    /// Whether it is selected.
    pub selected: bool,
}

/// Two quantities of the shown models.
#[derive(Clone, Debug, PartialEq)]
pub struct Chart {
    /// Horizontal axis.
    pub x: Axis,
    /// Vertical axis.
    pub y: Axis,
    /// The models that have both figures; those in front come last, the selected at the very end.
    pub points: Vec<Point>,
    /// Positions of the points on the Pareto front, from best to worst in `x`. Where some models
    /// stand behind, it is that of the others.
    pub front: Vec<usize>,
    /// Whether the front is drawn.
    pub shows_front: bool,
    /// Whether points are named.
    pub shows_labels: bool,
    /// What the chart leaves out, a sentence each.
    pub notes: Vec<String>,
}

impl Chart {
    /// Whether a view shows a chart.
    pub fn has(view: View) -> bool {
        matches!(view, View::Scatter | View::TradeOff)
    }

    /// The chart of a view, where it has one.
    pub fn of_view(state: &AppState, view: View) -> Option<Self> {
        let choices = &state.charts;
        match view {
            View::Scatter => Some(Self::of(state, choices.scatter, choices.front)),
            View::TradeOff => Some(Self::of(state, choices.trade_off, true)),
            _ => None,
        }
    }

    /// A chart of the shown models.
    pub fn of(state: &AppState, axes: Axes, shows_front: bool) -> Self {
        let mut points = Vec::new();
        let (mut lacking, mut incomparable) = (0, 0);
        let few = state.derived().counts(state.library.models()).0 <= BARS;
        for (model, row) in state.shown() {
            if is_incomparable(state, axes, model) {
                incomparable += 1;
                continue;
            }
            match point(state, axes, (model, row), few) {
                Some(point) => points.push(point),
                None => lacking += 1,
            }
        }
        points.sort_by_key(|point| (point.selected, !point.dimmed, point.own));
        let with_bars = |figure: f64, interval: Option<(f64, f64)>| {
            let (low, high) = interval.unwrap_or((figure, figure));
            [low, figure, high]
        };
        let x = points.iter().flat_map(|p| with_bars(p.x, p.x_interval));
        let y = points.iter().flat_map(|p| with_bars(p.y, p.y_interval));
        Self {
            x: Axis::fitting(axes.x, x),
            y: Axis::fitting(axes.y, y),
            front: front(&points, axes),
            points,
            shows_front,
            shows_labels: state.charts.labels,
            notes: notes(state, lacking, incomparable),
        }
    }

    /// What the front gives up in `x` for what it gains in `y`, from best to worst in `x`.
    pub fn trades(&self) -> Vec<Trade> {
        trades(&figures(&self.points), &self.front)
    }

    /// A heading.
    pub fn title(&self) -> String {
        let (x, y) = (self.x.quantity.name(), self.y.quantity.name());
        let mut title = format!("{y} against {x}");
        if let Some(first) = title.get_mut(..1) {
            first.make_ascii_uppercase();
        }
        title
    }
}

/// The quantities that at least one shown model has, or that another device may have.
pub fn offered(state: &AppState) -> Vec<Quantity> {
    let mut all = Quantity::all();
    let measured = !state.derived().devices.is_empty();
    all.retain(|quantity| {
        // A device can still be chosen.
        (measured && quantity.is_on_device())
            || state
                .shown()
                .any(|(model, row)| quantity.of(model, row).is_some())
    });
    all
}

/// Own and published scores that are relative to different references cannot share an axis.
fn is_incomparable(state: &AppState, axes: Axes, model: &Model) -> bool {
    let scores = axes.x == Quantity::Quba || axes.y == Quantity::Quba;
    let own = state.derived().counts(state.library.models()).0 > 0;
    scores && own && model.is_published() && !state.derived().comparable
}

fn point(state: &AppState, axes: Axes, (model, row): (&Model, &Row), few: bool) -> Option<Point> {
    let selected = state.selection.contains(&model.id);
    let interval = |quantity: Quantity| {
        let found = (few || selected).then(|| quantity.interval(state.derived(), model, row));
        found.flatten()
    };
    let behind = state.choices.filter.published == PublishedLayer::Dimmed;
    Some(Point {
        id: model.id.clone(),
        name: model.name.clone(),
        architecture: model.architecture.clone(),
        regime: model.regime.clone(),
        x: axes.x.of(model, row)?,
        y: axes.y.of(model, row)?,
        x_interval: interval(axes.x),
        y_interval: interval(axes.y),
        own: !model.is_published(),
        dimmed: behind && model.is_published(),
        selected,
    })
}

fn figures(points: &[Point]) -> Vec<[f64; 2]> {
    points.iter().map(|point| [point.x, point.y]).collect()
}

fn front(points: &[Point], axes: Axes) -> Vec<usize> {
    let directions = [axes.x.direction(), axes.y.direction()];
    let ahead = points.iter().any(|point| !point.dimmed);
    let counted: Vec<[f64; 2]> = points
        .iter()
        .map(|point| match point.dimmed && ahead {
            true => [f64::NAN; 2],
            false => [point.x, point.y],
        })
        .collect();
    pareto_front(&counted, directions)
}

fn notes(state: &AppState, lacking: usize, incomparable: usize) -> Vec<String> {
    let mut notes = Vec::new();
    if incomparable > 0 {
        notes.push(format!(
            "{} left out: their scores are relative to the study, not to {}",
            plural(incomparable as u64, "published model"),
            state.derived().reference.name
        ));
    }
    if lacking > 0 {
        notes.push(format!(
            "{} without one of the two figures",
            plural(lacking as u64, "model")
        ));
    }
    notes
}

#[cfg(test)]
mod tests;
