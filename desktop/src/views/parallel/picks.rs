//! Picking models by ranges of values: with the pointer on an axis, or as numbers.

use eframe::egui;
use egui::{DragValue, Rect, RichText, Role, Sense, Ui, WidgetInfo};
use shared::words::plural;

use super::Lines;
use super::scene::{Scene, full_name};
use crate::analysis::axes::Axis;
use crate::state::AppState;
use crate::views::widgets::hint;

/// Half the width of an axis that the pointer can drag on.
const GRIP: f32 = 12.0;

/// Dragging along an axis picks lines, a click takes the pick back.
pub(super) fn brush(
    ui: &Ui,
    state: &mut AppState,
    scene: &Scene<'_>,
    drag: &mut Option<(usize, f64)>,
) {
    for (index, axis) in scene.lines.axes.iter().enumerate() {
        let x = scene.x(index);
        let grip = Rect::from_x_y_ranges(x - GRIP..=x + GRIP, scene.plot.y_range().expand(4.0));
        let response = ui.interact(
            grip,
            ui.scope_id().with(("axis", index)),
            Sense::click_and_drag(),
        );
        let label = format!("Pick by {}", full_name(axis));
        response.widget_info(|| WidgetInfo::labeled(Role::Button, true, &label));
        if response.drag_started() {
            let origin = ui.input(|input| input.pointer.press_origin());
            *drag = origin.map(|at| (index, scene.position(at.y)));
        }
        if let (true, Some((dragged, from)), Some(at)) =
            (response.dragged(), *drag, response.interact_pointer_pos())
            && dragged == index
        {
            state.pages.brushes.0[index] = Some(axis.brush(from, scene.position(at.y)));
        }
        if response.drag_stopped() {
            *drag = None;
        }
        if response.clicked() {
            state.pages.brushes.0[index] = None;
        }
        if response.hovered() {
            ui.set_cursor_icon(egui::CursorIcon::ResizeVertical);
        }
        response.on_hover_text(full_name(axis));
    }
}

/// The picks as numbers, for keys and for exact limits.
pub(super) fn picks(ui: &mut Ui, state: &mut AppState, lines: &Lines) {
    let brushes = &mut state.pages.brushes;
    let picked = lines
        .lines
        .iter()
        .filter(|line| brushes.pick(&line.point))
        .count();
    ui.horizontal_wrapped(|ui| {
        ui.label(format!(
            "{picked} of {}",
            plural(lines.lines.len() as u64, "model")
        ));
        ui.menu_button("Pick by", |ui| {
            for (axis, brush) in lines
                .axes
                .iter()
                .zip(&mut brushes.0)
                .filter(|(_, brush)| brush.is_none())
            {
                if ui.button(full_name(axis)).clicked() {
                    *brush = Some(axis.brush(0.5, 1.0));
                }
            }
        });
        for (axis, brush) in lines.axes.iter().zip(&mut brushes.0) {
            limits(ui, axis, brush);
        }
    });
    let how = "Better lies higher on every axis. Drag along an axis to pick models, click it to stop; \
        click a line to select it.";
    hint(ui, &format!("{how}{}", apart(state, lines)));
}

/// Why the lines of published models have no score, where they do not.
pub(super) fn apart(state: &AppState, lines: &Lines) -> &'static str {
    let apart = !state.derived().comparable && lines.lines.iter().any(|line| line.published);
    if apart {
        " Published scores are relative to another reference and left out."
    } else {
        ""
    }
}

/// The limits of a pick, where there is one.
fn limits(ui: &mut Ui, axis: &Axis, brush: &mut Option<(f64, f64)>) {
    let Some((low, high)) = brush else {
        return;
    };
    ui.separator();
    let name = ui.label(RichText::new(full_name(axis)).strong());
    let speed = ((axis.ends().0 - axis.ends().1) / 400.0).abs();
    let limit = |value| DragValue::new(value).speed(speed).max_decimals(5);
    ui.add(limit(low)).labelled_by(name.id);
    ui.label("to");
    ui.add(limit(high)).labelled_by(name.id);
    let remove = ui.small_button("Remove");
    if remove
        .on_hover_text(format!("Do not pick by {}", full_name(axis)))
        .clicked()
    {
        *brush = None;
    }
}
