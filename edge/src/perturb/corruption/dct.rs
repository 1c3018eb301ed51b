//! The 8-point discrete cosine transform of JPEG, of several blocks at once.

/// Values transformed together: the columns of four blocks.
pub(super) const LANES: usize = 32;

/// Eight rows of four blocks.
pub(super) type Strip = [[f32; LANES]; 8];

/// Transposes every block.
pub(super) fn transpose(from: &Strip, to: &mut Strip) {
    for block in (0..LANES).step_by(8) {
        for y in 0..8 {
            for x in 0..8 {
                to[y][block + x] = from[x][block + y];
            }
        }
    }
}

/// cos(k pi / 16) for k = 0..8.
const COS: [f32; 8] = [
    1.0,
    0.980_785_25,
    0.923_879_5,
    0.831_469_6,
    0.707_106_77,
    0.555_570_24,
    0.382_683_43,
    0.195_090_32,
];

/// The 8-point DCT of every column; rows 0 and 4 times the square root of 8, the others times 2.
pub(super) fn forward(a: &Strip, out: &mut Strip) {
    let [_, c1, c2, c3, _, c5, c6, c7] = COS;
    for i in 0..LANES {
        let sum = |j: usize| a[j][i] + a[7 - j][i];
        let difference = |j: usize| a[j][i] - a[7 - j][i];
        let [s0, s1, s2, s3] = [sum(0), sum(1), sum(2), sum(3)];
        let [d0, d1, d2, d3] = [difference(0), difference(1), difference(2), difference(3)];
        let (even, odd) = ((s0 + s3, s1 + s2), (s0 - s3, s1 - s2));
        out[0][i] = even.0 + even.1;
        out[4][i] = even.0 - even.1;
        out[2][i] = c2 * odd.0 + c6 * odd.1;
        out[6][i] = c6 * odd.0 - c2 * odd.1;
        out[1][i] = c1 * d0 + c3 * d1 + c5 * d2 + c7 * d3;
        out[3][i] = c3 * d0 - c7 * d1 - c1 * d2 - c5 * d3;
        out[5][i] = c5 * d0 - c1 * d1 + c7 * d2 + c3 * d3;
        out[7][i] = c7 * d0 - c5 * d1 + c3 * d2 - c1 * d3;
    }
}

/// The transpose of [`forward`].
pub(super) fn inverse(a: &Strip, out: &mut Strip) {
    let [_, c1, c2, c3, _, c5, c6, c7] = COS;
    for i in 0..LANES {
        let [x0, x1, x2, x3] = [a[0][i], a[1][i], a[2][i], a[3][i]];
        let [x4, x5, x6, x7] = [a[4][i], a[5][i], a[6][i], a[7][i]];
        let (even, odd) = ((x0 + x4, x0 - x4), (c2 * x2 + c6 * x6, c6 * x2 - c2 * x6));
        let s = [
            even.0 + odd.0,
            even.1 + odd.1,
            even.1 - odd.1,
            even.0 - odd.0,
        ];
        let d = [
            c1 * x1 + c3 * x3 + c5 * x5 + c7 * x7,
            c3 * x1 - c7 * x3 - c1 * x5 - c5 * x7,
            c5 * x1 - c1 * x3 + c7 * x5 + c3 * x7,
            c7 * x1 - c5 * x3 + c3 * x5 - c1 * x7,
        ];
        out[0][i] = s[0] + d[0];
        out[1][i] = s[1] + d[1];
        out[2][i] = s[2] + d[2];
        out[3][i] = s[3] + d[3];
        out[4][i] = s[3] - d[3];
        out[5][i] = s[2] - d[2];
        out[6][i] = s[1] - d[1];
        out[7][i] = s[0] - d[0];
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn transforms_equal_their_definition() {
        let input: Strip = std::array::from_fn(|y| {
            std::array::from_fn(|i| ((y * 37 + i * 11) % 256) as f32 - 128.0)
        });
        let (mut found, mut back) = (input, input);
        forward(&input, &mut found);
        let cos = |u: usize, y: usize| {
            let angle = ((2 * y + 1) * u) as f64 * std::f64::consts::PI / 16.0;
            if u == 4 {
                libm::cos(angle) * 2f64.sqrt()
            } else {
                libm::cos(angle)
            }
        };
        for (u, line) in found.iter().enumerate() {
            for (i, &value) in line.iter().enumerate() {
                let sum: f64 = (0..8).map(|y| f64::from(input[y][i]) * cos(u, y)).sum();
                assert!((sum - f64::from(value)).abs() < 1e-3);
            }
        }
        for (u, line) in found.iter_mut().enumerate() {
            let norm = if u.is_multiple_of(4) { 0.125 } else { 0.25 };
            line.iter_mut().for_each(|v| *v *= norm);
        }
        inverse(&found, &mut back);
        let gaps = back.as_flattened().iter().zip(input.as_flattened());
        assert!(gaps.map(|(a, b)| (a - b).abs()).fold(0.0, f32::max) < 1e-4);
    }
}
