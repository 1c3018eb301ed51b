//! What is kept between runs and sent to colleagues: paths of files, choices, view.

use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::charts::ChartChoices;
use super::choices::{Choices, OwnPreset};
use super::pages::Pages;
use super::selection::Selection;
use super::table::TableChoices;
use super::view::View;

/// Newest version of the format that this program reads.
const VERSION: u32 = 1;

/// A session file, in JSON.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Session {
    /// Version of the format.
    pub(super) version: u32,
    /// Opened files, relative to the session file where they lie beneath its folder.
    #[serde(default)]
    pub files: Vec<PathBuf>,
    /// Whether the demo results were opened.
    #[serde(default)]
    pub demo: bool,
    /// Weights and filters.
    #[serde(default)]
    pub choices: Choices,
    /// Columns and order of the table.
    #[serde(default)]
    pub table: TableChoices,
    /// Axes and layers of the plots.
    #[serde(default)]
    pub charts: ChartChoices,
    /// Saved weights.
    #[serde(default)]
    pub presets: Vec<OwnPreset>,
    /// Selected models.
    #[serde(default)]
    pub selection: Selection,
    /// What fills the window.
    #[serde(default)]
    pub view: View,
    /// Files opened before, the latest first.
    #[serde(default)]
    pub recent: Vec<PathBuf>,
    /// Colours.
    #[serde(default)]
    pub theme: ThemeChoice,
    /// Panels beside the views.
    #[serde(default)]
    pub panels: Panels,
    /// Choices of single views.
    #[serde(default)]
    pub pages: Pages,
}

/// Which panels stand beside the views.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Panels {
    /// What chooses the shown models.
    pub filters: bool,
    /// What sets how much each dimension counts.
    pub weights: bool,
}

impl Default for Panels {
    fn default() -> Self {
        Self {
            filters: true,
            weights: true,
        }
    }
}

/// Light or dark.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ThemeChoice {
    /// As the system is set.
    #[default]
    System,
    /// Dark text on a light ground.
    Light,
    /// Light text on a dark ground.
    Dark,
}

/// Why a session cannot be opened.
#[derive(Debug, thiserror::Error)]
pub enum SessionError {
    /// Not JSON, or not of this form.
    #[error("not a session file: {0}")]
    Malformed(#[from] serde_json::Error),
    /// A later version of this program wrote it.
    #[error(
        "written by a newer version: found format {found}, expected at most {VERSION}; update \
         this program to open it"
    )]
    TooNew {
        /// Version of the file.
        found: u32,
    },
}

impl Default for Session {
    fn default() -> Self {
        Self {
            version: VERSION,
            files: Vec::new(),
            demo: false,
            choices: Choices::default(),
            table: TableChoices::default(),
            charts: ChartChoices::default(),
            presets: Vec::new(),
            selection: Selection::default(),
            view: View::default(),
            recent: Vec::new(),
            theme: ThemeChoice::default(),
            panels: Panels::default(),
            pages: Pages::default(),
        }
    }
}

impl Session {
    /// Whether a path looks like that of a session, not of a result file.
    pub fn is_named_like(path: &Path) -> bool {
        path.extension()
            .is_some_and(|extension| extension == "json")
    }

    /// Reads a session that lies in `folder`.
    ///
    /// # Errors
    /// The text is no session, or a newer one.
    pub fn from_json(text: &str, folder: &Path) -> Result<Self, SessionError> {
        #[derive(Deserialize)]
        struct Header {
            version: u32,
        }
        // The version first: a newer format need not have the same fields.
        let header: Header = serde_json::from_str(text)?;
        if header.version > VERSION {
            return Err(SessionError::TooNew {
                found: header.version,
            });
        }
        let mut session: Self = serde_json::from_str(text)?;
        for file in &mut session.files {
            *file = folder.join(&*file);
        }
        Ok(session)
    }

    /// The text of a session that will lie in `folder`.
    ///
    /// # Errors
    /// A path is not Unicode.
    pub fn to_json(&self, folder: &Path) -> Result<String, serde_json::Error> {
        let mut session = self.clone();
        for file in &mut session.files {
            if let Ok(beneath) = file.strip_prefix(folder) {
                *file = beneath.to_owned();
            }
        }
        Ok(serde_json::to_string_pretty(&session)? + "\n")
    }

    /// A copy to send to others, without what concerns only this machine.
    pub fn to_share(&self) -> Self {
        Self {
            recent: Vec::new(),
            theme: ThemeChoice::default(),
            ..self.clone()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::state::filter::Grouping;
    use crate::state::sort::Sort;
    use crate::state::table::Column;

    fn session() -> Session {
        let mut session = Session {
            files: vec!["/data/run/a.quba".into(), "/elsewhere/b.quba".into()],
            view: View::Files,
            recent: vec!["/secret".into()],
            ..Session::default()
        };
        session.choices.weights.0[0] = 2.5;
        session.charts.scatter.y = crate::chart::Quantity::Bytes;
        session
            .choices
            .filter
            .set_shown(Grouping::Regime, "zero-shot", false);
        session.table.sort = Sort::by(Column::Value(shared::Dimension::ShapeBias));
        session
    }

    #[test]
    fn sessions_travel_with_the_files_beneath_them() {
        let text = session().to_json(Path::new("/data")).unwrap();
        assert!(text.contains("\"run/a.quba\""), "{text}");
        let moved = Session::from_json(&text, Path::new("/moved")).unwrap();
        assert_eq!(
            moved.files,
            [
                PathBuf::from("/moved/run/a.quba"),
                PathBuf::from("/elsewhere/b.quba")
            ]
        );
        let same = Session::from_json(&text, Path::new("/data")).unwrap();
        assert_eq!(same, session());
        assert!(session().to_share().recent.is_empty());
    }

    #[test]
    fn what_a_session_lacks_is_as_at_first() {
        let session = Session::from_json("{\"version\":1}", Path::new("")).unwrap();
        assert_eq!(session, Session::default());
    }

    #[test]
    fn refused_sessions_say_why() {
        let message = |text: &str| {
            Session::from_json(text, Path::new(""))
                .unwrap_err()
                .to_string()
        };
        assert!(message("model,acc").starts_with("not a session file: expected value"));
        assert!(
            message("{\"version\":9,\"view\":3}")
                .starts_with("written by a newer version: found format 9")
        );
    }
}
