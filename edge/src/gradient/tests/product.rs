//! Sums of products.

use super::*;

/// What a random product looks like: the axes of both operands and of the result, each a list of
/// letters; the lengths of `a`, `b`, `c` and `d`; for each operand one letter that it repeats.
#[derive(Clone, Debug)]
struct Product {
    axes: [String; 3],
    lengths: [usize; 4],
    repeated: [Option<char>; 2],
}

impl Product {
    fn shape(&self, side: usize) -> Vec<usize> {
        let length = |letter: char| self.lengths[letter as usize - 'a' as usize];
        let repeated = self.repeated[side];
        let letters = self.axes[side].chars();
        letters
            .map(|c| if repeated == Some(c) { 1 } else { length(c) })
            .collect()
    }
}

fn products() -> impl Strategy<Value = Product> {
    let letters = || prop::sample::subsequence(vec!['a', 'b', 'c', 'd'], 1..=3).prop_shuffle();
    let lengths = prop::array::uniform4(1..=3usize);
    let side = prop::sample::select(vec![None, Some(0), Some(1)]);
    (letters(), letters(), lengths, side).prop_flat_map(|(left, right, lengths, side)| {
        let mut all = left.clone();
        all.extend(right.iter().filter(|c| !left.contains(c)));
        let most = all.len();
        let result = prop::sample::subsequence(all, 1..=most).prop_shuffle();
        result.prop_map(move |result| {
            // tract cannot repeat an axis that it sums over.
            let kept = |c: &&char| right.contains(c) && result.contains(c);
            let repeated = left.iter().find(kept).copied();
            Product {
                axes: [&left, &right, &result].map(|letters| letters.iter().collect()),
                lengths,
                repeated: [0, 1].map(|s| repeated.filter(|_| side == Some(s))),
            }
        })
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn of_an_input_and_weights(seed: u64, product in products(), first: bool) {
        let shape = product.shape(usize::from(!first));
        check(DOUBLE, seed, &shape, |b, draw, x| {
            let weights = b.constant(draw.tensor(&product.shape(usize::from(first))))?;
            let [left, right] = if first { [x, weights] } else { [weights, x] };
            let [a, c, result] = &product.axes;
            b.product(&[(a, left), (c, right)], result, DatumType::F64)
        })?;
    }

    #[test]
    fn of_two_inputs(seed: u64, product in products()) {
        let shapes = [0, 1].map(|side| product.shape(side));
        let lengths = shapes.clone().map(|shape| shape.iter().product::<usize>());
        check(DOUBLE, seed, &[lengths[0] + lengths[1]], |b, _, x| {
            use tract_onnx::tract_core::ops::array::Slice;
            let mut operands = [x; 2];
            for side in 0..2 {
                let start = side * lengths[0];
                let part = b.wire(Slice::new(0, start, start + lengths[side]), &[x])?;
                let shape = shapes[side].iter().map(|d| d.to_dim()).collect();
                let from = tvec!(lengths[side].to_dim());
                operands[side] = b.wire(AxisOp::Reshape(0, from, shape), &[part])?;
            }
            let [a, c, result] = &product.axes;
            b.product(&[(a, operands[0]), (c, operands[1])], result, DatumType::F64)
        })?;
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(8))]

    #[test]
    fn attention(seed: u64, batch in 1..=2usize, tokens in 1..=4usize, width in 1..=3usize) {
        check(DOUBLE, seed, &[batch, tokens, width], |b, _, x| {
            let scores = b.product(&[("bmk", x), ("bnk", x)], "bmn", DatumType::F64)?;
            let shares = b.softmax(scores, 2, SoftmaxKind::Softmax)?;
            b.product(&[("bmn", shares), ("bnk", x)], "bmk", DatumType::F64)
        })?;
    }
}

/// No rule: its gradient would need a product that spreads over a diagonal.
#[test]
fn diagonals_are_named() {
    let forward = graph(DatumType::F64, &[3, 3], |b, x| {
        b.product(&[("aa", x)], "a", DatumType::F64)
    });
    assert_eq!(blockers(&forward).unwrap()[0].operator, "EinSum");
}
