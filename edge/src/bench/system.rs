//! What Linux tells of a process and its machine in `/proc` and `/sys`; other systems tell nothing.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

/// The tree of files in which the system tells about itself.
#[derive(Clone, Debug)]
pub struct System {
    root: PathBuf,
}

impl System {
    /// That of this machine.
    pub fn this() -> Self {
        Self::at("/")
    }

    /// A tree elsewhere, for tests.
    pub fn at(root: impl Into<PathBuf>) -> Self {
        Self { root: root.into() }
    }

    pub(super) fn root(&self) -> &Path {
        &self.root
    }

    /// Most bytes of main memory that this process has held so far.
    pub(super) fn peak_memory(&self) -> Option<u64> {
        let status = fs::read_to_string(self.root.join("proc/self/status")).ok()?;
        let line = status.lines().find_map(|l| l.strip_prefix("VmHWM:"))?;
        let kibibytes: u64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
        kibibytes.checked_mul(1024)
    }

    /// Governors of the processor's clocks, as big and small cores may have different ones; empty
    /// where there is none to read.
    pub(super) fn governor(&self) -> String {
        let cores = entries(&self.root.join("sys/devices/system/cpu"), "cpu");
        let governor = |core: PathBuf| text(&core.join("cpufreq/scaling_governor"));
        let governors: BTreeSet<String> = cores.into_iter().filter_map(governor).collect();
        Vec::from_iter(governors).join(", ")
    }

    /// The highest temperature of the machine's zones, or empty where there is none to read.
    pub(super) fn thermal(&self) -> String {
        let zones = entries(&self.root.join("sys/class/thermal"), "thermal_zone");
        let temperature = |zone: PathBuf| number(&zone.join("temp")).map(|t| t / 1000.0);
        let temperatures = zones.into_iter().filter_map(temperature);
        // Zones without a sensor read absurd values.
        let real = temperatures.filter(|t| (-40.0..=150.0).contains(t));
        let highest = real.reduce(f64::max);
        highest.map_or_else(String::new, |t| format!("{t:.1} °C"))
    }
}

/// Entries of a folder whose names start so, sorted; none where there is no such folder.
pub(super) fn entries(folder: &Path, start: &str) -> Vec<PathBuf> {
    let found = fs::read_dir(folder).into_iter().flatten().flatten();
    let named = found.filter(|entry| entry.file_name().to_string_lossy().starts_with(start));
    let mut paths: Vec<PathBuf> = named.map(|entry| entry.path()).collect();
    paths.sort();
    paths
}

/// The word in a file of the system; `None` where it cannot be read or is empty.
pub(super) fn text(path: &Path) -> Option<String> {
    let text = fs::read_to_string(path).ok()?;
    Some(text.trim().to_owned()).filter(|text| !text.is_empty())
}

/// The number in a file of the system.
pub(super) fn number(path: &Path) -> Option<f64> {
    let number: f64 = text(path)?.parse().ok()?;
    Some(number).filter(|number| number.is_finite())
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;

    /// A tree of these files.
    pub(in crate::bench) fn tree(files: &[(&str, &str)]) -> tempfile::TempDir {
        let root = tempfile::tempdir().unwrap();
        for (path, content) in files {
            let path = root.path().join(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, content).unwrap();
        }
        root
    }

    #[test]
    fn a_board_tells() {
        let root = tree(&[
            (
                "proc/self/status",
                "Name:\tedge\nVmPeak:\t  9000 kB\nVmHWM:\t    1234 kB\n",
            ),
            (
                "sys/devices/system/cpu/cpu0/cpufreq/scaling_governor",
                "schedutil\n",
            ),
            (
                "sys/devices/system/cpu/cpu4/cpufreq/scaling_governor",
                "performance\n",
            ),
            (
                "sys/devices/system/cpu/cpu5/cpufreq/scaling_governor",
                "schedutil\n",
            ),
            ("sys/devices/system/cpu/cpufreq/boost", "1\n"),
            ("sys/class/thermal/thermal_zone0/temp", "48312\n"),
            ("sys/class/thermal/thermal_zone1/temp", "61500\n"),
            ("sys/class/thermal/thermal_zone2/temp", "-274000\n"),
            ("sys/class/thermal/thermal_zone3/type", "no sensor\n"),
        ]);
        let system = System::at(root.path());
        assert_eq!(system.peak_memory(), Some(1234 * 1024));
        assert_eq!(system.governor(), "performance, schedutil");
        assert_eq!(system.thermal(), "61.5 °C");
    }

    #[test]
    fn a_silent_system_is_a_normal_case() {
        let root = tree(&[("proc/self/status", "VmHWM: many\n")]);
        let system = System::at(root.path());
        assert_eq!(system.peak_memory(), None);
        assert_eq!((system.governor(), system.thermal()), Default::default());
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn linux_tells_the_peak_memory_of_this_process() {
        let before = System::this().peak_memory().unwrap();
        let held = std::hint::black_box(vec![1_u8; 64 << 20]);
        let after = System::this().peak_memory().unwrap();
        assert!(after >= before && after > 64 << 20, "{before} {after}");
        drop(held);
    }
}
