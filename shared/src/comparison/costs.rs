//! What running models costs, device by device: a figure of one device is never compared with that
//! of another.

use crate::result::{Cost, Device, Engine, Evaluation};

/// Why no device can be named whose latencies are compared.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum DeviceError {
    /// There are no costs.
    #[error("no latency was measured; `edge bench` does that")]
    NoneMeasured,
    /// Costs of several devices, and none was named.
    #[error("latencies of several devices do not compare: name one of {}", devices.join("; "))]
    Several {
        /// The devices.
        devices: Vec<String>,
    },
    /// No device is called so.
    #[error("no device is called '{wanted}'; there are: {}", devices.join("; "))]
    Unknown {
        /// What was asked for.
        wanted: String,
        /// The devices.
        devices: Vec<String>,
    },
    /// Several devices are called so.
    #[error("'{wanted}' fits several devices ({}): give more of the name", fitting.join("; "))]
    Ambiguous {
        /// What was asked for.
        wanted: String,
        /// The devices that fit.
        fitting: Vec<String>,
    },
}

/// A device as people name it: the GPU adapter with its API, or the processor, and the host.
pub fn label(engine: &Engine, device: &Device) -> String {
    let what = match engine {
        Engine::Wonnx { adapter, api, .. } => format!("{adapter} ({api})"),
        Engine::Tract { .. } if device.processor.is_empty() => format!("{} CPU", device.arch),
        Engine::Tract { .. } => {
            let processor = device.processor.replace("(R)", "").replace("(TM)", "");
            format!("{} (CPU)", processor.trim())
        }
    };
    if device.host.is_empty() {
        what
    } else {
        format!("{what} on {}", device.host)
    }
}

/// The [`label`] of the device of a cost. Costs of one label compare; threads, engine versions and
/// drivers may differ.
pub fn device_label(cost: &Cost) -> String {
    label(&cost.engine, &cost.device)
}

/// The labels of all devices that costs were measured on, sorted.
pub fn devices<'a>(costs: impl IntoIterator<Item = &'a Cost>) -> Vec<String> {
    let mut labels: Vec<String> = costs.into_iter().map(device_label).collect();
    labels.sort();
    labels.dedup();
    labels
}

/// One of `devices`: the only one, or the one whose label or a part of it, in any case, is `wanted`.
///
/// # Errors
/// When there is none, when one must be named, or when none or several fit.
pub fn choose_device(devices: &[String], wanted: Option<&str>) -> Result<String, DeviceError> {
    let listed = || devices.to_vec();
    let Some(wanted) = wanted else {
        return match devices {
            [] => Err(DeviceError::NoneMeasured),
            [only] => Ok(only.clone()),
            _ => Err(DeviceError::Several { devices: listed() }),
        };
    };
    if devices.is_empty() {
        return Err(DeviceError::NoneMeasured);
    }
    let name = wanted.trim().to_lowercase();
    let whole = devices.iter().find(|label| label.to_lowercase() == name);
    if let Some(label) = whole {
        return Ok(label.clone());
    }
    let fits = |label: &&String| !name.is_empty() && label.to_lowercase().contains(&name);
    let fitting: Vec<String> = devices.iter().filter(fits).cloned().collect();
    match &fitting[..] {
        [only] => Ok(only.clone()),
        [] => Err(DeviceError::Unknown {
            wanted: wanted.to_owned(),
            devices: listed(),
        }),
        _ => Err(DeviceError::Ambiguous {
            wanted: wanted.to_owned(),
            fitting,
        }),
    }
}

/// The latest of some costs of one model on the device of this label.
pub fn latest_on<'a>(costs: &'a [Cost], device: &str) -> Option<&'a Cost> {
    costs
        .iter()
        .filter(|cost| device_label(cost) == device)
        .max_by_key(|cost| cost.measured)
}

/// The latency that models are compared by, in milliseconds: the 90th percentile, as in MLPerf's
/// single-stream scenario, of the latest cost on the device of this label.
pub fn latency_on(evaluation: &Evaluation, device: &str) -> Option<f64> {
    Some(latest_on(&evaluation.costs, device)?.latency.p90_ms)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::result::testing::{cost, gpu_cost, small_evaluation};

    #[test]
    fn the_latest_latency_of_a_device_counts() {
        let mut evaluation = small_evaluation();
        // Another number of threads is the same device.
        evaluation.costs = vec![cost(2, 9), cost(4, 12), gpu_cost(3)];
        evaluation.costs[1].latency.p90_ms = 7.5;
        let devices = devices(&evaluation.costs);
        assert_eq!(
            devices,
            ["V3D 4.2 (Vulkan) on bench", "x86_64 CPU on bench"]
        );
        assert_eq!(latency_on(&evaluation, &devices[1]), Some(7.5));
        let gpu = gpu_cost(3).latency.p90_ms;
        assert_eq!(latency_on(&evaluation, &devices[0]), Some(gpu));
        assert_eq!(latency_on(&evaluation, "another"), None);
    }

    #[test]
    fn a_device_is_named_where_there_are_several() {
        let several = ["Cortex-A76 (CPU) on quay", "V3D 4.2 (Vulkan) on quay"].map(str::to_owned);
        let chosen = |devices: &[String], wanted: Option<&str>| {
            choose_device(devices, wanted).unwrap_or_else(|error| error.to_string())
        };
        assert_eq!(chosen(&several, Some("v3d")), several[1]);
        assert_eq!(
            chosen(&several, Some(&several[0].to_uppercase())),
            several[0]
        );
        assert_eq!(chosen(&several[..1], None), several[0]);
        insta::assert_snapshot!(chosen(&[], Some("v3d")), @"no latency was measured; `edge bench` does that");
        insta::assert_snapshot!(chosen(&several, None), @"latencies of several devices do not compare: name one of Cortex-A76 (CPU) on quay; V3D 4.2 (Vulkan) on quay");
        insta::assert_snapshot!(chosen(&several, Some("quay")), @"'quay' fits several devices (Cortex-A76 (CPU) on quay; V3D 4.2 (Vulkan) on quay): give more of the name");
        insta::assert_snapshot!(chosen(&several, Some("")), @"no device is called ''; there are: Cortex-A76 (CPU) on quay; V3D 4.2 (Vulkan) on quay");
    }
}
