//! Energy meters: Intel's RAPL counters, and the INA3221 monitors on NVIDIA's Jetson boards.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use super::system::{entries, number, text};

/// Time between two readings of a power monitor.
const EVERY: Duration = Duration::from_millis(20);

/// What the system has to measure energy by.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Meter {
    /// Counters of energy.
    Counters(Vec<Counter>),
    /// Monitors of power, which are read again and again.
    Rails(Vec<Rail>),
}

/// A counter that starts again at 0 when it is full.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Counter {
    name: String,
    /// Microjoules so far.
    energy: PathBuf,
    /// Microjoules at which it is full.
    range: Option<f64>,
}

/// A supply of a board.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Rail {
    name: String,
    reading: Reading,
}

#[derive(Clone, Debug, PartialEq)]
enum Reading {
    /// Microwatts.
    Power(PathBuf),
    /// Millivolts and milliamperes.
    VoltsAndAmperes(PathBuf, PathBuf),
}

impl Meter {
    /// The meter of the system under `root`, if it has one that can be read.
    pub(super) fn find(root: &Path) -> Option<Self> {
        let counters = counters(&root.join("sys/class/powercap"));
        if !counters.is_empty() {
            return Some(Self::Counters(counters));
        }
        let rails = rails(&root.join("sys/class/hwmon"));
        (!rails.is_empty()).then_some(Self::Rails(rails))
    }

    /// The meter and what it counts.
    pub(super) fn source(&self) -> String {
        let (meter, names): (_, Vec<&str>) = match self {
            Self::Counters(all) => ("RAPL", all.iter().map(|c| c.name.as_str()).collect()),
            Self::Rails(all) => ("INA3221", all.iter().map(|r| r.name.as_str()).collect()),
        };
        format!("{meter} {}", names.join("+"))
    }

    /// Does some work and tells the joules that it took, where the meter can be read throughout.
    pub(super) fn during<T>(&self, work: impl FnOnce() -> T) -> (T, Option<f64>) {
        match self {
            Self::Counters(counters) => {
                let before: Vec<Option<f64>> = counters.iter().map(Counter::read).collect();
                let result = work();
                let used = counters
                    .iter()
                    .zip(before)
                    .map(|(c, b)| c.since(b?, c.read()?));
                let microjoules: Option<f64> = used.sum();
                (result, microjoules.map(|used| used / 1e6))
            }
            Self::Rails(rails) => {
                let done = AtomicBool::new(false);
                std::thread::scope(|scope| {
                    let sampler = scope.spawn(|| samples(rails, &done));
                    let result = work();
                    done.store(true, Ordering::Relaxed);
                    let samples = sampler.join().ok().flatten();
                    (result, samples.map(|samples| joules(&samples)))
                })
            }
        }
    }
}

/// Packages of processors. Where there are none, the platform, which would count them again.
fn counters(folder: &Path) -> Vec<Counter> {
    let counter = |zone: PathBuf| {
        let counter = Counter {
            name: text(&zone.join("name"))?,
            energy: zone.join("energy_uj"),
            range: number(&zone.join("max_energy_range_uj")),
        };
        counter.read()?;
        Some(counter)
    };
    // Zones within a package have a second colon.
    let is_whole = |zone: &PathBuf| zone.to_string_lossy().matches(':').count() == 1;
    let zones = entries(folder, "intel-rapl:").into_iter();
    let all: Vec<Counter> = zones.filter(is_whole).filter_map(counter).collect();
    let (packages, others): (Vec<Counter>, Vec<Counter>) = all
        .into_iter()
        .partition(|counter| counter.name.starts_with("package"));
    if packages.is_empty() {
        others
    } else {
        packages
    }
}

impl Counter {
    fn read(&self) -> Option<f64> {
        number(&self.energy)
    }

