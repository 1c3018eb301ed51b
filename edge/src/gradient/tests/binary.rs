//! Functions of two elements.

use tract_onnx::tract_core::ops::binary::BinMiniOp;
use tract_onnx::tract_core::ops::math::{Add, Div, Max, Min, Mul, Pow, Sub, SubF};

use super::*;

/// Which operands are made of the input.
#[derive(Clone, Copy, Debug)]
enum Varying {
    Left,
    Right,
    Both,
}

/// A seed, what varies, and the shapes of both operands: each axis may be repeated on one side.
type Case = (u64, Varying, [Vec<usize>; 2]);

fn cases() -> impl Strategy<Value = Case> {
    let varying = prop::sample::select(vec![Varying::Left, Varying::Right, Varying::Both]);
    let axis = (1..=3usize).prop_flat_map(|length| {
        prop::sample::select(vec![[length, length], [1, length], [length, 1]])
    });
    let shapes = prop::collection::vec(axis, 0..=3)
        .prop_map(|axes| [0, 1].map(|side| axes.iter().map(|axis| axis[side]).collect()));
    (any::<u64>(), varying, shapes)
}

/// Two operands of the shapes, numbers within ±1.5 or their exponentials.
fn operands(
    b: &mut Builder,
    draw: &mut Draw,
    x: OutletId,
    (_, varying, shapes): &Case,
    positive: [bool; 2],
) -> TractResult<[OutletId; 2]> {
    use tract_onnx::tract_core::ops::array::Slice;
    use tract_onnx::tract_core::ops::math::Exp;
    let mut made = [x; 2];
    for side in 0..2 {
        let varies = match varying {
            Varying::Left => side == 0,
            Varying::Right => side == 1,
            Varying::Both => true,
        };
        let length: usize = shapes[side].iter().product();
        if !varies {
            let of = if positive[side] { f64::exp } else { |v| v };
            made[side] = b.constant(draw.tensor_of(&shapes[side], of))?;
            continue;
        }
        // The left operand is what the input begins with, the right one what it ends with.
        let all = b.shape(x)?[0];
        let start = if side == 0 { 0 } else { all - length };
        let part = b.wire(Slice::new(0, start, start + length), &[x])?;
        let shape = shapes[side].iter().map(|d| d.to_dim()).collect();
        let part = b.wire(AxisOp::Reshape(0, tvec!(length.to_dim()), shape), &[part])?;
        made[side] = if positive[side] {
            b.unary(Exp {}, part)?
        } else {
            part
        };
    }
    Ok(made)
}

fn input(shapes: &[Vec<usize>; 2]) -> [usize; 1] {
    [shapes.iter().map(|s| s.iter().product::<usize>()).sum()]
}

fn function(case: &Case, positive: [bool; 2], op: impl BinMiniOp) -> Result<(), TestCaseError> {
    check(DOUBLE, case.0, &input(&case.2), |b, draw, x| {
        let [left, right] = operands(b, draw, x, case, positive)?;
        b.binary(op, left, right)
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn sums_and_products(case in cases()) {
        function(&case, [false; 2], Add)?;
        function(&case, [false; 2], Sub)?;
        function(&case, [false; 2], SubF)?;
        function(&case, [false; 2], Mul)?;
    }

    #[test]
    fn quotients_and_powers(case in cases()) {
        function(&case, [false, true], Div)?;
        function(&case, [true, false], Pow)?;
    }

    #[test]
    fn extremes(case in cases()) {
        function(&case, [false; 2], Max)?;
        function(&case, [false; 2], Min)?;
    }

    /// A bound from below and one from above, in both orders, crossed or not; what is between them
    /// may be used elsewhere too.
    #[test]
    fn clips(seed: u64, shape in shapes(1..=3), bounds in (-2..=2i8, -2..=2i8), order: bool, shared: bool) {
        check(DOUBLE, seed, &shape, |b, _, x| {
            let [low, high] = [bounds.0, bounds.1].map(|bound| b.number(f64::from(bound) / 2.0, x));
            let (low, high) = (low?, high?);
            let inner = if order { b.binary(Max, x, low)? } else { b.binary(Min, x, high)? };
            let outer = if order { b.binary(Min, inner, high)? } else { b.binary(Max, inner, low)? };
            if shared { b.add(outer, inner) } else { Ok(outer) }
        })?;
    }

    #[test]
    fn choices(case in cases()) {
        check(DOUBLE, case.0, &input(&case.2), |b, draw, x| {
            let [left, right] = operands(b, draw, x, &case, [false; 2])?;
            let condition = b.greater(left, right)?;
            let square = b.mul(left, left)?;
            b.choose(condition, square, right)
        })?;
    }

    /// As tract has a PReLU, which has a rule of its own.
    #[test]
    fn leaky_rectifiers(seed: u64, shape in shapes(1..=3)) {
        check(DOUBLE, seed, &shape, |b, draw, x| {
            let zero = b.number(0.0, x)?;
            let below = b.greater(zero, x)?;
            let weight = b.constant(draw.tensor(&vec![1; shape.len()]))?;
            let product = b.mul(x, weight)?;
            b.choose(below, product, x)
        })?;
    }
}
