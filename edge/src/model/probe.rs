//! What the outputs are, found by looking at them.

use anyhow::bail;
use shared::result::OutputKind;
use tract_onnx::pb::GraphProto;

use crate::runtime::Network;
use crate::runtime::gradient::LossGradients;

/// What fixed inputs showed.
pub(super) struct Probe {
    /// Logits or probabilities.
    pub(super) kind: OutputKind,
    /// Whether every output was finite.
    pub(super) finite: bool,
}

/// Runs a few fixed images through a model (SPEC §0): outputs that are all within [0, 1] with rows
/// summing to 1 ± 1e-3 are probabilities. A graph ending in Softmax or Sigmoid gives probabilities
/// whatever the numbers.
pub(super) fn probe(
    classifier: &dyn Network,
    graph: &GraphProto,
    output: &str,
) -> anyhow::Result<Probe> {
    super::quiet::catch(|| {
        let mut session = classifier.session()?;
        let mut outputs = Vec::new();
        let (mut finite, mut sums_to_one) = (true, true);
        for image in images(classifier.input_len()) {
            session.run(&image, &mut outputs)?;
            finite &= outputs.iter().all(|v| v.is_finite());
            sums_to_one &= is_distribution(&outputs);
        }
        let kind = if sums_to_one || ends_in_probabilities(graph, output) {
            OutputKind::Probabilities
        } else {
            OutputKind::Logits
        };
        Ok(Probe { kind, finite })
    })
}

/// Refuses gradients that cannot be computed, or that are 0 on every fixed image for both the first
/// and the last class, as behind rounding: attacks along them find nothing, however fragile the
/// model is.
pub(super) fn check_gradients(
    classifier: &dyn Network,
    gradients: &LossGradients,
) -> anyhow::Result<()> {
    let mut session = gradients.session()?;
    let (mut scores, mut gradient) = (Vec::new(), Vec::new());
    for image in images(classifier.input_len()) {
        for class in [0, classifier.output_len() - 1] {
            session.run(&image, class, &mut scores, &mut gradient)?;
            if gradient.iter().any(|g| g.is_finite() && *g != 0.0) {
                return Ok(());
            }
        }
    }
    bail!("the gradient is 0 on every test image")
}

fn is_distribution(row: &[f32]) -> bool {
    let sum: f64 = row.iter().map(|&v| f64::from(v)).sum();
    row.iter().all(|v| (0.0..=1.0).contains(v)) && (sum - 1.0).abs() <= 1e-3
}

/// Grey, a ramp and noise.
fn images(len: usize) -> [Vec<f32>; 3] {
    [vec![0.0; len], test_image(0, len), test_image(1, len)]
}

/// Fixed images spread as normalised ones are: a ramp, then noise, each from its own state.
pub(crate) fn test_image(number: usize, len: usize) -> Vec<f32> {
    if number == 0 {
        return (0..len)
            .map(|i| 4.0 * i as f32 / len as f32 - 2.0)
            .collect();
    }
    let mut state = number as u32;
    let noise = (0..len).map(|_| {
        // Numerical Recipes' linear congruential generator: all that matters is that it is fixed.
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        (state >> 8) as f32 / (1 << 22) as f32 - 2.0
    });
    noise.collect()
}

/// Whether the node that makes the output, reshaping aside, is a Softmax or Sigmoid.
fn ends_in_probabilities(graph: &GraphProto, output: &str) -> bool {
    let mut name = output;
    // Bounded: a malformed graph may be circular.
    for _ in 0..graph.node.len() {
        let maker = graph
            .node
            .iter()
            .find(|node| node.output.iter().any(|o| o == name));
        match maker.map(|node| (node.op_type.as_str(), node.input.first())) {
            Some(("Softmax" | "Sigmoid", _)) => return true,
            Some(("Identity" | "Reshape" | "Flatten" | "Squeeze" | "Cast", Some(input))) => {
                name = input;
            }
            _ => return false,
        }
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn distributions() {
        assert!(is_distribution(&[0.25, 0.75]));
        assert!(is_distribution(&[0.2995, 0.7]));
        assert!(!is_distribution(&[0.29, 0.7]));
        assert!(!is_distribution(&[-0.5, 1.5]));
        assert!(!is_distribution(&[f32::NAN, 1.0]));
    }

    #[test]
    fn images_spread() {
        let [_, ramp, noise] = images(3000);
        for image in [ramp, noise] {
            let (low, high) = image
                .iter()
                .fold((0.0_f32, 0.0_f32), |(l, h), v| (l.min(*v), h.max(*v)));
            assert!(
                (-2.0..-1.9).contains(&low) && (1.9..=2.0).contains(&high),
                "{low} {high}"
            );
        }
    }
}
