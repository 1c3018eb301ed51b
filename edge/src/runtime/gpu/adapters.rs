//! GPU adapters as people and JSON see them.

use std::fmt;
use std::time::Duration;

use serde::{Deserialize, Serialize};

/// One adapter behind one API. A card that two APIs reach is two adapters.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Adapter {
    /// Name that the driver gives.
    pub name: String,
    /// Maker in words, or its PCI number where it is not a common one.
    pub vendor: String,
    /// What it is made of.
    #[serde(rename = "type")]
    pub kind: Kind,
    /// The API that reaches it.
    pub api: Api,
    /// Driver and its version, or empty where the API does not tell.
    pub driver: String,
    /// What it can hold.
    pub limits: Limits,
    /// What is wrong with it, where the self-test did not compute what it must.
    pub fault: Option<String>,
}

/// What an adapter is made of, best first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Kind {
    /// A card with its own memory.
    Discrete,
    /// Beside the processor, in shared memory.
    Integrated,
    /// A share of a card, given to a virtual machine.
    Virtual,
    /// The driver does not tell.
    Unknown,
    /// The processor, playing a GPU.
    Software,
}

impl Kind {
    /// The word in tables and in JSON.
    pub fn name(self) -> &'static str {
        match self {
            Self::Discrete => "discrete",
            Self::Integrated => "integrated",
            Self::Virtual => "virtual",
            Self::Unknown => "unknown",
            Self::Software => "software",
        }
    }
}

/// An API that reaches adapters, best first: on the same machine GL was 80 times slower than Vulkan.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Api {
    /// Vulkan.
    Vulkan,
    /// Metal, on Apple machines.
    Metal,
    /// DirectX 12, on Windows.
    Dx12,
    /// OpenGL ES 3.1 or OpenGL 4.3.
    Gl,
}

impl Api {
    /// The name that people use.
    pub fn name(self) -> &'static str {
        match self {
            Self::Vulkan => "Vulkan",
            Self::Metal => "Metal",
            Self::Dx12 => "DX12",
            Self::Gl => "GL",
        }
    }
}

/// Limits of an adapter that decide which models fit. wonnx asks for no more than [`WONNX`],
/// whatever the adapter offers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Limits {
    /// Bytes of one buffer.
    pub buffer_bytes: u64,
    /// Bytes of one buffer that a kernel reads or writes: the largest tensor.
    pub binding_bytes: u64,
    /// Invocations of one workgroup.
    pub workgroup: u32,
    /// Workgroups along one axis.
    pub workgroups: u32,
}

/// The limits that every wonnx session asks for.
pub const WONNX: Limits = Limits {
    buffer_bytes: 256 << 20,
    binding_bytes: 128 << 20,
    workgroup: 256,
    workgroups: 65_535,
};

impl Adapter {
    /// How long a batch may take. wgpu waits 5 s for what was submitted and then goes on as if it
    /// had finished, so that what is read may be incomplete: a run that comes near to that is not
    /// to be trusted.
    ///
    /// llvmpipe's Vulkan computes inside the submission, before anyone waits: outputs after more
    /// than 100 s were right.
    pub fn patience(&self) -> Duration {
        if self.api == Api::Vulkan && self.name.starts_with("llvmpipe") {
            Duration::MAX
        } else {
            Duration::from_millis(4500)
        }
    }
}

impl fmt::Display for Adapter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{} ({}, {})",
            self.name,
            self.kind.name(),
            self.api.name()
        )
    }
}

/// Every adapter of this machine, each self-tested, the APIs in the order of [`Api`]; none is a
/// normal case, and all there is in a build without the feature `gpu`.
///
/// GL is asked only where the other APIs have nothing. `WGPU_BACKEND`, where set, says which APIs
/// are asked, as in other programs on wgpu. Takes a fraction of a second per adapter.
pub fn list() -> Vec<Adapter> {
    #[cfg(feature = "gpu")]
    let adapters = super::enumerate::adapters();
    #[cfg(not(feature = "gpu"))]
    let adapters = Vec::new();
    adapters
}

/// The maker behind a PCI number, or behind Mesa's Vulkan number for drivers without hardware.
#[cfg(feature = "gpu")]
pub(super) fn vendor(id: usize) -> String {
    let name = match id {
        0x1002 => "AMD",
        0x1010 => "Imagination",
        0x106b => "Apple",
        0x10de => "NVIDIA",
        0x13b5 => "Arm",
        0x1414 => "Microsoft",
        0x14e4 => "Broadcom",
        0x15ad => "VMware",
        0x19e5 => "Huawei",
        0x1ae0 => "Google",
        0x1af4 => "Red Hat",
        0x5143 => "Qualcomm",
        0x8086 => "Intel",
        0x10005 => "Mesa",
        0 => "",
        other => return format!("PCI {other:#06x}"),
    };
    name.to_owned()
}
