//! The correlations as comma-separated values: full precision, empty where there is none.

use anyhow::Result;
use shared::statistics::Estimate;

use super::Report;

const HEADER: [&str; 20] = [
    "x",
    "y",
    "from",
    "models",
    "spearman",
    "spearman_low",
    "spearman_high",
    "spearman_p",
    "kendall",
    "kendall_low",
    "kendall_high",
    "kendall_p",
    "r_squared",
    "r_squared_low",
    "r_squared_high",
    "misranked",
    "misranked_low",
    "misranked_high",
    "regret",
    "chosen",
];

/// One line per pair, or per subset of the models, under a header.
pub(super) fn report(report: &Report) -> Result<String> {
    let mut writer = csv::Writer::from_writer(Vec::new());
    writer.write_record(HEADER)?;
    for (row, p) in report.rows.iter().zip(report.p_values()) {
        let found = row.association.as_ref();
        let mut cells = vec![
            row.x.name.clone(),
            row.y.name.clone(),
            text(row.from),
            row.models.to_string(),
        ];
        cells.extend(estimate(found.map(|a| a.spearman)));
        cells.push(text(p.map(|p| p[0])));
        cells.extend(estimate(found.map(|a| a.kendall)));
        cells.push(text(p.map(|p| p[1])));
        cells.extend(estimate(found.map(|a| a.r_squared)));
        cells.extend(estimate(row.misranked()));
        let selection = row.selection.as_ref();
        cells.push(text(selection.map(|s| s.regret)));
        cells.push(text(selection.map(|s| report.names(&s.chosen).join("; "))));
        writer.write_record(cells)?;
    }
    Ok(String::from_utf8(writer.into_inner()?)?)
}

fn estimate(estimate: Option<Estimate>) -> [String; 3] {
    let interval = estimate.and_then(|e| e.interval);
    [
        text(estimate.map(|e| e.value)),
        text(interval.map(|i| i.low)),
        text(interval.map(|i| i.high)),
    ]
}

fn text(value: Option<impl ToString>) -> String {
    value.map(|v| v.to_string()).unwrap_or_default()
}
