use shared::Dimension;

use super::*;
use crate::demo;
use crate::state::filter::PublishedLayer;
use crate::state::view::View;

fn state() -> AppState {
    let mut state = AppState::default();
    state.add_files(demo::files());
    state.view = View::Scatter;
    state.refresh();
    state
}

fn text(state: &AppState, export: Export) -> String {
    String::from_utf8(content(state, export).unwrap()).unwrap()
}

/// A result whose name holds what every format takes for its own.
fn hostile() -> AppState {
    let mut files = demo::files();
    let content = files[0].content.as_mut().unwrap();
    let mut evaluation = content.evaluation.as_ref().clone();
    evaluation.model.name = "a,\"b\" <script>&'|*x*".to_owned();
    *content = std::sync::Arc::new(crate::state::merging::Measurements::of(evaluation));
    let mut state = AppState::default();
    state.add_files(files);
    state.view = View::TradeOff;
    state.choices.filter.published = PublishedLayer::Hidden;
    state.refresh();
    state
}

#[test]
fn csv_round_trips_in_full_precision() {
    for state in [state(), hostile()] {
        let csv = text(&state, Export::Csv);
        let mut reader = csv::Reader::from_reader(csv.as_bytes());
        let headers = reader.headers().unwrap().clone();
        let column = |name: &str| headers.iter().position(|header| header == name).unwrap();
        let records: Vec<csv::StringRecord> = reader.records().map(Result::unwrap).collect();
        assert_eq!(records.len(), state.shown().count());
        for (record, (model, row)) in records.iter().zip(state.shown()) {
            assert_eq!(record[column("model")], model.name);
            let quba = row.score.as_ref().map(|score| score.value);
            assert_eq!(record[column("quba")].parse().ok(), quba);
            for dimension in Dimension::ALL {
                let cell = record[column(dimension.column())].parse().ok();
                assert_eq!(cell, model.values[dimension]);
            }
        }
    }
}

#[test]
fn json_holds_weights_reference_and_all_models() {
    let state = state();
    let json: serde_json::Value = serde_json::from_str(&text(&state, Export::Json)).unwrap();
    assert_eq!(json["weights"]["acc"], 1.0);
    assert_eq!(json["reference"], state.derived().reference.name);
    let models = json["models"].as_array().unwrap();
    assert_eq!(models.len(), 334);
    let (model, row) = state.shown().next().unwrap();
    assert_eq!(models[0]["name"], model.name);
    assert_eq!(
        models[0]["quba"].as_f64(),
        row.score.as_ref().map(|s| s.value)
    );
    assert_eq!(models[0]["layer"], "own");
    assert_eq!(models[333]["bytes"], serde_json::Value::Null);
}

#[test]
fn markdown_has_as_many_cells_in_every_line() {
    let markdown = text(&hostile(), Export::Markdown);
    let lines: Vec<&str> = markdown
        .lines()
        .filter(|line| line.starts_with("| "))
        .collect();
    assert_eq!(lines.len(), 10);
    for line in lines {
        let bars = line.replace("\\|", "").matches('|').count();
        assert_eq!(bars, 16, "{line}");
    }
    assert!(markdown.contains("\\<script\\>"));
}

/// Own points are drawn twice: the ground beneath keeps them apart from others.
#[test]
fn svg_parses_and_holds_every_point() {
    for (state, marks) in [(state(), 326 + 2 * 8), (hostile(), 2 * 8)] {
        let svg = text(&state, Export::Svg);
        let document = roxmltree::Document::parse(&svg).unwrap();
        let group = document
            .descendants()
            .find(|n| n.has_tag_name("g"))
            .unwrap();
        let is_mark = |node: &roxmltree::Node<'_, '_>| {
            ["circle", "polygon", "path"]
                .iter()
                .any(|tag| node.has_tag_name(*tag))
        };
        assert_eq!(group.children().filter(is_mark).count(), marks);
        assert!(!svg.contains("<script>"));
    }
}

#[test]
fn png_is_sharp_and_has_text() {
    let state = state();
    let picture = image::load_from_memory(&content(&state, Export::Png).unwrap()).unwrap();
    let picture = picture.into_rgba8();
    assert_eq!(picture.dimensions(), (1920, 1280));
    // The title, at the top left.
    let dark = |y: u32, x: u32| picture.get_pixel(x, y).0[0] < 0x60;
    let ink = (20..80).flat_map(|y| (20..600).map(move |x| (y, x)));
    assert!(ink.filter(|&(y, x)| dark(y, x)).count() > 300);
}

#[test]
fn reports_stand_alone() {
    let mut state = hostile();
    state.choices.filter.search = "a".to_owned();
    state.choices.filter.limits.parameters = Some(2.5);
    state.refresh();
    let page = text(&state, Export::Html);
    assert!(page.starts_with("<!doctype html>"));
    assert!(page.contains("<svg") && page.contains("&lt;script&gt;"));
    assert!(page.contains("parameters at most 2.5 M") && page.contains("search: a"));
    for foreign in ["<script", "<link", "src=", "url(http", "@import"] {
        assert!(!page.contains(foreign), "{foreign}");
    }
    // Without a plot, the report is that of the table.
    state.view = View::Rank;
    assert!(!text(&state, Export::Html).contains("<svg"));
}

#[test]
fn views_without_a_plot_export_none() {
    let mut state = state();
    state.view = View::Files;
    assert!(!Export::Svg.is_offered(&state) && Export::Csv.is_offered(&state));
    assert!(content(&state, Export::Png).is_err());
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("plot.svg");
    let error = format!("{:#}", write(&state, Export::Svg, &path).unwrap_err());
    assert!(error.ends_with("the current view has no plot"), "{error}");
    assert!(!path.exists());
}

#[test]
fn texts_are_escaped_and_cleared_of_what_xml_forbids() {
    assert_eq!(
        escaped("a<b>&\"'\u{1}\n"),
        "a&lt;b&gt;&amp;&quot;&#39;\u{fffd} "
    );
}
