//! The ranking as comma-separated values, for programs: full precision, empty where not measured.

use anyhow::Result;
use shared::Dimension;

use super::Report;
use super::stability::Places;

/// One line per model, best first, under a header.
pub(super) fn report(report: &Report) -> Result<String> {
    let mut writer = csv::Writer::from_writer(Vec::new());
    let mut header = vec!["model", "rank", "quba", "quba_low", "quba_high", "partial"];
    header.extend(Dimension::ALL.map(Dimension::column));
    header.extend(["black_box", "among_published", "file"]);
    if let Some(costs) = &report.front {
        header.extend([costs.field(), "pareto"]);
    }
    if report.stability.is_some() {
        header.extend(Places::FIELDS);
    }
    writer.write_record(header)?;
    for model in &report.ranking.models {
        let entry = &report.models.entries[model.index];
        let score = model.score.as_ref();
        let interval = report.intervals[model.index].as_ref().map(|i| i.interval);
        let place = report.places.get(model.index).copied().flatten();
        let mut row = vec![
            entry.name.clone(),
            text(model.rank),
            text(score.map(|s| s.value)),
            text(interval.map(|i| i.low)),
            text(interval.map(|i| i.high)),
            text(score.map(|s| s.is_partial())),
        ];
        row.extend(entry.values.iter().map(|(_, v)| text(*v)));
        row.push(text(entry.black_box.as_ref()));
        row.push(text(place.map(|p| p.rank)));
        row.push(report.models.files[model.index].display().to_string());
        if let Some(front) = &report.front {
            let (figure, best) = front.values(model.index);
            row.extend([text(figure), best.to_string()]);
        }
        if let Some(places) = &report.stability {
            row.extend(places.values(model.index));
        }
        writer.write_record(row)?;
    }
    Ok(String::from_utf8(writer.into_inner()?)?)
}

fn text(value: Option<impl ToString>) -> String {
    value.map(|v| v.to_string()).unwrap_or_default()
}