    /// Microjoules between two readings; the counter may have been full once.
    fn since(&self, before: f64, after: f64) -> Option<f64> {
        if after >= before {
            return Some(after - before);
        }
        Some(after + self.range? - before).filter(|&used| used >= 0.0)
    }
}

/// The input of a board where it is monitored, else all rails.
fn rails(folder: &Path) -> Vec<Rail> {
    let monitors = entries(folder, "hwmon").into_iter();
    let monitors = monitors.filter(|m| text(&m.join("name")).as_deref() == Some("ina3221"));
    let all: Vec<Rail> = monitors
        .flat_map(|monitor| (1..=3).filter_map(move |channel| rail(&monitor, channel)))
        .collect();
    match all.iter().find(|rail| rail.name == "VDD_IN") {
        Some(input) => vec![input.clone()],
        None => all,
    }
}

fn rail(monitor: &Path, channel: u32) -> Option<Rail> {
    let file = |what: &str| monitor.join(format!("{what}{channel}_input"));
    let name = text(&monitor.join(format!("in{channel}_label")))?;
    let readings = [
        Reading::Power(file("power")),
        Reading::VoltsAndAmperes(file("in"), file("curr")),
    ];
    let reading = readings.into_iter().find(|r| r.watts().is_some())?;
    Some(Rail { name, reading })
}

impl Reading {
    fn watts(&self) -> Option<f64> {
        match self {
            Self::Power(power) => Some(number(power)? / 1e6),
            Self::VoltsAndAmperes(volts, amperes) => Some(number(volts)? * number(amperes)? / 1e6),
        }
    }
}

/// Seconds and watts, until told to stop and once more then; `None` when a reading fails.
fn samples(rails: &[Rail], done: &AtomicBool) -> Option<Vec<(f64, f64)>> {
    let start = Instant::now();
    let mut samples = Vec::new();
    loop {
        let last = done.load(Ordering::Relaxed);
        let watts: Option<f64> = rails.iter().map(|rail| rail.reading.watts()).sum();
        samples.push((start.elapsed().as_secs_f64(), watts?));
        if last {
            return Some(samples);
        }
        std::thread::sleep(EVERY);
    }
}

