//! Corruptions generated from the clean images, and stored ones beside them.

use edge::perturb::corruption::Frost;
use edge::perturb::generate::{Generator, Identity, Method, PUBLISHED_SIDE};
use shared::metrics::{measure, pass_accuracy};
use shared::outcome::{Corruption, FrostSource, Generation, Origin, Severity};

use super::*;

/// Passes of corrupted images.
fn cells(evaluation: &Evaluation) -> Vec<&shared::outcome::Pass> {
    let is_cell = |p: &&shared::outcome::Pass| matches!(p.kind, PassKind::Corruption(..));
    evaluation.passes.iter().filter(is_cell).collect()
}

fn generated(jpeg85: bool, kind: PassKind) -> Origin {
    let frost = matches!(kind, PassKind::Corruption(Corruption::Frost, _));
    Origin::Generated(Generation {
        side: PUBLISHED_SIDE,
        jpeg85,
        frost: frost.then_some(FrostSource::Synthetic),
    })
}

#[test]
fn the_grid_is_generated_from_the_clean_images() {
    let out = tempfile::tempdir().unwrap();
    let evaluation = evaluated(out.path(), &["--dims", "cor,params"]);
    let cells = cells(&evaluation);
    assert_eq!(cells.len(), 75);
    let clean = pass(&evaluation, PassKind::Clean);
    for cell in &cells {
        assert_eq!(cell.origin, generated(false, cell.kind), "{}", cell.kind);
        assert_eq!(cell.fingerprint, clean.fingerprint);
    }
    // Corrupted copies show the same images as the clean set, so all passes share one list.
    assert_eq!(evaluation.lists.len(), 1);

    let share = |kind| {
        let (right, images) = pass_accuracy(&evaluation, kind).unwrap();
        assert_eq!(images, 48, "{kind}");
        f64::from(right) / f64::from(images)
    };
    let mean = cells.iter().map(|p| share(p.kind)).sum::<f64>() / 75.0;
    let expected = mean / share(PassKind::Clean);
    let measured = measure(&evaluation);
    let value = measured[Dimension::CorruptionRobustness]
        .as_ref()
        .unwrap()
        .value;
    assert!((value - expected).abs() < 1e-9, "{value} is not {expected}");
    // Not all alike: images were corrupted, and more so at higher severities.
    let noise = |s: usize| {
        share(PassKind::Corruption(
            Corruption::GaussianNoise,
            Severity::ALL[s],
        ))
    };
    assert!(noise(4) < noise(0) && noise(4) < share(PassKind::Clean));
}

#[test]
fn every_place_that_shows_the_corruptions_says_where_they_came_from() {
    let out = tempfile::tempdir().unwrap();
    let model = &models(1)[0];
    let run = eval(&models(1), out.path(), &["--dims", "cor"]);
    let generating = "generating 75 corrupted copies of each clean image: 3648 evaluations";
    assert!(run.stderr.contains(generating), "{}", run.stderr);
    let note = "corrupted images: generated at up to 224 px with synthetic frost";
    assert!(run.stdout.contains(note), "{}", run.stdout);
    let shown = finish(edge().arg("show").arg(result_path(out.path(), model)));
    let line = "corruptions     generated at up to 224 px with synthetic frost";
    assert!(shown.stdout.contains(line), "{}", shown.stdout);
    assert!(
        shown.stdout.contains("frost (synthetic)"),
        "{}",
        shown.stdout
    );
    let found = finish(edge().arg("data").arg(data()));
    let line = "can be measured, all 75 corruption cells generated from the clean images";
    assert!(found.stdout.contains(line), "{}", found.stdout);
}

