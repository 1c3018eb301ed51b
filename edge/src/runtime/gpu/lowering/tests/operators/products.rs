//! Sums of products.

use tract_onnx::tract_core::ops::einsum::EinSum;
use tract_onnx::tract_core::ops::math::Tanh;

use super::*;

#[test]
fn products() {
    let mut cases = Cases::default();
    for (axes, shape, weights) in [
        ("mk,kn->mn", vec![1, 10], vec![10, 8]),
        ("mk,kn->mn", vec![1, 16], vec![16, 10]),
        ("mk,kn->mn", vec![3, 9], vec![9, 6]),
        ("mk,nk->mn", vec![5, 20], vec![10, 20]),
        ("bmk,kn->bmn", vec![2, 7, 16], vec![16, 12]),
        ("bmk,nk->bnm", vec![2, 7, 5], vec![3, 5]),
        ("nihw,oi->nohw", vec![2, 6, 3, 5], vec![8, 6]),
        ("nhwi,oi->nohw", vec![2, 3, 5, 6], vec![4, 6]),
        ("bmhd,hdn->bmn", vec![2, 3, 2, 4], vec![2, 4, 5]),
        ("bmk,bkn->bmn", vec![2, 3, 5], vec![2, 5, 4]),
        ("bk,bk->b", vec![3, 5], vec![3, 5]),
        ("bk,k->bk", vec![3, 5], vec![5]),
        ("bmk,akn->bmn", vec![2, 3, 5], vec![1, 5, 4]),
    ] {
        cases.add(format!("{axes} {shape:?}"), &shape, |g, x| {
            let weights = constant(g, 3, &weights)?;
            einsum(g, axes, &[x, weights])
        });
    }
    for (axes, shape) in [
        ("bmk,bnk->bmn", vec![2, 7, 5]),
        ("bhmd,bhnd->bhmn", vec![2, 3, 5, 4]),
        ("bmhd,bnhd->bhmn", vec![2, 5, 3, 4]),
        ("mk,nk->nm", vec![17, 6]),
        ("mk,nk->mn", vec![8, 16]),
        ("bhmd,bhmn->bhdn", vec![2, 3, 4, 4]),
    ] {
        cases.add(format!("changing {axes}"), &shape, |g, x| {
            let y = wire(g, unary(Tanh {}), &[x])?;
            einsum(g, axes, &[x, y])
        });
    }
    cases.add("sum", &[2, 3, 4], |g, x| einsum(g, "abc->ca", &[x]));
    cases.check();
}

fn einsum(g: &mut TypedModel, axes: &str, inputs: &[OutletId]) -> TractResult<OutletId> {
    wire(g, EinSum::new(axes.parse()?, f32::datum_type()), inputs)
}
