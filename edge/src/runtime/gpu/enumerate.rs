//! Listing adapters with wgpu, and a kernel that shows whether each computes.

use anyhow::{Context, ensure};
use wgpu::util::{BufferInitDescriptor, DeviceExt};
use wgpu::{Backend, Backends, BufferUsages, DeviceType};

use super::adapters::{Adapter, Api, Kind, Limits, vendor};
use super::wait::block_on;
use crate::model::quiet;

/// Invocations of the self-test: no multiple of its workgroups, so its bounds check matters.
const VALUES: usize = 1000;

const KERNEL: &str = "
@group(0) @binding(0) var<storage, read> given: array<f32>;
@group(0) @binding(1) var<storage, read_write> made: array<f32>;

@compute @workgroup_size(256, 1)
fn main(@builtin(global_invocation_id) id: vec3<u32>) {
    if (id.x < arrayLength(&given)) {
        let mirrored = given[arrayLength(&given) - 1u - id.x];
        made[id.x] = max(given[id.x] * 3.0 - 1500.0, 0.0) + mirrored / 2.0;
    }
}
";

/// What [`KERNEL`] makes of 0, 1, 2, …: exact in f32.
fn expected(i: usize) -> f32 {
    (i as f32 * 3.0 - 1500.0).max(0.0) + (VALUES - 1 - i) as f32 / 2.0
}

/// Every adapter, sorted by API, self-tested.
pub(super) fn adapters() -> Vec<Adapter> {
    // No API that wgpu knows counts as nothing said.
    let wanted = wgpu::util::backend_bits_from_env().filter(|wanted| !wanted.is_empty());
    let mut found = Vec::new();
    // One API at a time, so that a driver that panics hides only its own adapters.
    for api in [Api::Vulkan, Api::Metal, Api::Dx12, Api::Gl] {
        // GL would show the same hardware again, far slower.
        let look = match wanted {
            Some(wanted) => wanted.contains(bits(api)),
            None => api != Api::Gl || found.is_empty(),
        };
        if look {
            found.extend(quiet::catch_in("wgpu", || Ok(of(api))).unwrap_or_default());
        }
    }
    found
}

/// DirectX 11 is left out: it is unfinished in this version of wgpu.
fn bits(api: Api) -> Backends {
    match api {
        Api::Vulkan => Backends::VULKAN,
        Api::Metal => Backends::METAL,
        Api::Dx12 => Backends::DX12,
        Api::Gl => Backends::GL,
    }
}

fn of(api: Api) -> Vec<Adapter> {
    let backends = bits(api);
    let instance = wgpu::Instance::new(wgpu::InstanceDescriptor {
        backends,
        dx12_shader_compiler: wgpu::Dx12Compiler::Fxc,
    });
    let adapters = instance.enumerate_adapters(backends);
    let adapters = adapters.filter(|adapter| adapter.get_info().backend != Backend::Empty);
    adapters.map(|adapter| describe(api, &adapter)).collect()
}

fn describe(api: Api, adapter: &wgpu::Adapter) -> Adapter {
    let info = adapter.get_info();
    let limits = adapter.limits();
    let tested = quiet::catch_in("wgpu", || self_test(adapter));
    let driver = format!("{} {}", info.driver, info.driver_info);
    Adapter {
        name: info.name,
        vendor: vendor(info.vendor),
        kind: match info.device_type {
            DeviceType::DiscreteGpu => Kind::Discrete,
            DeviceType::IntegratedGpu => Kind::Integrated,
            DeviceType::VirtualGpu => Kind::Virtual,
            DeviceType::Cpu => Kind::Software,
            DeviceType::Other => Kind::Unknown,
        },
        api,
        driver: driver.trim().to_owned(),
        limits: Limits {
            buffer_bytes: limits.max_buffer_size,
            binding_bytes: limits.max_storage_buffer_binding_size.into(),
            workgroup: limits.max_compute_invocations_per_workgroup,
            workgroups: limits.max_compute_workgroups_per_dimension,
        },
        fault: tested.err().map(|error| format!("{error:#}")),
    }
}