#[test]
fn a_stored_copy_of_a_generated_image_gives_the_same_outcome_and_precedence() {
    let folder = tempfile::tempdir().unwrap();
    let data = render(&folder.path().join("data"), &small_demo());
    let stored = [
        (Corruption::Fog, Severity::ALL[4]),
        (Corruption::Frost, Severity::ALL[2]),
    ];
    for (corruption, severity) in stored {
        store(&data, corruption, severity);
    }
    let place = |name: &str| folder.path().join(name);
    let call = |out: &str, options: &[&str]| {
        let options = [&["--dims", "cor"], options].concat();
        let run = eval_on(&data, &models(1), &place(out), &options);
        assert_eq!(run.code, 0, "{}", run.stderr);
        result(&place(out), &models(1)[0])
    };
    let auto = call("auto", &[]);
    let anew = call("generated", &["--corruptions", "generated"]);
    assert_eq!((cells(&auto).len(), cells(&anew).len()), (75, 75));
    for cell in cells(&auto) {
        let is_stored = stored
            .iter()
            .any(|&(c, s)| cell.kind == PassKind::Corruption(c, s));
        let twin = pass(&anew, cell.kind);
        assert_eq!(cell.origin == Origin::Stored, is_stored, "{}", cell.kind);
        assert_eq!(twin.origin, generated(false, cell.kind));
        assert_eq!(cell.outcomes, twin.outcomes, "{}", cell.kind);
    }
    assert_eq!(
        auto.corruption_origin().unwrap(),
        "2 stored; 73 generated at up to 224 px with synthetic frost"
    );

    let only_stored = call("stored", &["--corruptions", "stored"]);
    assert_eq!(cells(&only_stored).len(), 2);
    let options = ["--dims", "cor", "--corruptions", "generated"];
    let refused = eval_on(&data, &models(1), &place("auto"), &options);
    assert_eq!(refused.code, 2);
    assert!(
        refused
            .stderr
            .contains("are stored, those of this call generated"),
        "{}",
        refused.stderr
    );
}

/// Writes one corruption cell of the clean images below `data`, as PNG.
fn store(data: &Path, corruption: Corruption, severity: Severity) {
    let method = Method {
        side: PUBLISHED_SIDE,
        jpeg85: false,
        frost: Frost::synthetic(),
        seed: 0,
    };
    let mut generator = Generator::new(method.side).unwrap();
    let level = severity.get().to_string();
    for class in std::fs::read_dir(data.join("imagenet/val")).unwrap() {
        let class = class.unwrap();
        let folder = data.join("imagenet-c").join(corruption.name());
        let folder = folder.join(&level).join(class.file_name());
        std::fs::create_dir_all(&folder).unwrap();
        for file in std::fs::read_dir(class.path()).unwrap() {
            let file = file.unwrap();
            let bytes = std::fs::read(file.path()).unwrap();
            let base = generator.base(&edge::preprocess::decode(&bytes).unwrap());
            method
                .corrupt(&base, &Identity::of(&bytes), corruption, severity)
                .save(folder.join(file.file_name()))
                .unwrap();
        }
    }
}

#[test]
fn options_of_the_method_reach_the_images_and_the_record() {
    let place = tempfile::tempdir().unwrap();
    let call = |out: &str, options: &[&str]| {
        let options = [&["--dims", "cor"], options].concat();
        evaluated(&place.path().join(out), &options)
    };
    let plain = call("plain", &[]);
    let published = call("published", &["--protocol", "published"]);
    let without = call("off", &["--protocol", "published", "--jpeg85", "off"]);
    let stored_as_jpeg = call("on", &["--jpeg85", "on"]);
    let small = call("size", &["--corruption-size", "32"]);
    let seeded = call("seed", &["--seed", "1"]);
    let outcomes =
        |e: &Evaluation| -> Vec<_> { cells(e).iter().map(|p| p.outcomes.clone()).collect() };
    for (evaluation, jpeg85) in [
        (&plain, false),
        (&published, true),
        (&without, false),
        (&stored_as_jpeg, true),
    ] {
        for cell in cells(evaluation) {
            assert_eq!(cell.origin, generated(jpeg85, cell.kind));
        }
    }
    assert_eq!(outcomes(&plain), outcomes(&without));
    assert_eq!(outcomes(&published), outcomes(&stored_as_jpeg));
    assert_ne!(outcomes(&plain), outcomes(&stored_as_jpeg));
    assert_ne!(outcomes(&plain), outcomes(&small));
    assert_ne!(outcomes(&plain), outcomes(&seeded));
}

#[test]
fn extra_corruptions_are_evaluated_on_request_and_never_scored() {
    let (with, without) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let more = evaluated(with.path(), &["--dims", "cor", "--extra-corruptions"]);
    let usual = evaluated(without.path(), &["--dims", "cor"]);
    assert_eq!((cells(&more).len(), cells(&usual).len()), (95, 75));
    let value = |e| measure(e)[Dimension::CorruptionRobustness].clone().unwrap();
    assert_eq!(value(&more), value(&usual));
}

