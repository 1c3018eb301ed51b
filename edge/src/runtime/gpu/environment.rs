//! How a choice reaches wonnx: through environment variables, set by starting the program again.
//!
//! wonnx makes its own device and takes its adapter from the environment only, and a program cannot
//! safely change its own environment. So the program is executed once more, with the variables set
//! and the choice itself in [`CHOICE`], before it has done anything else.

use std::process::Command;

use anyhow::Context;

use super::choice::Choice;

/// The variable that carries a [`Choice`] as JSON into the program's second start.
pub const CHOICE: &str = "EDGE_GPU_CHOICE";

/// The choice of the first start, where this is the second: it has the variables that wonnx reads.
///
/// # Errors
/// When [`CHOICE`] is set and the rest of the environment does not go with it. Starting again would
/// not help, and could go on for ever.
pub fn carried() -> anyhow::Result<Option<Choice>> {
    parse(|name| std::env::var(name).ok())
}

fn parse(variable: impl Fn(&str) -> Option<String>) -> anyhow::Result<Option<Choice>> {
    let Some(text) = variable(CHOICE) else {
        return Ok(None);
    };
    let choice: Option<Choice> = serde_json::from_str(&text).ok();
    let is_set = |(name, value): (&str, String)| variable(name).as_ref() == Some(&value);
    let fits = |choice: &Choice| for_wonnx(choice).into_iter().all(is_set);
    let choice = choice.filter(fits).with_context(|| {
        format!("the environment variable {CHOICE} is set, but not by this program: unset it")
    })?;
    Ok(Some(choice))
}

/// The variables that make wonnx take the chosen adapter; none for the CPU.
fn for_wonnx(choice: &Choice) -> Vec<(&'static str, String)> {
    let Choice::Gpu { adapter, .. } = choice else {
        return Vec::new();
    };
    vec![
        ("WGPU_BACKEND", adapter.api.name().to_lowercase()),
        // wgpu takes the first adapter whose name in small letters contains this.
        ("WGPU_ADAPTER_NAME", adapter.name.to_lowercase()),
    ]
}

/// Starts this program again, with the same arguments and the variables of `choice`, in its place.
/// Does not return where that succeeds.
///
/// # Errors
/// When the program cannot be started.
pub fn restart(choice: &Choice) -> anyhow::Result<std::convert::Infallible> {
    let program = std::env::current_exe().context("cannot find this program's own file")?;
    let mut command = Command::new(&program);
    command.args(std::env::args_os().skip(1));
    prepare(&mut command, choice)?;
    replace(command).with_context(|| format!("cannot start {} again", program.display()))
}

/// Gives `command`, this program, a choice that [`carried`] finds there.
///
/// # Errors
/// When the choice cannot be written as JSON.
pub fn prepare(command: &mut Command, choice: &Choice) -> anyhow::Result<()> {
    command.env(CHOICE, serde_json::to_string(choice)?);
    command.envs(for_wonnx(choice));
    Ok(())
}

/// Puts `command` in this process's place, under the name that this one was started with.
#[cfg(unix)]
fn replace(mut command: Command) -> std::io::Result<std::convert::Infallible> {
    use std::os::unix::process::CommandExt;

    if let Some(name) = std::env::args_os().next().filter(|name| !name.is_empty()) {
        command.arg0(name);
    }
    Err(command.exec())
}

