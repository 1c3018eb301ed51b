//! Which outputs are classes of the label set.

use serde::Serialize;
use shared::result::OutputKind;

/// A model's outputs seen as classes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct OutputView {
    /// Outputs of the graph per image.
    pub outputs: usize,
    /// Whether the first output is a background class, which is dropped.
    pub drop_background: bool,
}

impl OutputView {
    /// Number of classes.
    pub fn classes(&self) -> usize {
        self.outputs - usize::from(self.drop_background)
    }

    /// Removes the background class from one image's raw outputs, leaving one score per class.
    ///
    /// Probabilities are divided by what remains, as a softmax over the classes alone would give;
    /// where nothing remains they become uniform.
    pub fn keep_classes(&self, outputs: &mut Vec<f32>, kind: OutputKind) {
        if !self.drop_background || outputs.is_empty() {
            return;
        }
        outputs.remove(0);
        if kind != OutputKind::Logits {
            let sum: f32 = outputs.iter().sum();
            let uniform = 1.0 / outputs.len() as f32;
            for output in outputs {
                *output = if sum > 0.0 { *output / sum } else { uniform };
            }
        }
    }
}

/// A model whose outputs do not fit a label set.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "the model has {outputs} outputs{background}, but the label set has {classes} classes: use \
     data with the model's label set, or state background_class in a model card"
)]
pub struct LabelMismatch {
    /// Outputs of the graph.
    pub outputs: usize,
    /// Classes of the label set.
    pub classes: usize,
    background: &'static str,
}

/// Matches outputs to a label set: as many, or one more for a background class in first place.
/// `background` is the card's word on it.
pub(super) fn fit(
    outputs: usize,
    classes: usize,
    background: Option<bool>,
) -> Result<OutputView, LabelMismatch> {
    let drop_background = background.unwrap_or(outputs == classes + 1);
    let view = OutputView {
        outputs,
        drop_background,
    };
    if outputs > 0 && view.classes() == classes {
        return Ok(view);
    }
    Err(LabelMismatch {
        outputs,
        classes,
        background: match background {
            Some(true) => " (the first is background, says its card)",
            Some(false) => " (none is background, says its card)",
            None => "",
        },
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn background() {
        let drops = |outputs, classes, card| fit(outputs, classes, card).map(|v| v.drop_background);
        assert_eq!(drops(1000, 1000, None), Ok(false));
        assert_eq!(drops(1001, 1000, None), Ok(true));
        assert_eq!(drops(1001, 1000, Some(true)), Ok(true));
        assert!(drops(1001, 1000, Some(false)).is_err());
        assert!(drops(1000, 1000, Some(true)).is_err());
        insta::assert_snapshot!(fit(1000, 16, None).unwrap_err(), @"the model has 1000 outputs, but the label set has 16 classes: use data with the model's label set, or state background_class in a model card");
    }

    #[test]
    fn probabilities_are_rescaled() {
        let view = fit(3, 2, None).unwrap();
        let mut outputs = vec![0.5, 0.125, 0.375];
        view.keep_classes(&mut outputs, OutputKind::Probabilities);
        assert_eq!(outputs, [0.25, 0.75]);
        let mut outputs = vec![5.0, 1.0, -1.0];
        view.keep_classes(&mut outputs, OutputKind::Logits);
        assert_eq!(outputs, [1.0, -1.0]);
    }
}
