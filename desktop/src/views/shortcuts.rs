//! What keys do: one list for handling and for the help.

use eframe::egui;
use egui::{Context, Key, KeyboardShortcut, Modifiers, Popup};

use crate::state::AppState;
use crate::state::request::{Dialog, Request};
use crate::state::view::View;

/// What a shortcut does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Action {
    /// Choose result files to open.
    Open,
    /// Choose a folder of result files to open.
    OpenFolder,
    /// Choose where to save the session.
    SaveSession,
    /// Take the last change of weights, filters or picks back.
    Undo,
    /// Make the change again.
    Redo,
    /// Write into the search field.
    Search,
    /// Select nothing.
    ClearSelection,
    /// Go to a view, counted from 1.
    View(usize),
    /// Show or hide the list of shortcuts.
    Help,
}

const COMMAND_SHIFT: Modifiers = Modifiers::COMMAND.plus(Modifiers::SHIFT);

/// All shortcuts. Where two lead to one action, the help shows the first.
pub const SHORTCUTS: &[(Action, Modifiers, Key, &str)] = &[
    (Action::OpenFolder, COMMAND_SHIFT, Key::O, "Open a folder"),
    (
        Action::Open,
        Modifiers::COMMAND,
        Key::O,
        "Open result files",
    ),
    (
        Action::SaveSession,
        Modifiers::COMMAND,
        Key::S,
        "Save the session",
    ),
    (
        Action::Redo,
        COMMAND_SHIFT,
        Key::Z,
        "Redo a change of weights, filters or picks",
    ),
    (Action::Redo, Modifiers::COMMAND, Key::Y, ""),
    (
        Action::Undo,
        Modifiers::COMMAND,
        Key::Z,
        "Undo a change of weights, filters or picks",
    ),
    (Action::Search, Modifiers::COMMAND, Key::F, "Search models"),
    (
        Action::ClearSelection,
        Modifiers::NONE,
        Key::Escape,
        "Select nothing",
    ),
    (
        Action::View(1),
        Modifiers::COMMAND,
        Key::Num1,
        "First view, and so on",
    ),
    (Action::View(2), Modifiers::COMMAND, Key::Num2, ""),
    (Action::View(3), Modifiers::COMMAND, Key::Num3, ""),
    (Action::View(4), Modifiers::COMMAND, Key::Num4, ""),
    (Action::View(5), Modifiers::COMMAND, Key::Num5, ""),
    (Action::View(6), Modifiers::COMMAND, Key::Num6, ""),
    (Action::View(7), Modifiers::COMMAND, Key::Num7, ""),
    (Action::View(8), Modifiers::COMMAND, Key::Num8, ""),
    (
        Action::Help,
        Modifiers::NONE,
        Key::F1,
        "Show or hide this list",
    ),
];

/// Keys that egui or a table handles, for the help.
pub const OTHERS: &[(&str, &str)] = &[
    ("↑ ↓", "Select the model above or below"),
    ("Ctrl+click", "Select several models"),
    ("Wheel, drag", "Zoom and move a plot"),
    ("Double click", "Show all of a plot"),
    ("← ↑ → ↓", "In a plot: go to the next point that way"),
    (
        "Space, Ctrl+Space",
        "In a plot: select the point, alone or too",
    ),
    ("+  −  0", "In a plot: zoom in, out, show all"),
    ("Tab, Space", "Move between controls and press them"),
    ("Ctrl +  Ctrl −  Ctrl 0", "Zoom in, out and back"),
];

/// The shortcut of an action, as the help shows it.
pub fn text(ctx: &Context, action: Action) -> String {
    let found = SHORTCUTS.iter().find(|shortcut| shortcut.0 == action);
    found.map_or_else(String::new, |&(_, modifiers, key, _)| {
        ctx.format_shortcut(&KeyboardShortcut::new(modifiers, key))
    })
}

/// The action whose keys were just pressed. While text is being written, what edits text is left
/// to the text.
pub fn pressed(ctx: &Context) -> Option<Action> {
    let writing = ctx.text_edit_focused();
    // Escape closes an open menu first.
    let menu = Popup::is_any_open(ctx);
    SHORTCUTS
        .iter()
        .filter(|shortcut| !(writing && edits_text(shortcut.0)))
        .filter(|shortcut| !(menu && shortcut.0 == Action::ClearSelection))
        .find(|&&(_, modifiers, key, _)| {
            ctx.input_mut(|input| input.consume_shortcut(&KeyboardShortcut::new(modifiers, key)))
        })
        .map(|shortcut| shortcut.0)
}

fn edits_text(action: Action) -> bool {
    matches!(action, Action::ClearSelection | Action::Undo | Action::Redo)
}

/// Does what concerns the state; the search field and the help are of the views.
pub fn perform(action: Action, state: &mut AppState) {
    match action {
        Action::Open => state.request(Request::Dialog(Dialog::Files)),
        Action::OpenFolder => state.request(Request::Dialog(Dialog::Folder)),
        Action::SaveSession => state.request(Request::Dialog(Dialog::SaveSession)),
        Action::Undo => state.undo(),
        Action::Redo => state.redo(),
        Action::ClearSelection => state.selection.clear(),
        Action::View(number) => {
            if let Some(&view) = View::ALL.get(number.wrapping_sub(1)) {
                state.view = view;
            }
        }
        Action::Search | Action::Help => {}
    }
}
