//! Gradients and attacks against PyTorch's on 64 photographs (`efficientnet-lite0.attacks.json`).

use edge::model::{LoadOptions, load};
use edge::preprocess::{Preprocessor, decode};
use shared::metrics::pass_accuracy;

use super::*;

/// The model with its card, the photographs of the reference as a data set, and the reference.
struct Setup {
    real: PathBuf,
    model: PathBuf,
    data: PathBuf,
    reference: Value,
    _folder: tempfile::TempDir,
}

/// `None`, and why is printed, where the real files are not there.
fn set_up() -> Option<Setup> {
    let real = tests::real_data()?;
    let folder = tempfile::tempdir().unwrap();
    let text = std::fs::read_to_string(real.join("efficientnet-lite0.attacks.json")).unwrap();
    let reference: Value = serde_json::from_str(&text).unwrap();
    for photo in reference["photos"].as_array().unwrap() {
        let path = Path::new(photo.as_str().unwrap());
        let copy = folder.path().join(path);
        std::fs::create_dir_all(copy.parent().unwrap()).unwrap();
        std::fs::copy(real.join(path), copy).unwrap();
    }
    Some(Setup {
        model: with_card(&real, folder.path()),
        data: folder.path().join("data"),
        real,
        reference,
        _folder: folder,
    })
}

/// Correct images by pass, and those that the reference states, within two photographs.
fn counts_agree<'a>(
    evaluation: &Evaluation,
    expected: impl IntoIterator<Item = (String, &'a Value)>,
) {
    for (pass, count) in expected {
        let kinds = evaluation.passes.iter().map(|p| p.kind);
        let kind = kinds.into_iter().find(|kind| kind.to_string() == pass);
        let kind = kind.unwrap_or_else(|| panic!("no pass {pass}"));
        let (right, total) = pass_accuracy(evaluation, kind).unwrap();
        assert_eq!(total, 64, "{pass}");
        assert_near(&pass, f64::from(right), count.as_f64().unwrap(), 2.0);
    }
}

#[test]
fn attacks_break_as_many_photos_as_pytorch() {
    let Some(set) = set_up() else {
        return;
    };
    let reference = &set.reference;
    let fgsm = reference["pixel_fgsm_correct"].as_object().unwrap();
    assert_eq!(fgsm.len(), 6);
    let mut options = vec!["--dims".to_owned(), "acc".to_owned()];
    let strengths = fgsm.keys().map(|e| format!("fgsm,epsilon={e}"));
    for attack in strengths.chain(["pgd,epsilon=0.25,start=image".to_owned()]) {
        options.extend(["--attack".to_owned(), attack]);
    }
    let evaluation = evaluate(&set.model, &set.data, &options);
    counts_agree(
        &evaluation,
        fgsm.iter()
            .map(|(e, count)| (format!("fgsm {e}/255"), count)),
    );
    let pgd = &reference["pixel_pgd10_no_random_start_correct"]["0.25"];
    let name = "pgd 0.25/255 (10 steps of 0.0625/255, no random start)".to_owned();
    counts_agree(
        &evaluation,
        [
            ("clean".to_owned(), &reference["clean_correct"]),
            (name, pgd),
        ],
    );
}

/// In the published protocol, clamping normalised values alone costs much; PGD leaves nothing.
#[test]
fn the_published_protocol_breaks_as_many_photos_as_pytorch() {
    let Some(set) = set_up() else {
        return;
    };
    let reference = &set.reference;
    let mut options = vec!["--dims", "adv", "--protocol", "published"];
    options.extend(["--attack", "pgd,steps=0,start=image"]);
    let evaluation = evaluate(&set.model, &set.data, &options);
    let clamped = "pgd 8/255 (0 steps of 2/255, no random start) on normalised tensors";
    let expected = [
        (clamped, "published_clamp_only_correct"),
        ("fgsm 8/255 on normalised tensors", "published_fgsm_correct"),
    ];
    counts_agree(
        &evaluation,
        expected.map(|(pass, key)| (pass.to_owned(), &reference[key])),
    );
    let pgd = "pgd 8/255 (10 steps of 2/255) on normalised tensors".to_owned();
    counts_agree(&evaluation, [(pgd, &Value::from(0))]);
}

/// Sets the 0.8 % of the values that libjpeg decodes otherwise, by one or two levels: they change the
/// norm of the gradient by 1.5 %. Each is the distance from the one before (`u16`) and the value.
fn as_libjpeg(image: &mut image::RgbImage) {
    let mut at = 0;
    for entry in include_bytes!("libjpeg.bin").chunks_exact(3) {
        at += usize::from(u16::from_le_bytes([entry[0], entry[1]]));
        image.as_flat_samples_mut().samples[at] = entry[2];
    }
}

#[test]
fn the_gradient_of_a_photo_is_that_of_pytorch() {
    let Some(set) = set_up() else {
        return;
    };
    let check = &set.reference["gradient_check"];
    let options = LoadOptions {
        gradients: true,
        ..LoadOptions::default()
    };
    let model = load(&set.model, &options).unwrap();
    let preprocessing = &model.record.preprocessing;
    let bytes = std::fs::read(set.real.join(check["image"].as_str().unwrap())).unwrap();
    let mut image = decode(&bytes).unwrap();
    as_libjpeg(&mut image);
    let mut tensor = Vec::new();
    let mut preprocessor = Preprocessor::new(preprocessing).unwrap();
    preprocessor.tensor(&image, &mut tensor);

    let gradients = model.gradients.unwrap().unwrap();
    let (mut scores, mut gradient) = (Vec::new(), Vec::new());
    let mut session = gradients.session().unwrap();
    session.run(&tensor, 0, &mut scores, &mut gradient).unwrap();
    // Per unit of a pixel.
    let slope = |g: &f32| f64::from(*g) / f64::from(preprocessing.std[0]);
    let slopes: Vec<f64> = gradient.iter().map(slope).collect();
    let norm = slopes.iter().map(|g| g * g).sum::<f64>().sqrt();
    let largest = slopes.iter().fold(0f64, |most, g| most.max(g.abs()));
    for (name, found) in [
        ("norm_l2", norm),
        ("max_abs", largest),
        ("sum", slopes.iter().sum()),
    ] {
        let expected = check[name].as_f64().unwrap();
        assert_near(name, found, expected, 0.001 * expected.abs());
    }
}