#[test]
fn a_bad_image_is_missing_from_every_generated_pass_and_reported_once() {
    let folder = tempfile::tempdir().unwrap();
    let data = data_with_bad_images(folder.path());
    let out = folder.path().join("out");
    let models = models(1);
    let run = eval_on(&data, &models, &out, &["--dims", "cor"]);
    assert_eq!(run.code, 1, "{}", run.stderr);
    let said: Vec<&str> = run
        .stderr
        .lines()
        .filter(|l| l.contains("unreadable"))
        .collect();
    assert_eq!(said.len(), 2, "{}", run.stderr);
    assert!(
        said[1].contains("75 corruption passes: 2 unreadable"),
        "{}",
        said[1]
    );
    let evaluation = result(&out, &models[0]);
    for cell in cells(&evaluation) {
        assert_eq!((cell.outcomes.len(), cell.skipped.len()), (48, 2));
    }
    let shown = finish(edge().arg("show").arg(result_path(&out, &models[0])));
    let line = "clean and 75 other passes: 2 images skipped";
    assert!(shown.stdout.contains(line), "{}", shown.stdout);
}

#[test]
fn frost_pictures_of_the_user_are_used_and_recorded() {
    let folder = tempfile::tempdir().unwrap();
    let pictures = folder.path().join("frost");
    std::fs::create_dir(&pictures).unwrap();
    for (name, level) in [("frost1.png", 250), ("frost2.png", 200)] {
        let picture = image::RgbImage::from_pixel(240, 230, image::Rgb([level; 3]));
        picture.save(pictures.join(name)).unwrap();
    }
    let out = folder.path().join("out");
    let options = ["--dims", "cor", "--frost", pictures.to_str().unwrap()];
    let run = eval(&models(1), &out, &options);
    assert_eq!(run.code, 0, "{}", run.stderr);
    let note = "corrupted images: generated at up to 224 px with frost pictures ";
    assert!(run.stdout.contains(note), "{}", run.stdout);
    let evaluation = result(&out, &models(1)[0]);
    let frost = pass(
        &evaluation,
        PassKind::Corruption(Corruption::Frost, Severity::ALL[0]),
    );
    let source = Frost::read(&pictures).unwrap().source();
    assert!(matches!(source, FrostSource::Pictures(_)));
    assert!(matches!(frost.origin, Origin::Generated(g) if g.frost == Some(source)));
    // Other pictures are another method: they do not join.
    let synthetic = eval(&models(1), &out, &["--dims", "cor"]);
    assert_eq!(synthetic.code, 2);
    assert!(
        synthetic.stderr.contains("frost/1 images"),
        "{}",
        synthetic.stderr
    );

    std::fs::remove_file(pictures.join("frost1.png")).unwrap();
    std::fs::remove_file(pictures.join("frost2.png")).unwrap();
    let none = eval(&models(1), &folder.path().join("none"), &options);
    assert_eq!(none.code, 2);
    assert!(
        none.stderr.contains("no frost picture found"),
        "{}",
        none.stderr
    );
}

#[test]
fn a_folder_that_edge_corrupt_wrote_gives_the_outcomes_of_generating() {
    let folder = tempfile::tempdir().unwrap();
    let data = render(&folder.path().join("data"), &small_demo());
    let place = |name: &str| folder.path().join(name);
    let call = |out: &str| {
        let run = eval_on(&data, &models(1), &place(out), &["--dims", "cor"]);
        assert_eq!(run.code, 0, "{}", run.stderr);
        result(&place(out), &models(1)[0])
    };
    let generated = call("generated");
    let mut corrupt = edge();
    corrupt.arg("corrupt").arg(data.join("imagenet/val"));
    let written = finish(corrupt.arg("--out").arg(data.join("imagenet-c")));
    assert_eq!(written.code, 0, "{}", written.stderr);
    let found = finish(edge().arg("data").arg(&data));
    let remark = "severities 1 2 3 4 5, generated at up to 224 px with synthetic frost";
    assert!(found.stdout.contains(remark), "{}", found.stdout);
    let stored = call("stored");
    for cell in cells(&generated) {
        let twin = pass(&stored, cell.kind);
        assert_eq!(cell.outcomes, twin.outcomes, "{}", cell.kind);
        assert_eq!(cell.origin, twin.origin);
    }
}
