//! Which machine this is.

use shared::result::Device;

/// Host, system and processor as the system tells them; unknown names stay empty.
pub fn this_device() -> Device {
    let processor = sysinfo::System::new().ok().and_then(|mut system| {
        system.refresh_cpu_list(sysinfo::CpuRefreshKind::nothing());
        Some(system.cpus().first()?.brand().trim().to_owned())
    });
    let cores = std::thread::available_parallelism().map_or(1, |n| n.get() as u32);
    Device {
        host: sysinfo::System::host_name().unwrap_or_default(),
        os: std::env::consts::OS.to_owned(),
        arch: std::env::consts::ARCH.to_owned(),
        processor: processor.unwrap_or_default(),
        cores,
    }
}
