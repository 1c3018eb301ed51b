//! Sizes and offsets, with torchvision's rounding.

use shared::result::Resize;

/// Size after the resize step, `(width, height)`, at least 1 × 1.
///
/// The longer side is `int(size * long / short)`. 64 bits: a strip of one pixel by many millions is
/// a valid image, and only the part that survives the crop is ever computed.
pub(super) fn resized_size(resize: Resize, (width, height): (u32, u32)) -> (u64, u64) {
    let (width, height) = (u64::from(width), u64::from(height));
    match resize {
        Resize::None => (width, height),
        Resize::Exact(width, height) => (u64::from(width), u64::from(height)),
        Resize::ShorterSide(side) => {
            let side = u64::from(side);
            let (short, long) = (width.min(height).max(1), width.max(height));
            let longer = side * long / short;
            if width <= height {
                (side, longer)
            } else {
                (longer, side)
            }
        }
    }
}

/// One direction of resize and centre crop.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Axis {
    /// Pixels of the source image.
    pub(super) source: u32,
    /// Pixels after the resize.
    pub(super) resized: u64,
    /// First resized pixel that survives the crop.
    pub(super) first: u64,
    /// Number of resized pixels that survive the crop.
    pub(super) kept: u32,
    /// Black pixels before them, where the resized image is smaller than the crop.
    pub(super) pad: u32,
}

impl Axis {
    pub(super) fn new(source: u32, resized: u64, crop: u32) -> Self {
        let wide = u64::from(crop);
        let (first, kept, pad) = if resized < wide {
            // The kept part fits into u32 because it is shorter than the crop.
            let kept = u32::try_from(resized).unwrap_or(crop);
            (0, kept, (crop - kept) / 2)
        } else {
            (half_to_even(resized - wide), crop, 0)
        };
        Self {
            source,
            resized,
            first,
            kept,
            pad,
        }
    }
}

/// `round(n / 2)` with ties to even, which is Python's `round`.
fn half_to_even(n: u64) -> u64 {
    let half = n / 2;
    if n % 2 == 1 && half % 2 == 1 {
        half + 1
    } else {
        half
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn longer_side_is_truncated() {
        assert_eq!(
            resized_size(Resize::ShorterSide(256), (500, 375)),
            (341, 256)
        );
        assert_eq!(
            resized_size(Resize::ShorterSide(256), (375, 500)),
            (256, 341)
        );
        assert_eq!(
            resized_size(Resize::ShorterSide(256), (224, 224)),
            (256, 256)
        );
        assert_eq!(resized_size(Resize::ShorterSide(2), (1, 1000)), (2, 2000));
    }

    #[test]
    fn crop_offset_rounds_ties_to_even() {
        // Python: int(round((341 - 224) / 2)) = 58, int(round((227 - 224) / 2)) = 2,
        // int(round((225 - 224) / 2)) = 0.
        assert_eq!(Axis::new(500, 341, 224).first, 58);
        assert_eq!(Axis::new(500, 227, 224).first, 2);
        assert_eq!(Axis::new(500, 225, 224).first, 0);
        assert_eq!(Axis::new(500, 256, 224).first, 16);
    }

    #[test]
    fn smaller_image_is_padded_less_before_than_after() {
        let axis = Axis::new(7, 7, 12);
        assert_eq!((axis.first, axis.kept, axis.pad), (0, 7, 2));
    }
}
