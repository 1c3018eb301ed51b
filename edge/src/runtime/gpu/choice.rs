//! Which adapter runs models, and why, as a function of what there is and what was asked for.

use serde::{Deserialize, Serialize};
use thiserror::Error;

use super::adapters::{Adapter, Kind};

/// What the person asked to run models on.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Backend {
    /// The best hardware adapter, else the CPU.
    #[default]
    Auto,
    /// A GPU, or nothing.
    Gpu,
    /// The CPU.
    Cpu,
}

/// What models run on, with the reason in words.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Choice {
    /// tract on the processor.
    Cpu {
        /// Why.
        reason: String,
    },
    /// wonnx on this adapter.
    Gpu {
        /// The adapter.
        adapter: Adapter,
        /// Why this one.
        reason: String,
    },
}

/// Why nothing could be chosen.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
pub enum ChoiceError {
    /// A GPU was asked for and none is there.
    #[error(
        "no GPU adapter was found, but one was asked for: install a Vulkan driver, or use the CPU \
         (--backend cpu)"
    )]
    NoAdapter,
    /// A GPU was asked for and this program cannot use one.
    #[error("this program was built without GPU support: use the CPU (--backend cpu)")]
    NoSupport,
    /// A GPU was asked for, and every adapter is faulty.
    #[error("no GPU adapter can be used: {0}")]
    NoneUsable(String),
    /// No adapter has the name or index.
    #[error("no GPU adapter is called '{wanted}'; there are: {known}")]
    Unknown {
        /// What was asked for.
        wanted: String,
        /// Every adapter with its index.
        known: String,
    },
    /// Adapters of several names fit.
    #[error("'{wanted}' fits several GPU adapters ({fitting}): give the whole name or the index")]
    Ambiguous {
        /// What was asked for.
        wanted: String,
        /// The adapters that fit, with their indices.
        fitting: String,
    },
    /// The named adapter is faulty or cannot be addressed.
    #[error("{adapter} cannot be used: {fault}")]
    Faulty {
        /// The adapter.
        adapter: String,
        /// What is wrong.
        fault: String,
    },
    /// The CPU and a GPU were asked for at once.
    #[error(
        "--device names a GPU adapter, which --backend cpu does not use: leave one of them out"
    )]
    DeviceOnCpu,
}

/// Chooses among `adapters`, in the order of `edge devices`.
///
/// A named device (a name, a part of one, or an index) is taken whatever it is made of. Without a
/// name the best hardware adapter is taken: discrete before integrated before virtual, then by
/// API. Where there is none, `auto` takes the CPU, since tract is faster there than a GPU played by
/// the processor, and `gpu` takes a software adapter. Adapters that failed their self-test or that
/// wonnx cannot address are never taken.
///
/// # Errors
/// When what was asked for is not there or cannot be used. `auto` without a name never fails.
pub fn choose(
    adapters: &[Adapter],
    backend: Backend,
    device: Option<&str>,
) -> Result<Choice, ChoiceError> {
    match (backend, device) {
        (Backend::Cpu, None) => Ok(cpu("asked for")),
        (Backend::Cpu, Some(_)) => Err(ChoiceError::DeviceOnCpu),
        (_, Some(wanted)) => named(adapters, wanted),
        (Backend::Auto, None) => Ok(automatic(adapters)),
        (Backend::Gpu, None) => any(adapters),
    }
}

/// All that models can run on, and adapters that were left out, each with the reason.
pub struct Every {
    /// The CPU first, then adapters in their order.
    pub choices: Vec<Choice>,
    /// In words.
    pub left_out: Vec<String>,
}

/// Everything among `adapters` that fits what was asked for, where [`choose`] takes the best: `auto`
/// is the CPU and every hardware adapter, `gpu` every hardware adapter or, without one, the software
/// adapter that [`choose`] takes.
///
/// # Errors
/// As [`choose`].
pub fn every(
    adapters: &[Adapter],
    backend: Backend,
    device: Option<&str>,
) -> Result<Every, ChoiceError> {
    let best = choose(adapters, backend, device)?;
    if device.is_some() || backend == Backend::Cpu {
        return Ok(Every {
            choices: vec![best],
            left_out: Vec::new(),
        });
    }
    let usable = |i: &usize| adapters[*i].kind != Kind::Software && fault(adapters, *i).is_none();
    let (used, unused): (Vec<usize>, Vec<usize>) = (0..adapters.len()).partition(usable);
    let mut choices = match backend {
        Backend::Auto => vec![cpu("always there")],
        Backend::Gpu | Backend::Cpu => Vec::new(),
    };
    choices.extend(used.into_iter().map(|i| Choice::Gpu {
        adapter: adapters[i].clone(),
        reason: "every adapter".to_owned(),
    }));
    if choices.is_empty() {
        choices.push(best);
    }
    let is_chosen = |i: usize| {
        let chosen =
            |c: &Choice| matches!(c, Choice::Gpu { adapter, .. } if *adapter == adapters[i]);
        choices.iter().any(chosen)
    };
    let left_out = unused.into_iter().filter(|&i| !is_chosen(i));
    let left_out = left_out.map(|i| why_not(adapters, i)).collect();
    Ok(Every { choices, left_out })
}

