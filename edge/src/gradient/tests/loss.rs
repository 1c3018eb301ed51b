//! What the cross entropy is computed from.

use super::*;

/// The loss of class 2 and its gradient in three inputs.
fn loss(
    of: LossOf,
    wire: impl FnOnce(&mut Builder, OutletId) -> TractResult<OutletId>,
) -> (f64, Vec<f64>) {
    let forward = graph(DatumType::F32, &[1, 3], wire);
    let plan = with_loss_gradient(&forward, of).unwrap();
    let plan = plan.into_decluttered().unwrap().into_runnable().unwrap();
    let x = tensor2(&[[0.3f32, -1.2, 0.9]]).into_tvalue();
    let target = tensor2(&[[0f32, 0.0, 1.0]]).into_tvalue();
    let outputs = plan.run(tvec!(x, target)).unwrap();
    (doubles(&outputs[1])[0], doubles(&outputs[2]))
}

/// The numbers are PyTorch's.
#[test]
fn a_final_softmax_or_sigmoid_is_left_out_of_the_loss_of_logits() {
    type Wire = fn(&mut Builder, OutletId) -> TractResult<OutletId>;
    let plain: Wire = |_, x| Ok(x);
    let softmax: Wire = |b, x| b.softmax(x, 1, SoftmaxKind::Softmax);
    let sigmoid: Wire = |b, x| b.unary(Sigmoid {}, x);
    let moved: Wire = |b, x| {
        let apart = b.wire(AxisOp::Add(2), &[x])?;
        let y = b.softmax(apart, 1, SoftmaxKind::Softmax)?;
        b.wire(AxisOp::Rm(2), &[y])
    };
    let of_logits = (0.513_583, [0.328_380, 0.073_272, -0.401_652]);
    let of_softmax = (0.856_504, [0.178_501, 0.034_481, -0.212_982]);
    let of_sigmoid = (0.912_889, [0.085_597, 0.044_205, -0.123_020]);
    for (of, wire, expected) in [
        (LossOf::Logits, plain, of_logits),
        (LossOf::Logits, softmax, of_logits),
        (LossOf::Logits, sigmoid, of_logits),
        (LossOf::Logits, moved, of_logits),
        (LossOf::Outputs, plain, of_logits),
        (LossOf::Outputs, softmax, of_softmax),
        (LossOf::Outputs, moved, of_softmax),
        (LossOf::Outputs, sigmoid, of_sigmoid),
    ] {
        let (loss, gradient) = loss(of, wire);
        assert!((loss - expected.0).abs() < 2e-6, "{of:?}: {loss}");
        for (found, expected) in gradient.iter().zip(expected.1) {
            assert!((found - expected).abs() < 2e-6, "{of:?}: {gradient:?}");
        }
    }
}
