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
    evaluation.model.name = format!("a,\"b\" <script>&'|*x*{}", " and so on".repeat(30));
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
fn percentiles_are_exported_where_the_table_shows_them() {
    use crate::state::table::CellStyle;
    let mut state = state();
    assert!(!text(&state, Export::Csv).contains("percentile"));
    assert!(!text(&state, Export::Json).contains("percentile"));
    state.table.cells = CellStyle::Percentile;
    let (_, row) = state.shown().next().unwrap();
    let share = row.percentiles[Dimension::Accuracy].unwrap();
    let csv = text(&state, Export::Csv);
    let mut reader = csv::Reader::from_reader(csv.as_bytes());
    let headers = reader.headers().unwrap().clone();
    let record = reader.records().next().unwrap().unwrap();
    for dimension in Dimension::ALL {
        let column = format!("{}_percentile", dimension.column());
        let place = headers.iter().position(|header| header == column).unwrap();
        assert_eq!(record[place].parse().ok(), row.percentiles[dimension]);
    }
    let json: serde_json::Value = serde_json::from_str(&text(&state, Export::Json)).unwrap();
    assert_eq!(json["models"][0]["percentiles"]["acc"], share);
    assert_eq!(
        json["models"][0]["percentiles"]["quba"],
        serde_json::Value::Null
    );
    let cell = format!(" ({})", crate::state::words::percentile(share));
    assert!(text(&state, Export::Markdown).contains(&cell));
    assert!(text(&state, Export::Html).contains(&cell));
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
        assert_eq!(bars, 15, "{line}");
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

/// A view with the demo's results and models selected by name.
fn view(view: View, names: &[&str]) -> AppState {
    let mut state = state();
    state.view = view;
    for name in names {
        assert!(state.select_named(name), "{name}");
    }
    state
}

const SELECTED: [&str; 3] = [
    "Residual CNN",
    "Wide CNN, adversarially trained",
    "ResNet50",
];

/// All texts of a document, which must be well formed, hold nothing but shapes, and be as large as
/// its texts need.
fn texts(svg: &str) -> Vec<String> {
    let document = roxmltree::Document::parse(svg).unwrap();
    for node in document.descendants().filter(roxmltree::Node::is_element) {
        let known = [
            "svg", "title", "g", "clipPath", "rect", "circle", "path", "polyline", "polygon",
            "text",
        ];
        assert!(known.contains(&node.tag_name().name()), "{node:?}");
    }
    let texts = document.descendants().filter(|n| n.has_tag_name("text"));
    let number = |node: roxmltree::Node<'_, '_>, name: &str| -> f32 {
        node.attribute(name).unwrap().parse().unwrap()
    };
    let root = document.root_element();
    let (width, height) = (number(root, "width"), number(root, "height"));
    let mut lowest = 0.0_f32;
    for node in texts.clone() {
        let (x, y) = (number(node, "x"), number(node, "y"));
        assert!(
            x >= 16.0 && x + number(node, "textLength") <= width - 15.0,
            "{node:?}"
        );
        lowest = lowest.max(y);
    }
    assert!(
        lowest < height && lowest > height - 60.0,
        "{lowest} of {height}"
    );
    texts
        .filter_map(|node| node.text().map(str::to_owned))
        .collect()
}

#[test]
fn the_heat_map_names_all_dimensions_and_figures() {
    let svg = text(&view(View::Correlations, &[]), Export::Svg);
    let texts = texts(&svg);
    let found = |text: &str| texts.iter().filter(|t| *t == text).count();
    for dimension in Dimension::ALL {
        assert_eq!(found(dimension.name()), 1, "{dimension}");
        assert_eq!(found(dimension.column()), 1, "{dimension}");
    }
    // Clean rows, SPEC 8.1: in both halves of the map, and once in the table.
    assert_eq!(found("+0.65"), 2);
    let figures = texts.iter().filter(|t| t.starts_with(['+', '-'])).count();
    assert_eq!(figures, 72 + 36);
    assert!(found("Correlations of the dimensions: Published, clean rows") == 1);
}

#[test]
fn the_comparison_names_all_models_and_figures() {
    let state = view(View::Compare, &SELECTED);
    let texts = texts(&text(&state, Export::Svg));
    let has = |text: &str| texts.iter().any(|t| t == text);
    for (model, row) in state.selected() {
        assert!(has(&model.name), "{}", model.name);
        for dimension in Dimension::ALL {
            let figure = shared::words::value(dimension, model.values[dimension]);
            assert!(has(&figure), "{} {dimension}: {figure}", model.name);
        }
        let score = row.score.as_ref().unwrap().value;
        assert!(has(&format!("{score:.4}")));
    }
    for dimension in Dimension::ALL {
        assert!(has(dimension.name()), "{dimension}");
    }
}

#[test]
fn parallel_coordinates_have_a_line_for_every_model() {
    let state = view(View::Parallel, &SELECTED);
    let svg = text(&state, Export::Svg);
    let texts = texts(&svg);
    for name in SELECTED {
        assert!(texts.iter().any(|text| text == name), "{name}");
    }
    for dimension in Dimension::ALL {
        assert!(texts.iter().any(|text| text == dimension.column()));
    }
    let document = roxmltree::Document::parse(&svg).unwrap();
    let lines = document
        .descendants()
        .filter(|node| node.has_tag_name("polyline"));
    assert_eq!(lines.count(), 326 + 8);
    assert!(svg.len() < 200_000, "{}", svg.len());
}

#[test]
fn the_page_of_a_model_is_exported_whole() {
    let texts = texts(&text(&view(View::Model, &SELECTED[..1]), Export::Svg));
    let has = |text: &str| texts.iter().any(|t| t.contains(text));
    for part in [
        "Residual CNN",
        "QUBA 0.7721",
        "Reliability",
        "snow",
        "silhouette",
        "pgd 8/255 (10 steps of 2/255)",
        "16 classes by accuracy",
        "crescent",
    ] {
        assert!(has(part), "{part}");
    }
    // Nothing is cut short, and no control is drawn.
    assert!(!has("…") && !has("Reliability as a table"));
}

#[test]
fn figures_are_offered_where_there_is_something_to_draw() {
    for empty in [View::Model, View::Compare] {
        assert!(!Export::Png.is_offered(&view(empty, &[])), "{empty:?}");
    }
    let mut nothing = view(View::Parallel, &[]);
    nothing.choices.filter.search = "no such model".to_owned();
    nothing.refresh();
    assert!(!Export::Svg.is_offered(&nothing));
    for offered in [
        View::Model,
        View::Compare,
        View::Parallel,
        View::Correlations,
    ] {
        let mut state = hostile();
        state.view = offered;
        let mut ids: Vec<_> = state
            .shown()
            .map(|(m, _)| (m.name.clone(), m.id.clone()))
            .collect();
        // The one with the hostile name last: its page is shown.
        ids.sort_by_key(|(name, _)| name.contains("<script>"));
        ids[6..]
            .iter()
            .for_each(|(_, id)| state.selection.toggle(id));
        assert!(Export::Svg.is_offered(&state), "{offered:?}");
        let page = text(&state, Export::Html);
        assert!(page.contains("<svg") && !page.contains("<script>"));
        texts(&text(&state, Export::Svg));
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
