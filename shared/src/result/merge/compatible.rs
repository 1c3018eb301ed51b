//! What two evaluations must have in common to be merged.

use super::MergeError;
use crate::result::codec::short_hex;
use crate::result::{Evaluation, Model, OutputKind, Preprocessing};

/// Everything but the passes. Costs alone need the same model and input size, no more.
pub(super) fn check(a: &Evaluation, b: &Evaluation) -> Result<(), MergeError> {
    if a.model.hash != b.model.hash {
        return Err(MergeError::Model {
            first: a.model.name.clone(),
            first_hash: short_hex(&a.model.hash),
            second: b.model.name.clone(),
            second_hash: short_hex(&b.model.hash),
        });
    }
    if a.is_costs_only() || b.is_costs_only() {
        let described = |e: &Evaluation| vec![outputs(&e.model), crop(&e.model.preprocessing)];
        return alike(described(a), described(b));
    }
    let (x, y) = (&a.label_set, &b.label_set);
    if (x.hash, x.classes, &x.shape_groups) != (y.hash, y.classes, &y.shape_groups) {
        return Err(MergeError::LabelSet {
            first: x.name.clone(),
            first_hash: short_hex(&x.hash),
            second: y.name.clone(),
            second_hash: short_hex(&y.hash),
        });
    }
    feeding(a, b)?;
    for ((dimension, &first), (_, &second)) in a.protocols.iter().zip(b.protocols.iter()) {
        if first != second {
            return Err(MergeError::Protocol {
                dimension,
                first,
                second,
            });
        }
    }
    if a.seed != b.seed {
        return Err(MergeError::Seed {
            first: a.seed,
            second: b.seed,
        });
    }
    Ok(())
}

type Described = Vec<(&'static str, String)>;

/// The outputs and the preprocessing; its source may differ where the values are equal.
fn feeding(a: &Evaluation, b: &Evaluation) -> Result<(), MergeError> {
    let described = |evaluation: &Evaluation| {
        let model = &evaluation.model;
        let mut fields = vec![
            outputs(model),
            ("outputs as", output_kind(model.output_kind).to_owned()),
        ];
        fields.extend(preprocessing(&model.preprocessing));
        fields
    };
    alike(described(a), described(b))
}

/// Refuses the first field that differs.
fn alike(a: Described, b: Described) -> Result<(), MergeError> {
    for ((field, first), (_, second)) in a.into_iter().zip(b) {
        if first != second {
            return Err(MergeError::Feeding {
                field,
                first,
                second,
            });
        }
    }
    Ok(())
}

fn outputs(model: &Model) -> (&'static str, String) {
    ("number of outputs", model.outputs.to_string())
}

fn crop(p: &Preprocessing) -> (&'static str, String) {
    ("crop", format!("{}x{}", p.crop.0, p.crop.1))
}

fn output_kind(kind: OutputKind) -> &'static str {
    match kind {
        OutputKind::Logits => "logits",
        OutputKind::Probabilities => "probabilities",
        OutputKind::DoubleSoftmax => "probabilities for a second softmax",
    }
}

fn preprocessing(p: &Preprocessing) -> [(&'static str, String); 6] {
    [
        ("resize", format!("{:?}", p.resize)),
        crop(p),
        ("interpolation", format!("{:?}", p.interpolation)),
        // The shortest decimals that give the same f32 back, so equal words mean equal values.
        ("mean", format!("{:?}", p.mean)),
        ("standard deviation", format!("{:?}", p.std)),
        ("channels", format!("{:?}", p.channels)),
    ]
}