fn cpu(reason: impl Into<String>) -> Choice {
    Choice::Cpu {
        reason: reason.into(),
    }
}

fn automatic(adapters: &[Adapter]) -> Choice {
    match best(adapters, |adapter| adapter.kind != Kind::Software) {
        Some((adapter, reason)) => Choice::Gpu { adapter, reason },
        None if !cfg!(feature = "gpu") => cpu("built without GPU support"),
        None if adapters.is_empty() => cpu("no GPU adapter was found"),
        None => cpu(faults(adapters)),
    }
}

fn any(adapters: &[Adapter]) -> Result<Choice, ChoiceError> {
    if adapters.is_empty() {
        return Err(if cfg!(feature = "gpu") {
            ChoiceError::NoAdapter
        } else {
            ChoiceError::NoSupport
        });
    }
    match best(adapters, |_| true) {
        Some((adapter, reason)) => Ok(Choice::Gpu { adapter, reason }),
        None => Err(ChoiceError::NoneUsable(faults(adapters))),
    }
}

/// The best usable adapter that is `wanted`, and why it is.
fn best(adapters: &[Adapter], wanted: impl Fn(&Adapter) -> bool) -> Option<(Adapter, String)> {
    let usable = |i: &usize| wanted(&adapters[*i]) && fault(adapters, *i).is_none();
    let rank = |i: &usize| (adapters[*i].kind, adapters[*i].api);
    // Of equals the first wins.
    let adapter = &adapters[(0..adapters.len()).filter(usable).min_by_key(rank)?];
    let reason = match (adapter.kind, adapters) {
        (_, [_]) => "the only adapter".to_owned(),
        (Kind::Software, _) => "no hardware adapter can be used".to_owned(),
        (kind, _) => format!("the best adapter: {}", kind.name()),
    };
    Some((adapter.clone(), reason))
}

fn named(adapters: &[Adapter], wanted: &str) -> Result<Choice, ChoiceError> {
    if adapters.is_empty() {
        return any(adapters);
    }
    let index = find(adapters, wanted)?;
    let adapter = adapters[index].clone();
    match fault(adapters, index) {
        Some(fault) => Err(ChoiceError::Faulty {
            adapter: adapter.to_string(),
            fault,
        }),
        None => Ok(Choice::Gpu {
            adapter,
            reason: "asked for".to_owned(),
        }),
    }
}

/// The adapter of this index, else of this name, else with this part of a name, in any case. Of
/// several with one name, the best usable one.
fn find(adapters: &[Adapter], wanted: &str) -> Result<usize, ChoiceError> {
    let index = wanted.parse().ok();
    if let Some(index) = index.filter(|index| *index < adapters.len()) {
        return Ok(index);
    }
    let name = wanted.trim().to_lowercase();
    let fitting = |fits: fn(&str, &str) -> bool| -> Vec<usize> {
        let fits = |i: &usize| fits(&adapters[*i].name.to_lowercase(), &name);
        (0..adapters.len()).filter(fits).collect()
    };
    let mut found = fitting(|have, name| have == name);
    if found.is_empty() && !name.is_empty() {
        found = fitting(|have, name| have.contains(name));
    }
    let rank = |i: &usize| {
        let Adapter { kind, api, .. } = adapters[*i];
        (fault(adapters, *i).is_some(), kind, api)
    };
    let best = found.iter().copied().min_by_key(rank);
    let best = best.ok_or_else(|| ChoiceError::Unknown {
        wanted: wanted.to_owned(),
        known: listed(adapters, 0..adapters.len()),
    })?;
    if found
        .iter()
        .any(|i| adapters[*i].name != adapters[best].name)
    {
        return Err(ChoiceError::Ambiguous {
            wanted: wanted.to_owned(),
            fitting: listed(adapters, found),
        });
    }
    Ok(best)
}

fn listed(adapters: &[Adapter], indices: impl IntoIterator<Item = usize>) -> String {
    let entries = indices.into_iter().map(|i| format!("{i} {}", adapters[i]));
    entries.collect::<Vec<_>>().join("; ")
}

/// What keeps an adapter from being used: its own fault, or that wonnx, which takes the first
/// adapter of an API whose name contains the one given, would take another.
fn fault(adapters: &[Adapter], index: usize) -> Option<String> {
    let adapter = &adapters[index];
    if adapter.fault.is_some() {
        return adapter.fault.clone();
    }
    let name = adapter.name.to_lowercase();
    let taken = adapters
        .iter()
        .position(|a| a.api == adapter.api && a.name.to_lowercase().contains(&name))?;
    (taken != index).then(|| format!("its name also fits adapter {taken}, which is found first"))
}

/// Why none is used, each adapter with its reason.
fn faults(adapters: &[Adapter]) -> String {
    let reasons = (0..adapters.len()).map(|i| why_not(adapters, i));
    reasons.collect::<Vec<_>>().join("; ")
}

/// An adapter and why it is not used unless it is named.
fn why_not(adapters: &[Adapter], index: usize) -> String {
    let fault = fault(adapters, index).unwrap_or_else(|| "only a software adapter".to_owned());
    format!("{}: {fault}", adapters[index])
}

#[cfg(test)]
#[cfg(feature = "gpu")]
#[path = "choice/tests.rs"]
mod tests;
