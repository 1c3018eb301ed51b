//! Attacks on the bundled models, and on one without a gradient.

use shared::metrics::{measure, pass_accuracy};
use shared::outcome::{Attack, AttackMethod, AttackSpace};

use super::*;

/// Correct images of every attack that `wanted` picks, by rising strength.
fn curve(evaluation: &Evaluation, wanted: impl Fn(&AttackMethod) -> bool) -> Vec<u32> {
    let passes = evaluation.passes.iter();
    let mut attacks: Vec<Attack> = passes
        .filter_map(|pass| match pass.kind {
            PassKind::Attack(attack) if wanted(&attack.method) => Some(attack),
            _ => None,
        })
        .collect();
    attacks.sort_by_key(|attack| attack.epsilon);
    let right = |attack| {
        pass_accuracy(evaluation, PassKind::Attack(attack))
            .unwrap()
            .0
    };
    attacks.into_iter().map(right).collect()
}

#[test]
fn stronger_attacks_leave_less_and_adversarial_training_leaves_most() {
    let out = tempfile::tempdir().unwrap();
    let models = [model("plain-wide"), model("adversarial")];
    let mut options = vec!["--dims", "adv", "--epsilons"];
    options.extend([
        "--attack",
        "pgd,steps=20,restarts=2",
        "--attack",
        "square,queries=200",
    ]);
    let run = eval(&models, out.path(), &options);
    assert_eq!(run.code, 0, "{}", run.stderr);
    let [plain, trained] = models.map(|model| result(out.path(), &model));
    for evaluation in [&plain, &trained] {
        let (clean, _) = pass_accuracy(evaluation, PassKind::Clean).unwrap();
        let fgsm = curve(evaluation, |method| *method == AttackMethod::Fgsm);
        let pgd = curve(evaluation, |method| {
            matches!(method, AttackMethod::Pgd { .. })
        });
        for curve in [&fgsm, &pgd] {
            assert_eq!(curve.len(), 6);
            assert!(
                curve[0] <= clean && curve.is_sorted_by(|a, b| a >= b),
                "{curve:?}"
            );
        }
        let worst = curve(evaluation, |method| {
            matches!(method, AttackMethod::WorstPgd { .. })
        });
        let square = curve(evaluation, |method| !method.needs_gradient());
        assert!(
            worst[0] <= pgd[5] && pgd[5] <= square[0],
            "{worst:?} {pgd:?} {square:?}"
        );
    }
    let pgd = |evaluation| {
        curve(evaluation, |method| {
            matches!(method, AttackMethod::Pgd { .. })
        })
    };
    // From 1/255 on, the trained one is clearly ahead.
    for (plain, trained) in pgd(&plain).into_iter().zip(pgd(&trained)).skip(2) {
        assert!(trained > plain + 3, "{trained} {plain}");
    }
    let adv = |evaluation| measure(evaluation)[Dimension::AdversarialRobustness].clone();
    assert!(adv(&trained).unwrap().value > adv(&plain).unwrap().value + 0.05);
}

#[test]
fn attacks_asked_for_are_recorded_and_join_an_earlier_result() {
    let out = tempfile::tempdir().unwrap();
    let scored = evaluated(out.path(), &["--dims", "adv"]);
    let more = [
        "--dims",
        "acc",
        "--attack",
        "pgd,norm=l2,epsilon=0.5,steps=3",
    ];
    let joined = evaluated(out.path(), &more);
    let names = |evaluation: &Evaluation| -> Vec<String> {
        evaluation
            .passes
            .iter()
            .map(|p| p.kind.to_string())
            .collect()
    };
    insta::assert_snapshot!(names(&joined).join("\n"), @r"
    clean
    fgsm 8/255
    pgd 8/255 (10 steps of 2/255)
    pgd 0.5 l2 (3 steps of 0.125)
    ");
    for old in &scored.passes {
        assert!(joined.passes.contains(old), "{}", old.kind);
    }
    // What the published protocol attacks is another function, in another file.
    let out = tempfile::tempdir().unwrap();
    let published = evaluated(out.path(), &["--dims", "adv", "--protocol", "published"]);
    let spaces = published.passes.iter().filter_map(|pass| match pass.kind {
        PassKind::Attack(attack) => Some(attack.space),
        _ => None,
    });
    assert_eq!(spaces.collect::<Vec<_>>(), [AttackSpace::Normalized; 2]);
}

#[test]
fn a_model_without_gradient_is_attacked_by_square_and_marked() {
    let folder = tempfile::tempdir().unwrap();
    let models = [quantised_model(folder.path()), model("plain-small")];
    let out = folder.path().join("out");
    let run = eval(&models, &out, &["--dims", "adv", "--square-queries", "300"]);
    assert_eq!(run.code, 0, "{}", run.stderr);
    let expected =
        "no gradient: cannot differentiate QuantizeLinearI8 (node 'image_QuantizeLinear')";
    assert!(run.stderr.contains(expected), "{}", run.stderr);
    assert!(!run.stderr.contains("resuming"), "{}", run.stderr);
    let marked = run.stdout.lines().filter(|line| line.contains('†'));
    assert_eq!(marked.count(), 2, "{}", run.stdout);

    let csv = finish(edge().arg("rank").arg(&out).arg("--csv")).stdout;
    assert_eq!(
        csv.matches("square 8/255 (300 queries)").count(),
        1,
        "{csv}"
    );

    // Without adversarial robustness to measure, nothing stands in.
    let alone = ["--dims", "acc", "--attack", "pgd,steps=1"];
    let other = folder.path().join("other");
    let run = eval(&models[..1], &other, &alone);
    let expected = "(node 'image_QuantizeLinear'); attacks that need one are left out";
    assert!(run.stderr.contains(expected), "{}", run.stderr);
    assert_eq!(result(&other, &models[0]).passes.len(), 1);

    let [black_box, white_box] = models.map(|model| result(&out, &model));
    let attacks = |evaluation: &Evaluation| -> Vec<String> {
        let passes = evaluation.passes.iter();
        let attacks = passes.filter(|p| matches!(p.kind, PassKind::Attack(_)));
        attacks.map(|p| p.kind.to_string()).collect()
    };
    assert_eq!(attacks(&black_box), ["square 8/255 (300 queries)"]);
    assert_eq!(attacks(&white_box).len(), 2);
    assert!(black_box.warnings.contains(&Warning::BlackBoxAttack));
    assert!(!white_box.warnings.contains(&Warning::BlackBoxAttack));
    // The quantised model is nearly the same function, so the weaker attack leaves more of it.
    let [black_box, white_box] = [black_box, white_box].map(|e| {
        measure(&e)[Dimension::AdversarialRobustness]
            .clone()
            .unwrap()
            .value
    });
    assert!(
        black_box < 0.9 && black_box >= white_box,
        "{black_box} {white_box}"
    );
}