/// Runs `command` to its end and ends as it did.
#[cfg(not(unix))]
fn replace(mut command: Command) -> std::io::Result<std::convert::Infallible> {
    // Ctrl-C reaches both processes: the other one writes its state and ends, then this one does.
    let _ = ctrlc::set_handler(|| {});
    let status = command.status()?;
    std::process::exit(status.code().unwrap_or(2))
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;
    use crate::runtime::gpu::adapters::{Adapter, Api, Kind, WONNX};

    fn choice() -> Choice {
        Choice::Gpu {
            adapter: Adapter {
                name: "GeForce \"RTX\" 4060".to_owned(),
                vendor: "NVIDIA".to_owned(),
                kind: Kind::Discrete,
                api: Api::Dx12,
                driver: "560.1".to_owned(),
                limits: WONNX,
                fault: None,
            },
            reason: "asked for".to_owned(),
        }
    }

    fn environment(choice: &Choice) -> BTreeMap<String, String> {
        let mut command = Command::new("edge");
        prepare(&mut command, choice).unwrap();
        let text = |s: &std::ffi::OsStr| s.to_str().unwrap().to_owned();
        let variables = command.get_envs();
        variables
            .map(|(name, value)| (text(name), text(value.unwrap())))
            .collect()
    }

    #[test]
    fn a_choice_survives() {
        for choice in [
            choice(),
            Choice::Cpu {
                reason: "–".to_owned(),
            },
        ] {
            let variables = environment(&choice);
            let carried = parse(|name| variables.get(name).cloned()).unwrap();
            assert_eq!(carried, Some(choice));
        }
        let variables = environment(&choice());
        assert_eq!(variables["WGPU_BACKEND"], "dx12");
        assert_eq!(variables["WGPU_ADAPTER_NAME"], "geforce \"rtx\" 4060");
    }

    #[test]
    fn a_foreign_environment_is_refused_rather_than_restarted_for_ever() {
        assert_eq!(parse(|_| None).unwrap(), None);
        assert!(parse(|_| Some("{}".to_owned())).is_err());
        let mut variables = environment(&choice());
        variables.insert("WGPU_BACKEND".to_owned(), "gl".to_owned());
        assert_eq!(
            parse(|name| variables.get(name).cloned())
                .unwrap_err()
                .to_string(),
            "the environment variable EDGE_GPU_CHOICE is set, but not by this program: unset it"
        );
    }

    #[test]
    fn api_names_are_those_of_wgpu() {
        use wgpu::util::parse_backends_from_comma_list as parse;
        for (api, backends) in [
            (Api::Vulkan, wgpu::Backends::VULKAN),
            (Api::Metal, wgpu::Backends::METAL),
            (Api::Dx12, wgpu::Backends::DX12),
            (Api::Gl, wgpu::Backends::GL),
        ] {
            assert_eq!(parse(&api.name().to_lowercase()), backends);
        }
    }

    /// What [`settling_restarts_the_program_once`] starts: alone it does nothing.
    #[test]
    #[ignore = "started by another test"]
    fn settles() {
        use crate::runtime::gpu::choice::Backend;
        let start = std::process::id();
        let choice = crate::runtime::gpu::settle(Backend::Gpu, None).unwrap();
        println!(
            "process {start} settled {}",
            serde_json::to_string(&choice).unwrap()
        );
    }

    #[test]
    fn settling_restarts_the_program_once() {
        if crate::runtime::gpu::test_adapter().is_none() {
            return;
        }
        let adapters = crate::runtime::gpu::adapters::list();
        let backend = crate::runtime::gpu::choice::Backend::Gpu;
        let choice = crate::runtime::gpu::choice::choose(&adapters, backend, None).unwrap();
        let mut command = Command::new(std::env::current_exe().unwrap());
        command.args(["--exact", "--ignored", "--nocapture"]);
        command.arg("runtime::gpu::environment::tests::settles");
        let finished = command.output().unwrap();
        let text = String::from_utf8(finished.stdout).unwrap();
        assert!(finished.status.success(), "{text}");
        let settled = format!("settled {}", serde_json::to_string(&choice).unwrap());
        assert_eq!(text.matches(&settled).count(), 1, "{text}");
        // The test runner announced itself twice: the program was started again, in its place.
        assert_eq!(text.matches("running 1 test").count(), 2, "{text}");
        assert_eq!(text.matches("test result: ok").count(), 1, "{text}");
    }

    #[test]
    fn a_choice_that_does_not_go_with_the_environment_ends_the_program() {
        let mut command = Command::new(std::env::current_exe().unwrap());
        command.args(["--exact", "--ignored", "--nocapture"]);
        command.arg("runtime::gpu::environment::tests::settles");
        command.env(CHOICE, serde_json::to_string(&choice()).unwrap());
        let finished = command.output().unwrap();
        let text = String::from_utf8(finished.stderr).unwrap();
        assert!(!finished.status.success());
        assert!(
            text.contains("EDGE_GPU_CHOICE is set, but not by this program"),
            "{text}"
        );
    }
}
