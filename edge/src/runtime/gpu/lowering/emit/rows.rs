//! Picking rows and joining values: the only forms of Gather and Concat that work.

use anyhow::ensure;

use super::{Attribute, Emitter, Numbers, Value};

/// Values that one Concat joins: more run into the number of bindings.
const JOINED: usize = 6;

impl Emitter {
    /// The elements of all values, one after the other, in one axis.
    pub(in super::super) fn join(&mut self, values: &[Value]) -> anyhow::Result<Value> {
        ensure!(!values.is_empty(), "nothing to join");
        let mut values = values.to_vec();
        for value in &mut values {
            let length = self.len(*value);
            *value = self.reshape(*value, &[length])?;
        }
        while values.len() > 1 {
            let mut joined = Vec::new();
            for part in values.chunks(JOINED) {
                let length = part.iter().map(|&v| self.len(v)).sum();
                let numbers: Option<Vec<_>> = part.iter().map(|&v| self.numbers(v)).collect();
                if let [single] = part {
                    joined.push(*single);
                    continue;
                } else if let Some(numbers) = numbers {
                    let numbers: Vec<f32> =
                        numbers.iter().flat_map(|n| n.iter().copied()).collect();
                    joined.push(self.constant(numbers, &[length])?);
                    continue;
                }
                let axis = vec![("axis", Attribute::Int(0))];
                joined.push(self.node("Concat", part, &[length], axis));
            }
            values = joined;
        }
        Ok(values[0])
    }

    /// Values of `[outer, length, inner]` each, joined along the middle: everything one after the
    /// other, then in rows.
    pub(in super::super) fn concat(
        &mut self,
        parts: &[(Value, [usize; 3])],
    ) -> anyhow::Result<Value> {
        let values: Vec<Value> = parts.iter().map(|part| part.0).collect();
        let joined = self.join(&values)?;
        let [outer, _, inner] = parts[0].1;
        let mut rows = Vec::new();
        for o in 0..outer {
            let mut start = 0;
            for &(_, [_, length, _]) in parts {
                rows.extend((0..length).map(|at| start + o * length + at));
                start += outer * length;
            }
        }
        self.rows(joined, &rows, inner)
    }

    /// Rows of `row` elements each, by their numbers.
    pub(in super::super) fn rows(
        &mut self,
        value: Value,
        rows: &[usize],
        row: usize,
    ) -> anyhow::Result<Value> {
        let length = self.len(value);
        ensure!(
            row > 0 && length.is_multiple_of(row),
            "rows of {row} in {length}"
        );
        ensure!(
            rows.iter().all(|&at| at < length / row),
            "a row beyond the last"
        );
        let (rows, row) = widened(rows, length / row, row);
        let there = length / row;
        let taken = [rows.len(), row];
        if rows.len() == there && rows.iter().copied().eq(0..there) {
            return self.reshape(value, &taken);
        }
        if let Some(numbers) = self.numbers(value) {
            let numbers = rows.iter().flat_map(|&at| &numbers[at * row..][..row]);
            let numbers: Vec<f32> = numbers.copied().collect();
            return self.constant(numbers, &taken);
        }
        let value = self.reshape(value, &[there, row])?;
        let indices: Vec<i32> = rows
            .iter()
            .map(|&at| i32::try_from(at))
            .collect::<Result<_, _>>()?;
        let indices = Numbers::Index(indices.into());
        let indices = self.program.value(&[rows.len()], Some(indices));
        let axis = vec![("axis", Attribute::Int(0))];
        Ok(self.node("Gather", &[value, indices], &taken, axis))
    }

    /// Of `[outer, length, inner]`, the places `taken` along the middle.
    pub(in super::super) fn along(
        &mut self,
        value: Value,
        [outer, length, inner]: [usize; 3],
        taken: &[usize],
    ) -> anyhow::Result<Value> {
        ensure!(
            taken.iter().all(|&at| at < length),
            "a place beyond the last"
        );
        let rows = (0..outer).flat_map(|o| taken.iter().map(move |&at| o * length + at));
        let rows: Vec<usize> = rows.collect();
        self.rows(value, &rows, inner)
    }
}

/// The same elements as fewer, longer rows, where neighbours are taken together.
fn widened(rows: &[usize], there: usize, row: usize) -> (Vec<usize>, usize) {
    let mut share = there;
    let mut start = 0;
    while let Some(&first) = rows.get(start) {
        let run = rows[start..].iter().zip(first..);
        let run = run.take_while(|&(&at, expected)| at == expected).count();
        share = gcd(gcd(share, first), run);
        start += run;
    }
    let share = share.max(1);
    let wide = rows.iter().step_by(share).map(|at| at / share);
    (wide.collect(), row * share)
}

fn gcd(a: usize, b: usize) -> usize {
    if b == 0 { a } else { gcd(b, a % b) }
}
