//! Numbers and circumstances as people read them; what tables of all programs share is in
//! `shared::words`.

use shared::result::{
    ChannelOrder, Interpolation, OutputKind, Preprocessing, PreprocessingSource, Resize,
};

/// What a graph returns.
pub fn output_kind(kind: OutputKind) -> &'static str {
    match kind {
        OutputKind::Logits => "logits",
        OutputKind::Probabilities => "probabilities",
        OutputKind::DoubleSoftmax => "probabilities, passed through softmax again",
    }
}

/// How images become tensors, in one sentence.
pub fn preprocessing(steps: &Preprocessing) -> String {
    let filter = match steps.interpolation {
        Interpolation::Nearest => "nearest",
        Interpolation::Bilinear => "bilinear",
        Interpolation::Bicubic => "bicubic",
        Interpolation::Lanczos => "Lanczos",
    };
    let resize = match steps.resize {
        Resize::None => "no resize".to_owned(),
        Resize::ShorterSide(side) => format!("shorter side to {side} ({filter})"),
        Resize::Exact(width, height) => format!("to {width}×{height} ({filter})"),
    };
    let channels = match steps.channels {
        ChannelOrder::Rgb => "RGB",
        ChannelOrder::Bgr => "BGR",
    };
    let source = match steps.source {
        PreprocessingSource::Card => "model card",
        PreprocessingSource::Timm => "timm configuration",
        PreprocessingSource::Defaults => "ImageNet defaults",
    };
    let list = |values: [f32; 3]| values.map(|value| format!("{value:.3}")).join(" ");
    format!(
        "{resize}, crop {}×{}, {channels}, mean {}, deviation {} ({source})",
        steps.crop.0,
        steps.crop.1,
        list(steps.mean),
        list(steps.std),
    )
}

/// A share of the published models in percent, without its sign: `87.4`.
pub fn percentile(share: f64) -> String {
    format!("{:.1}", share * 100.0)
}

/// A number of bytes with a decimal unit, three digits.
pub fn bytes(n: u64) -> String {
    scaled(n as f64, &["B", "kB", "MB", "GB", "TB"])
}

/// Multiply–accumulates with a unit, three digits.
pub fn macs(n: u64) -> String {
    scaled(n as f64, &["", "k", "M", "G", "T"])
}

fn scaled(mut value: f64, units: &[&str]) -> String {
    let mut index = 0;
    // 999.5 would print as 1000.
    while value >= 999.5 && index + 1 < units.len() {
        value /= 1000.0;
        index += 1;
    }
    let unit = units.get(index).copied().unwrap_or_default();
    let number = match index {
        0 => format!("{value:.0}"),
        _ => three_digits(value),
    };
    format!("{number} {unit}").trim_end().to_owned()
}

/// A duration in milliseconds with its unit, three digits.
pub fn milliseconds(ms: f64) -> String {
    match ms {
        ms if ms >= 9_995.0 => format!("{} s", three_digits(ms / 1000.0)),
        ms => format!("{} ms", three_digits(ms)),
    }
}

/// Images per second, three digits.
pub fn images_per_s(rate: f64) -> String {
    format!("{}/s", three_digits(rate))
}

/// Energy with its unit, three digits.
pub fn joules(energy: f64) -> String {
    match energy {
        e if e < 0.9995 => format!("{} mJ", three_digits(e * 1000.0)),
        e => format!("{} J", three_digits(e)),
    }
}

fn three_digits(value: f64) -> String {
    let digits = match value {
        v if v < 9.995 => 2,
        v if v < 99.95 => 1,
        _ => 0,
    };
    format!("{value:.digits$}")
}

/// A moment as `2026-11-30 17:02`, in UTC.
pub fn utc(seconds: u64) -> String {
    let (days, rest) = (seconds / 86_400, seconds % 86_400);
    let (year, month, day) = civil(days);
    let (hour, minute) = (rest / 3600, rest % 3600 / 60);
    format!("{year:04}-{month:02}-{day:02} {hour:02}:{minute:02}")
}

/// Year, month and day of a number of days since 1970, in the Gregorian calendar.
///
/// Counts whole 400-year cycles from 1 March of year 0, so that leap days end a year.
fn civil(days: u64) -> (u64, u64, u64) {
    let shifted = days + 719_468;
    let (cycle, day_of_cycle) = (shifted / 146_097, shifted % 146_097);
    let year_of_cycle = (day_of_cycle - day_of_cycle / 1_460 + day_of_cycle / 36_524
        - day_of_cycle / 146_096)
        / 365;
    let day_of_year =
        day_of_cycle - (365 * year_of_cycle + year_of_cycle / 4 - year_of_cycle / 100);
    let month_from_march = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * month_from_march + 2) / 5 + 1;
    let month = if month_from_march < 10 {
        month_from_march + 3
    } else {
        month_from_march - 9
    };
    let year = cycle * 400 + year_of_cycle + u64::from(month <= 2);
    (year, month, day)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_have_three_digits() {
        assert_eq!(
            [0, 999, 1000, 11_510, 562_027, 99_960_000, 999_600_000].map(bytes),
            [
                "0 B", "999 B", "1.00 kB", "11.5 kB", "562 kB", "100 MB", "1.00 GB"
            ]
        );
        assert_eq!(macs(6_354_176), "6.35 M");
        assert_eq!(macs(12), "12");
        assert_eq!(
            [0.1234, 9.999, 123.4, 9_994.0, 12_345.0].map(milliseconds),
            ["0.12 ms", "10.0 ms", "123 ms", "9994 ms", "12.3 s"]
        );
        assert_eq!(images_per_s(1234.5), "1234/s");
        assert_eq!([0.0125, 2.5].map(joules), ["12.5 mJ", "2.50 J"]);
    }

    /// Moments from `date -u -d @N`.
    #[test]
    fn moments() {
        assert_eq!(utc(0), "1970-01-01 00:00");
        assert_eq!(utc(951_782_400), "2000-02-29 00:00");
        assert_eq!(utc(1_796_058_212), "2026-11-30 17:03");
        assert_eq!(utc(4_107_542_399), "2100-02-28 23:59");
        assert_eq!(utc(4_107_542_400), "2100-03-01 00:00");
    }
}