/// Makes a device as wonnx does, runs a small kernel on it and compares what it made.
fn self_test(adapter: &wgpu::Adapter) -> anyhow::Result<()> {
    let request = adapter.request_device(&wgpu::DeviceDescriptor::default(), None);
    let (device, queue) = block_on(request).context("it gives no device with default limits")?;
    let given: Vec<u8> = (0..VALUES).flat_map(|i| (i as f32).to_ne_bytes()).collect();
    let size = given.len() as u64;
    let given = device.create_buffer_init(&BufferInitDescriptor {
        label: None,
        contents: &given,
        usage: BufferUsages::STORAGE,
    });
    let buffer = |usage| {
        device.create_buffer(&wgpu::BufferDescriptor {
            label: None,
            size,
            usage,
            mapped_at_creation: false,
        })
    };
    let made = buffer(BufferUsages::STORAGE | BufferUsages::COPY_SRC);
    let read = buffer(BufferUsages::MAP_READ | BufferUsages::COPY_DST);
    let mut encoder = device.create_command_encoder(&wgpu::CommandEncoderDescriptor::default());
    dispatch(&device, &mut encoder, [&given, &made]);
    encoder.copy_buffer_to_buffer(&made, 0, &read, 0, size);
    queue.submit([encoder.finish()]);
    let (sender, mapped) = std::sync::mpsc::channel();
    read.slice(..)
        .map_async(wgpu::MapMode::Read, move |result| {
            // The receiver waits for this.
            let _ = sender.send(result);
        });
    device.poll(wgpu::Maintain::Wait);
    mapped.recv()?.context("its results cannot be read")?;
    let bytes = read.slice(..).get_mapped_range();
    for (i, value) in bytes.chunks_exact(4).enumerate() {
        let value = f32::from_ne_bytes([value[0], value[1], value[2], value[3]]);
        let expected = expected(i);
        ensure!(
            value == expected,
            "it computes wrongly: value {i} is {value}, not {expected}"
        );
    }
    Ok(())
}

fn dispatch(
    device: &wgpu::Device,
    encoder: &mut wgpu::CommandEncoder,
    buffers: [&wgpu::Buffer; 2],
) {
    let module = device.create_shader_module(wgpu::ShaderModuleDescriptor {
        label: None,
        source: wgpu::ShaderSource::Wgsl(KERNEL.into()),
    });
    let pipeline = device.create_compute_pipeline(&wgpu::ComputePipelineDescriptor {
        label: None,
        layout: None,
        module: &module,
        entry_point: "main",
    });
    let entries = [0, 1].map(|binding| wgpu::BindGroupEntry {
        binding,
        resource: buffers[binding as usize].as_entire_binding(),
    });
    let group = device.create_bind_group(&wgpu::BindGroupDescriptor {
        label: None,
        layout: &pipeline.get_bind_group_layout(0),
        entries: &entries,
    });
    let mut pass = encoder.begin_compute_pass(&wgpu::ComputePassDescriptor { label: None });
    pass.set_pipeline(&pipeline);
    pass.set_bind_group(0, &group, &[]);
    pass.dispatch_workgroups(VALUES.div_ceil(256) as u32, 1, 1);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::runtime::gpu::adapters::WONNX;

    #[test]
    fn adapters_compute() {
        if crate::runtime::gpu::test_adapter().is_none() {
            return;
        }
        for adapter in adapters() {
            println!("{adapter:?}");
            assert_eq!(adapter.fault, None, "{adapter}");
        }
    }

    #[test]
    fn wonnx_asks_for_the_default_limits() {
        let limits = wgpu::Limits::default();
        assert_eq!(limits.max_buffer_size, WONNX.buffer_bytes);
        assert_eq!(
            u64::from(limits.max_storage_buffer_binding_size),
            WONNX.binding_bytes
        );
        assert_eq!(
            limits.max_compute_invocations_per_workgroup,
            WONNX.workgroup
        );
        assert_eq!(
            limits.max_compute_workgroups_per_dimension,
            WONNX.workgroups
        );
    }
}
