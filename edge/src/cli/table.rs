//! One table, printed for a terminal or as Markdown.

use std::ops::Range;

use comfy_table::{CellAlignment, ContentArrangement, Table as Comfy, TableStyle, presets};

/// Rows of text under a header; columns of numbers are aligned right.
pub(super) struct Table {
    header: Vec<String>,
    numbers: Vec<Range<usize>>,
    rows: Vec<Vec<String>>,
}

impl Table {
    /// A table whose columns `numbers` are aligned right.
    pub(super) fn new(
        header: impl IntoIterator<Item = impl Into<String>>,
        numbers: Range<usize>,
    ) -> Self {
        Self {
            header: header.into_iter().map(Into::into).collect(),
            numbers: vec![numbers],
            rows: Vec::new(),
        }
    }

    /// Aligns more columns right.
    pub(super) fn align_right(&mut self, numbers: Range<usize>) {
        self.numbers.push(numbers);
    }

    /// Adds a row.
    pub(super) fn row(&mut self, cells: impl IntoIterator<Item = impl Into<String>>) {
        self.rows.push(cells.into_iter().map(Into::into).collect());
    }

    /// Aligned columns for a terminal.
    pub(super) fn text(&self) -> String {
        self.drawn(presets::NOTHING)
    }

    /// A Markdown table.
    pub(super) fn markdown(&self) -> String {
        self.drawn(presets::ASCII_MARKDOWN)
    }

    fn drawn(&self, style: TableStyle) -> String {
        let mut table = Comfy::new();
        table
            .load_style(style)
            .set_content_arrangement(ContentArrangement::Disabled)
            .set_header(&self.header);
        for row in &self.rows {
            table.add_row(row);
        }
        for column in self.numbers.iter().cloned().flatten() {
            if let Some(column) = table.column_mut(column) {
                column.set_cell_alignment(CellAlignment::Right);
            }
        }
        let lines = table.lines().map(|line| line.trim_end().to_owned() + "\n");
        lines.collect()
    }
}
