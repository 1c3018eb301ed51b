//! Relative accuracy: accuracy on a shifted set over clean accuracy of the same run (SPEC §0).

use super::NotMeasured;
use super::records::Tally;

/// `shifted / clean`, at least 0 and possibly above 1; `None` if the clean accuracy is 0.
pub fn relative(shifted: f64, clean: f64) -> Option<f64> {
    (clean > 0.0).then(|| shifted / clean)
}

/// Relative accuracy of a pass.
pub(super) fn to_clean(shifted: Tally, clean: Tally) -> Result<f64, NotMeasured> {
    relative(shifted.accuracy(), clean.accuracy()).ok_or_else(clean_is_zero)
}

/// The error of everything that is divided by a clean accuracy of 0.
pub(super) fn clean_is_zero() -> NotMeasured {
    NotMeasured::Undefined("clean accuracy is zero".to_owned())
}

#[cfg(test)]
mod tests {
    use super::relative;

    #[test]
    fn nothing_is_relative_to_zero() {
        assert_eq!(relative(0.3, 0.6), Some(0.5));
        assert_eq!(relative(0.6, 0.3), Some(2.0));
        assert_eq!(relative(0.0, 0.0), None);
    }
}