/// The area under watts over seconds, by trapezoids.
fn joules(samples: &[(f64, f64)]) -> f64 {
    let area = |pair: &[(f64, f64)]| (pair[1].0 - pair[0].0) * (pair[1].1 + pair[0].1) / 2.0;
    samples.windows(2).map(area).sum()
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::super::system::tests::tree;
    use super::*;

    const RAPL: &str = "sys/class/powercap/intel-rapl:0";

    #[test]
    fn packages_are_counted_once() {
        let root = tree(&[
            (&format!("{RAPL}/name"), "package-0\n"),
            (&format!("{RAPL}/energy_uj"), "262143000000\n"),
            (&format!("{RAPL}/max_energy_range_uj"), "262143328850\n"),
            ("sys/class/powercap/intel-rapl:0:0/name", "core\n"),
            ("sys/class/powercap/intel-rapl:0:0/energy_uj", "5\n"),
            ("sys/class/powercap/intel-rapl:1/name", "package-1\n"),
            ("sys/class/powercap/intel-rapl:1/energy_uj", "1000000\n"),
            ("sys/class/powercap/intel-rapl:2/name", "psys\n"),
            ("sys/class/powercap/intel-rapl:2/energy_uj", "7\n"),
            ("sys/class/powercap/intel-rapl-mmio:0/name", "package-0\n"),
            ("sys/class/powercap/intel-rapl-mmio:0/energy_uj", "7\n"),
        ]);
        let meter = Meter::find(root.path()).unwrap();
        assert_eq!(meter.source(), "RAPL package-0+package-1");
        let write = |zone: u32, value: &str| {
            let file = format!("sys/class/powercap/intel-rapl:{zone}/energy_uj");
            fs::write(root.path().join(file), value).unwrap();
        };
        // The first starts again at 0; the second does not.
        let work = || {
            write(0, "1671150");
            write(1, "1500000");
        };
        let (_, joules) = meter.during(work);
        assert!((joules.unwrap() - 2.5).abs() < 1e-9, "{joules:?}");
        // Without a range, a smaller reading says nothing.
        assert_eq!(meter.during(|| write(1, "0")).1, None);
        let unreadable = || fs::remove_file(root.path().join(RAPL).join("energy_uj")).unwrap();
        assert_eq!(meter.during(unreadable).1, None);
        // Now the second package is all that can be read.
        assert_eq!(Meter::find(root.path()).unwrap().source(), "RAPL package-1");
    }

    #[test]
    fn the_platform_counts_where_nothing_else_does() {
        let root = tree(&[
            (&format!("{RAPL}/name"), "psys\n"),
            (&format!("{RAPL}/energy_uj"), "1\n"),
        ]);
        assert_eq!(Meter::find(root.path()).unwrap().source(), "RAPL psys");
    }

    #[test]
    fn nothing_to_measure_by_is_a_normal_case() {
        let root = tree(&[
            (&format!("{RAPL}/name"), "package-0\n"),
            ("sys/class/hwmon/hwmon0/name", "coretemp\n"),
            ("sys/class/hwmon/hwmon1/name", "ina3221\n"),
            ("sys/class/hwmon/hwmon1/in1_label", "VDD_IN\n"),
        ]);
        assert_eq!(Meter::find(root.path()), None);
    }

    /// The monitor of a board with three rails, as its driver names the files.
    fn board(labels: [&str; 3]) -> tempfile::TempDir {
        let folder = "sys/class/hwmon/hwmon3";
        let mut files = vec![(format!("{folder}/name"), "ina3221".to_owned())];
        for (channel, label) in (1..).zip(labels) {
            files.push((format!("{folder}/in{channel}_label"), label.to_owned()));
            files.push((format!("{folder}/in{channel}_input"), "5000".to_owned()));
            files.push((format!("{folder}/curr{channel}_input"), "800".to_owned()));
        }
        // The sum of the shunts is no rail.
        files.push((
            format!("{folder}/in7_label"),
            "sum of shunt voltages".to_owned(),
        ));
        let files: Vec<(&str, &str)> = files
            .iter()
            .map(|(p, c)| (p.as_str(), c.as_str()))
            .collect();
        tree(&files)
    }

    #[test]
    fn rails_of_a_jetson() {
        let root = board(["VDD_IN", "VDD_CPU_GPU_CV", "VDD_SOC"]);
        let meter = Meter::find(root.path()).unwrap();
        assert_eq!(meter.source(), "INA3221 VDD_IN");
        // 4 W, for as long as it takes.
        let (took, joules) = meter.during(|| {
            let start = Instant::now();
            std::thread::sleep(Duration::from_millis(60));
            start.elapsed().as_secs_f64()
        });
        assert!(joules.unwrap() > 3.9 * took, "{joules:?} in {took} s");

        let root = board(["VDD_GPU_SOC", "VDD_CPU_CV", "VIN_SYS_5V0"]);
        let power = root.path().join("sys/class/hwmon/hwmon3/power2_input");
        fs::write(power, "2500000").unwrap();
        let meter = Meter::find(root.path()).unwrap();
        assert_eq!(meter.source(), "INA3221 VDD_GPU_SOC+VDD_CPU_CV+VIN_SYS_5V0");
        let Meter::Rails(rails) = meter else {
            panic!("a board has rails")
        };
        let watts: Vec<_> = rails.iter().map(|rail| rail.reading.watts()).collect();
        assert_eq!(watts, [Some(4.0), Some(2.5), Some(4.0)]);
    }

    #[test]
    fn power_over_time() {
        assert_eq!(joules(&[(0.0, 4.0)]), 0.0);
        assert_eq!(joules(&[(0.0, 4.0), (0.5, 6.0), (2.5, 6.0)]), 2.5 + 12.0);
    }
}
