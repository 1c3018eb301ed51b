//! Choices among made-up adapters.

use super::*;
use crate::runtime::gpu::adapters::{Api, WONNX};

fn adapter(name: &str, kind: Kind, api: Api) -> Adapter {
    Adapter {
        name: name.to_owned(),
        vendor: String::new(),
        kind,
        api,
        driver: String::new(),
        limits: WONNX,
        fault: None,
    }
}

fn laptop() -> Vec<Adapter> {
    vec![
        adapter("Intel Xe", Kind::Integrated, Api::Vulkan),
        adapter("GeForce 4060", Kind::Discrete, Api::Vulkan),
        adapter("llvmpipe", Kind::Software, Api::Vulkan),
        adapter("GeForce 4060", Kind::Discrete, Api::Gl),
    ]
}

/// The index of what is chosen, `None` for the CPU, and the reason.
fn chosen(adapters: &[Adapter], backend: Backend, device: Option<&str>) -> (Option<usize>, String) {
    match choose(adapters, backend, device).unwrap() {
        Choice::Cpu { reason } => (None, reason),
        Choice::Gpu { adapter, reason } => (adapters.iter().position(|a| *a == adapter), reason),
    }
}

fn refused(adapters: &[Adapter], backend: Backend, device: Option<&str>) -> String {
    choose(adapters, backend, device).unwrap_err().to_string()
}

#[test]
fn auto_takes_the_best_hardware() {
    let all = laptop();
    let (index, reason) = chosen(&all, Backend::Auto, None);
    assert_eq!(
        (index, reason.as_str()),
        (Some(1), "the best adapter: discrete")
    );
    // Without the discrete card: the integrated one, never the software one.
    assert_eq!(
        chosen(&[all[0].clone(), all[2].clone()], Backend::Auto, None).0,
        Some(0)
    );
    let virtual_gpu = adapter("virtio", Kind::Virtual, Api::Gl);
    assert_eq!(
        chosen(&[all[2].clone(), virtual_gpu], Backend::Auto, None).0,
        Some(1)
    );
}

#[test]
fn a_faulty_adapter_is_passed_over() {
    let mut all = laptop();
    all[1].fault = Some("it computes wrongly".to_owned());
    assert_eq!(chosen(&all, Backend::Auto, None).0, Some(3));
    all[3].fault = Some("lost".to_owned());
    assert_eq!(chosen(&all, Backend::Auto, None).0, Some(0));
    assert_eq!(
        refused(&all, Backend::Auto, Some("1")),
        "GeForce 4060 (discrete, Vulkan) cannot be used: it computes wrongly"
    );
}

#[test]
fn without_hardware() {
    let software = [adapter("llvmpipe", Kind::Software, Api::Vulkan)];
    assert_eq!(
        chosen(&software, Backend::Auto, None),
        (
            None,
            "llvmpipe (software, Vulkan): only a software adapter".to_owned()
        )
    );
    assert_eq!(
        chosen(&software, Backend::Gpu, None),
        (Some(0), "the only adapter".to_owned())
    );
    assert_eq!(chosen(&software, Backend::Auto, Some("llvm")).0, Some(0));
    assert_eq!(
        chosen(&[], Backend::Auto, None),
        (None, "no GPU adapter was found".to_owned())
    );
    assert_eq!(choose(&[], Backend::Gpu, None), Err(ChoiceError::NoAdapter));
    assert_eq!(
        choose(&[], Backend::Auto, Some("0")),
        Err(ChoiceError::NoAdapter)
    );
}

#[test]
fn the_cpu_on_request() {
    assert_eq!(
        chosen(&laptop(), Backend::Cpu, None),
        (None, "asked for".to_owned())
    );
    assert_eq!(
        choose(&laptop(), Backend::Cpu, Some("0")),
        Err(ChoiceError::DeviceOnCpu)
    );
}

#[test]
fn by_name_or_index() {
    let all = laptop();
    for (wanted, index) in [("2", 2), ("intel xe", 0), ("XE", 0), ("4060", 1), ("3", 3)] {
        let (found, reason) = chosen(&all, Backend::Auto, Some(wanted));
        assert_eq!(
            (found, reason.as_str()),
            (Some(index), "asked for"),
            "{wanted}"
        );
    }
    assert_eq!(
        refused(&all[..2], Backend::Gpu, Some("radeon")),
        "no GPU adapter is called 'radeon'; there are: 0 Intel Xe (integrated, Vulkan); \
         1 GeForce 4060 (discrete, Vulkan)"
    );
    assert_eq!(
        refused(&all, Backend::Gpu, Some("e")),
        "'e' fits several GPU adapters (0 Intel Xe (integrated, Vulkan); \
         1 GeForce 4060 (discrete, Vulkan); 2 llvmpipe (software, Vulkan); \
         3 GeForce 4060 (discrete, GL)): give the whole name or the index"
    );
    assert!(matches!(
        choose(&all, Backend::Gpu, Some("")),
        Err(ChoiceError::Unknown { .. })
    ));
}

#[test]
fn what_wonnx_cannot_tell_apart() {
    let all = [
        adapter("RTX 3080 Ti", Kind::Discrete, Api::Vulkan),
        adapter("RTX 3080", Kind::Discrete, Api::Vulkan),
        adapter("RTX 3080 Ti", Kind::Discrete, Api::Vulkan),
    ];
    assert_eq!(chosen(&all, Backend::Auto, None).0, Some(0));
    assert_eq!(chosen(&all, Backend::Auto, Some("rtx 3080 ti")).0, Some(0));
    for wanted in ["1", "2", "RTX 3080"] {
        assert!(
            refused(&all, Backend::Auto, Some(wanted))
                .ends_with("its name also fits adapter 0, which is found first"),
            "{wanted}"
        );
    }
}

/// Indices of everything that is chosen, `None` for the CPU, and what is left out.
fn everything(
    adapters: &[Adapter],
    backend: Backend,
    device: Option<&str>,
) -> (Vec<Option<usize>>, Vec<String>) {
    let Every { choices, left_out } = every(adapters, backend, device).unwrap();
    let index = |choice| match choice {
        Choice::Cpu { .. } => None,
        Choice::Gpu { adapter, .. } => adapters.iter().position(|a| *a == adapter),
    };
    (choices.into_iter().map(index).collect(), left_out)
}

#[test]
fn everything_is_the_cpu_and_all_hardware_unless_one_is_named() {
    let mut all = laptop();
    let software = "llvmpipe (software, Vulkan): only a software adapter".to_owned();
    let auto = everything(&all, Backend::Auto, None);
    assert_eq!(
        auto,
        (
            vec![None, Some(0), Some(1), Some(3)],
            vec![software.clone()]
        )
    );
    let named = everything(&all, Backend::Auto, Some("llvmpipe"));
    assert_eq!(named, (vec![Some(2)], vec![]));
    assert_eq!(everything(&all, Backend::Cpu, None), (vec![None], vec![]));
    all[0].fault = Some("it computes wrongly".to_owned());
    let gpus = everything(&all, Backend::Gpu, None);
    let faulty = "Intel Xe (integrated, Vulkan): it computes wrongly".to_owned();
    assert_eq!(gpus, (vec![Some(1), Some(3)], vec![faulty, software]));
    let only = &all[2..3];
    assert_eq!(
        everything(only, Backend::Gpu, None),
        (vec![Some(0)], vec![])
    );
    assert!(every(&[], Backend::Gpu, None).is_err());
    assert_eq!(everything(&[], Backend::Auto, None), (vec![None], vec![]));
}
