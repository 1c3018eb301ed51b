//! The text of `edge devices`.

use std::fmt::Write as _;

use anyhow::Result;
use serde::Serialize;

use super::args::DevicesArguments;
use super::table::Table;
use super::{Exit, words};
use crate::runtime::gpu::adapters::{self, Adapter, WONNX};
use crate::runtime::gpu::choice::{Backend, Choice, ChoiceError, choose};

/// What `edge devices --json` prints.
#[derive(Serialize)]
pub struct Devices {
    /// Whether this program can use GPUs.
    pub gpu_support: bool,
    /// Every adapter; positions are the indices that `--device` takes.
    pub adapters: Vec<Adapter>,
    /// What models run on where nothing is asked for.
    pub automatic: Choice,
}

impl Devices {
    /// The choice among these adapters.
    ///
    /// # Errors
    /// Never: something can always be chosen automatically.
    pub fn of(adapters: Vec<Adapter>) -> Result<Self, ChoiceError> {
        Ok(Self {
            gpu_support: cfg!(feature = "gpu"),
            automatic: choose(&adapters, Backend::Auto, None)?,
            adapters,
        })
    }
}

pub(super) fn run(arguments: &DevicesArguments) -> Result<Exit> {
    let devices = Devices::of(adapters::list())?;
    let text = if arguments.json {
        serde_json::to_string_pretty(&devices)? + "\n"
    } else {
        render(&devices)
    };
    words::print(&text)?;
    Ok(Exit::SUCCESS)
}

/// Adapters for people: a table, what is wrong with which, and what would be used.
pub fn render(devices: &Devices) -> String {
    let mut text = String::new();
    if !devices.gpu_support {
        text += "This program was built without GPU support.\n\n";
    } else if devices.adapters.is_empty() {
        text += "No GPU adapter was found.\n\n";
    } else {
        text += &table(&devices.adapters);
        faults(&mut text, &devices.adapters);
        // Writing to a string cannot fail.
        let _ = writeln!(
            text,
            "\nModels use buffers of at most {} and tensors of at most {}, whatever the adapter \
             offers.",
            mebibytes(WONNX.buffer_bytes),
            mebibytes(WONNX.binding_bytes)
        );
    }
    let _ = match &devices.automatic {
        Choice::Cpu { reason } => writeln!(text, "Automatic choice: the CPU ({reason})"),
        Choice::Gpu { adapter, reason } => writeln!(text, "Automatic choice: {adapter}; {reason}"),
    };
    text
}

fn table(adapters: &[Adapter]) -> String {
    let header = [
        "",
        "Name",
        "Vendor",
        "Type",
        "API",
        "Driver",
        "Buffer",
        "Tensor",
        "Self-test",
    ];
    let mut table = Table::new(header, 6..8);
    for (index, adapter) in adapters.iter().enumerate() {
        table.row([
            index.to_string().as_str(),
            &adapter.name,
            &adapter.vendor,
            adapter.kind.name(),
            adapter.api.name(),
            &adapter.driver,
            &mebibytes(adapter.limits.buffer_bytes),
            &mebibytes(adapter.limits.binding_bytes),
            if adapter.fault.is_none() {
                "passed"
            } else {
                "failed"
            },
        ]);
    }
    table.text()
}

fn faults(text: &mut String, adapters: &[Adapter]) {
    for (index, adapter) in adapters.iter().enumerate() {
        if let Some(fault) = &adapter.fault {
            // Writing to a string cannot fail.
            let _ = write!(text, "\nAdapter {index} failed its self-test: {fault}\n");
        }
    }
}

fn mebibytes(bytes: u64) -> String {
    format!("{} MiB", words::count(bytes >> 20))
}

#[cfg(test)]
#[cfg(feature = "gpu")]
mod tests {
    use super::*;
    use crate::runtime::gpu::adapters::{Api, Kind, Limits};

    fn adapters() -> Vec<Adapter> {
        let card = Adapter {
            name: "NVIDIA GeForce RTX 4060".to_owned(),
            vendor: "NVIDIA".to_owned(),
            kind: Kind::Discrete,
            api: Api::Vulkan,
            driver: "NVIDIA 560.35".to_owned(),
            limits: Limits {
                buffer_bytes: 1 << 40,
                binding_bytes: 2048 << 20,
                workgroup: 1024,
                workgroups: 65_535,
            },
            fault: None,
        };
        let mut software = card.clone();
        software.name = "llvmpipe".to_owned();
        software.vendor = "Mesa".to_owned();
        software.kind = Kind::Software;
        software.driver = String::new();
        software.limits = WONNX;
        software.fault = Some("it computes wrongly: value 3 is 0, not 5".to_owned());
        vec![card, software]
    }

    #[test]
    fn text() {
        let devices = Devices::of(adapters()).unwrap();
        insta::assert_snapshot!(render(&devices), @"
            Name                     Vendor  Type      API     Driver                Buffer     Tensor  Self-test
         0  NVIDIA GeForce RTX 4060  NVIDIA  discrete  Vulkan  NVIDIA 560.35  1,048,576 MiB  2,048 MiB  passed
         1  llvmpipe                 Mesa    software  Vulkan                       256 MiB    128 MiB  failed

        Adapter 1 failed its self-test: it computes wrongly: value 3 is 0, not 5

        Models use buffers of at most 256 MiB and tensors of at most 128 MiB, whatever the adapter offers.
        Automatic choice: NVIDIA GeForce RTX 4060 (discrete, Vulkan); the best adapter: discrete
        ");
    }

    #[test]
    fn json() {
        let devices = Devices::of(adapters().split_off(1)).unwrap();
        insta::assert_snapshot!(serde_json::to_string_pretty(&devices).unwrap(), @r#"
        {
          "gpu_support": true,
          "adapters": [
            {
              "name": "llvmpipe",
              "vendor": "Mesa",
              "type": "software",
              "api": "vulkan",
              "driver": "",
              "limits": {
                "buffer_bytes": 268435456,
                "binding_bytes": 134217728,
                "workgroup": 256,
                "workgroups": 65535
              },
              "fault": "it computes wrongly: value 3 is 0, not 5"
            }
          ],
          "automatic": {
            "cpu": {
              "reason": "llvmpipe (software, Vulkan): it computes wrongly: value 3 is 0, not 5"
            }
          }
        }
        "#);
    }

    #[test]
    fn nothing_to_list() {
        let mut devices = Devices::of(Vec::new()).unwrap();
        insta::assert_snapshot!(render(&devices), @"
        No GPU adapter was found.

        Automatic choice: the CPU (no GPU adapter was found)
        ");
        devices.gpu_support = false;
        let text = render(&devices);
        let first = "This program was built without GPU support.\n\n";
        assert!(text.starts_with(first), "{text}");
    }
}

#[cfg(test)]
#[cfg(not(feature = "gpu"))]
mod tests {
    use super::*;

    #[test]
    fn without_gpu_support() {
        let devices = Devices::of(adapters::list()).unwrap();
        assert_eq!(
            render(&devices),
            "This program was built without GPU support.\n\nAutomatic choice: the CPU (built without \
             GPU support)\n"
        );
        let error = choose(&devices.adapters, Backend::Gpu, None).unwrap_err();
        assert_eq!(error, ChoiceError::NoSupport);
    }
}
