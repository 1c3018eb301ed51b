//! Inputs and outputs as the ONNX file declares them, and which of them is an image.

use std::fmt;

use anyhow::{bail, ensure};
use serde::Serialize;

use super::card::Layout;
use super::preprocessing::InputSides;

/// A declared graph input or output.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Tensor {
    /// Name in the graph.
    pub name: String,
    /// ONNX element type in lower case, for instance `float`.
    pub element_type: String,
    /// Dimensions; `None` where the file declares none.
    pub shape: Option<Vec<Dim>>,
}

/// One dimension of a declared shape.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(untagged)]
pub enum Dim {
    /// A fixed size, at least 1.
    Fixed(u32),
    /// A size known only at run time, by name, or `?`.
    Open(String),
}

impl Dim {
    /// The size, where it is fixed.
    pub fn fixed(&self) -> Option<u32> {
        match self {
            Self::Fixed(size) => Some(*size),
            Self::Open(_) => None,
        }
    }
}

impl Tensor {
    pub(super) fn untyped(name: &str) -> Self {
        Self {
            name: name.to_owned(),
            element_type: "undefined".to_owned(),
            shape: None,
        }
    }
}

impl fmt::Display for Dim {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Fixed(size) => write!(f, "{size}"),
            Self::Open(name) => f.write_str(name),
        }
    }
}

impl fmt::Display for Tensor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.name, self.element_type)?;
        match &self.shape {
            Some(dims) => {
                let dims: Vec<String> = dims.iter().map(Dim::to_string).collect();
                write!(f, "[{}]", dims.join(", "))
            }
            None => f.write_str(" of unknown shape"),
        }
    }
}

/// The one image input of a graph.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct ImageInput {
    /// Batch size, where the graph fixes it.
    pub(super) batch: Option<u32>,
    pub(super) layout: Layout,
    pub(super) sides: InputSides,
}

impl ImageInput {
    /// Understands the inputs of a graph: exactly one float image tensor with three channels.
    ///
    /// Three channels in second place are NCHW, in last place NHWC; where both fit, NCHW.
    pub(super) fn find(inputs: &[Tensor], layout: Option<Layout>) -> anyhow::Result<Self> {
        let input = match inputs {
            [input] => input,
            [] => bail!("the graph takes no input, expected one image"),
            _ => {
                let names: Vec<String> = inputs.iter().map(Tensor::to_string).collect();
                bail!(
                    "expected one image input, found {}: {}",
                    inputs.len(),
                    names.join(", ")
                )
            }
        };
        ensure!(
            input.element_type == "float",
            "the input {input} is not a float32 image: export the model with a float32 input"
        );
        let dims: [Option<u32>; 4] = match input.shape.as_deref() {
            None => [None; 4],
            Some([n, a, b, c]) => [n, a, b, c].map(Dim::fixed),
            Some(_) => bail!(
                "the input {input} is not an image: expected four dimensions (batch, channels, \
                 height, width)"
            ),
        };
        let layout = layout.unwrap_or_else(|| detect(dims));
        let [batch, second, third, last] = dims;
        let (channels, height, width) = match layout {
            Layout::Nchw => (second, third, last),
            Layout::Nhwc => (last, second, third),
        };
        ensure!(
            channels.is_none_or(|channels| channels == 3),
            "the input {input} does not take three colour channels ({layout}): grayscale and \
             multispectral models cannot be evaluated"
        );
        Ok(Self {
            batch,
            layout,
            sides: InputSides { height, width },
        })
    }

    /// The concrete shape of the input tensor for a batch and a crop `(width, height)`.
    pub(super) fn shape(&self, batch: usize, crop: (u32, u32)) -> [usize; 4] {
        let (width, height) = (crop.0 as usize, crop.1 as usize);
        match self.layout {
            Layout::Nchw => [batch, 3, height, width],
            Layout::Nhwc => [batch, height, width, 3],
        }
    }
}

fn detect([_, second, _, last]: [Option<u32>; 4]) -> Layout {
    match (second, last) {
        (Some(3), _) => Layout::Nchw,
        (_, Some(3)) => Layout::Nhwc,
        (Some(_), None) => Layout::Nhwc,
        _ => Layout::Nchw,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn input(dims: [i64; 4]) -> Tensor {
        let dim = |size: i64| match u32::try_from(size) {
            Ok(size) => Dim::Fixed(size),
            Err(_negative) => Dim::Open("N".to_owned()),
        };
        Tensor {
            name: "image".to_owned(),
            element_type: "float".to_owned(),
            shape: Some(dims.map(dim).to_vec()),
        }
    }

    fn layout(dims: [i64; 4]) -> Layout {
        ImageInput::find(&[input(dims)], None).unwrap().layout
    }

    #[test]
    fn layouts() {
        assert_eq!(layout([1, 3, 224, 224]), Layout::Nchw);
        assert_eq!(layout([-1, 224, 224, 3]), Layout::Nhwc);
        assert_eq!(layout([1, 3, 3, 3]), Layout::Nchw, "ambiguous");
        assert_eq!(layout([-1, -1, -1, -1]), Layout::Nchw, "open");
        let forced = ImageInput::find(&[input([1, 3, 3, 3])], Some(Layout::Nhwc)).unwrap();
        assert_eq!(forced.layout, Layout::Nhwc);
        assert_eq!(forced.shape(2, (5, 4)), [2, 4, 5, 3]);
    }

    #[test]
    fn messages() {
        let message = |inputs: &[Tensor]| ImageInput::find(inputs, None).unwrap_err().to_string();
        insta::assert_snapshot!(message(&[input([1, 1, 28, 28])]), @"the input image float[1, 1, 28, 28] does not take three colour channels (nchw): grayscale and multispectral models cannot be evaluated");
        insta::assert_snapshot!(message(&[]), @"the graph takes no input, expected one image");
        let mut bytes = input([1, 3, 28, 28]);
        bytes.element_type = "uint8".to_owned();
        insta::assert_snapshot!(message(&[bytes.clone()]), @"the input image uint8[1, 3, 28, 28] is not a float32 image: export the model with a float32 input");
        insta::assert_snapshot!(message(&[bytes.clone(), bytes]), @"expected one image input, found 2: image uint8[1, 3, 28, 28], image uint8[1, 3, 28, 28]");
    }
}
