//! Rows of values, and the inputs or outputs of a graph that they are made of.

use std::borrow::Cow;

use anyhow::{Context, ensure};
use tract_onnx::prelude::*;

use crate::model::card::Layout;

/// The inputs or the outputs of a graph for a batch of images: parts of one row per image.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Ports {
    parts: Vec<Part>,
    batch: usize,
}

#[derive(Clone, Debug, PartialEq, Eq)]
struct Part {
    /// As the graph has it, batch first.
    shape: Vec<usize>,
    /// Values of one image.
    len: usize,
    /// Shaped as an image whose channels the graph keeps together, which rows do not.
    interleaved: bool,
}

impl Ports {
    /// The inputs and the outputs of a graph whose first input is the image.
    ///
    /// # Errors
    /// When a shape is not known before running, or not one for a batch of images.
    pub(super) fn of(graph: &TypedModel, layout: Layout) -> anyhow::Result<(Self, Self)> {
        let shape = |outlet: &OutletId| {
            let shape = graph.outlet_fact(*outlet)?.shape.as_concrete();
            let shape = shape.context("a shape is not known before running")?;
            anyhow::Ok(shape.to_vec())
        };
        let shapes = |outlets: &[OutletId]| -> anyhow::Result<Vec<Vec<usize>>> {
            outlets.iter().map(shape).collect()
        };
        let inputs = shapes(graph.input_outlets()?)?;
        let outputs = shapes(graph.output_outlets()?)?;
        let image = inputs.first().cloned().unwrap_or_default();
        ensure!(image.len() == 4, "the input is no image");
        let ports = |shapes| Self::new(shapes, &image, layout);
        Ok((ports(inputs)?, ports(outputs)?))
    }

    pub(super) fn new(
        shapes: Vec<Vec<usize>>,
        image: &[usize],
        layout: Layout,
    ) -> anyhow::Result<Self> {
        let batch = image[0];
        let part = |shape: Vec<usize>| {
            let values: usize = shape.iter().product();
            ensure!(
                values > 0 && values.is_multiple_of(batch),
                "the shape {shape:?} is not one for {batch} images"
            );
            Ok(Part {
                interleaved: layout == Layout::Nhwc && shape == image,
                len: values / batch,
                shape,
            })
        };
        Ok(Self {
            parts: shapes
                .into_iter()
                .map(part)
                .collect::<anyhow::Result<_>>()?,
            batch,
        })
    }

    /// Images that the graph takes at once.
    pub(super) fn batch(&self) -> usize {
        self.batch
    }

    /// Length of a row.
    pub(super) fn len(&self) -> usize {
        self.parts.iter().map(|part| part.len).sum()
    }

    /// Shapes in the graph.
    pub(super) fn shapes(&self) -> impl Iterator<Item = &[usize]> {
        self.parts.iter().map(|part| &part.shape[..])
    }

    /// Takes rows apart: the values of each part, row after row.
    pub(super) fn split<'r>(&self, rows: &'r [f32]) -> Vec<Cow<'r, [f32]>> {
        if let [part] = &self.parts[..]
            && !part.interleaved
        {
            return vec![Cow::Borrowed(rows)];
        }
        let len = self.len().max(1);
        let mut start = 0;
        let values = |part: &Part| {
            let range = start..start + part.len;
            start = range.end;
            let mut values = Vec::with_capacity(rows.len() / len * part.len);
            for row in rows.chunks_exact(len) {
                if part.interleaved {
                    values.extend(interleave(&row[range.clone()]));
                } else {
                    values.extend_from_slice(&row[range.clone()]);
                }
            }
            Cow::Owned(values)
        };
        self.parts.iter().map(values).collect()
    }

    /// Puts the first `count` rows together again, into `rows`.
    ///
    /// # Errors
    /// When a part is missing or too short.
    pub(super) fn join(
        &self,
        values: &[&[f32]],
        count: usize,
        rows: &mut Vec<f32>,
    ) -> anyhow::Result<()> {
        rows.clear();
        for image in 0..count {
            for (index, part) in self.parts.iter().enumerate() {
                let range = image * part.len..(image + 1) * part.len;
                let found = values.get(index).and_then(|values| values.get(range));
                let found = found.context("the engine returned too few values")?;
                if part.interleaved {
                    rows.extend(planes(found));
                } else {
                    rows.extend_from_slice(found);
                }
            }
        }
        Ok(())
    }
}

/// Three planes → pixels of three values.
fn interleave(chw: &[f32]) -> impl Iterator<Item = f32> + '_ {
    let pixels = chw.len() / 3;
    (0..pixels).flat_map(move |pixel| (0..3).map(move |channel| chw[channel * pixels + pixel]))
}

/// Pixels of three values → three planes.
fn planes(pixels: &[f32]) -> impl Iterator<Item = f32> + '_ {
    (0..3).flat_map(|channel| pixels.iter().skip(channel).step_by(3).copied())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ports(layout: Layout, shapes: &[&[usize]]) -> Ports {
        let shapes: Vec<Vec<usize>> = shapes.iter().map(|shape| shape.to_vec()).collect();
        let image = shapes[0].clone();
        Ports::new(shapes, &image, layout).unwrap()
    }

    #[test]
    fn rows_are_split_and_joined() {
        let ports = ports(Layout::Nhwc, &[&[2, 1, 2, 3], &[2], &[2, 2]]);
        assert_eq!((ports.batch(), ports.len()), (2, 9));
        let first = [1., 2., 3., 4., 5., 6., 10., 20., 21.];
        let second = [7., 8., 9., 10., 11., 12., 30., 40., 41.];
        let rows = [first, second].concat();
        let parts = ports.split(&rows);
        let image = [1., 3., 5., 2., 4., 6., 7., 9., 11., 8., 10., 12.];
        let parts: Vec<&[f32]> = parts.iter().map(|part| &part[..]).collect();
        assert_eq!(parts, [&image[..], &[10., 30.], &[20., 21., 40., 41.]]);
        let mut joined = vec![0.0];
        ports.join(&parts, 2, &mut joined).unwrap();
        assert_eq!(joined, rows);
        ports.join(&parts, 1, &mut joined).unwrap();
        assert_eq!(joined, first);
        assert!(ports.join(&parts, 3, &mut joined).is_err());
        assert!(ports.join(&parts[..2], 1, &mut joined).is_err());
    }

    #[test]
    fn planes_are_left_alone() {
        let ports = ports(Layout::Nchw, &[&[1, 3, 1, 2]]);
        let row = [1., 2., 3., 4., 5., 6.];
        assert_eq!(ports.split(&row), [Cow::Borrowed(&row)]);
    }

    #[test]
    fn shapes_must_fit_the_batch() {
        let wrong = Ports::new(vec![vec![3, 5]], &[2, 3, 1, 1], Layout::Nchw);
        let message = wrong.unwrap_err().to_string();
        assert_eq!(message, "the shape [3, 5] is not one for 2 images");
        assert!(Ports::new(vec![vec![1, 3, 0, 4]], &[1, 3, 0, 4], Layout::Nchw).is_err());
    }
}
