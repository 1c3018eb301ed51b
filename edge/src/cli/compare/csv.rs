//! The comparison as comma-separated values: full precision, empty where there is none.

use anyhow::Result;

use super::Report;

/// One line per pair and figure, under a header.
pub(super) fn report(report: &Report) -> Result<String> {
    let mut writer = csv::Writer::from_writer(Vec::new());
    writer.write_record([
        "first",
        "second",
        "figure",
        "first_value",
        "second_value",
        "difference",
        "low",
        "high",
        "p",
        "p_holm",
        "test",
        "reason",
    ])?;
    for pair in &report.pairs {
        for row in &pair.rows {
            let difference = row.difference.as_ref().ok();
            let certainty = row.certainty();
            let reason = match &row.difference {
                Err(reason) => Some(reason.to_string()),
                Ok(difference) => difference.certainty.err().map(|reason| reason.to_string()),
            };
            writer.write_record([
                pair.first.to_owned(),
                pair.second.to_owned(),
                row.name().to_owned(),
                text(difference.map(|d| d.first)),
                text(difference.map(|d| d.second)),
                text(difference.map(|d| d.value())),
                text(certainty.map(|c| c.interval.low)),
                text(certainty.map(|c| c.interval.high)),
                text(certainty.map(|c| c.p)),
                text(row.p),
                text(certainty.map(|c| c.test.name())),
                text(reason),
            ])?;
        }
    }
    Ok(String::from_utf8(writer.into_inner()?)?)
}

fn text(value: Option<impl ToString>) -> String {
    value.map(|v| v.to_string()).unwrap_or_default()
}
