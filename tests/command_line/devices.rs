//! `edge devices` with and without a driver.

use std::path::Path;

use tests::{Finished, finish, software_gpu, with_driver};

use super::edge;

/// Without any Vulkan driver, whatever this machine has.
fn without_driver(arguments: &[&str]) -> Finished {
    let nowhere = Path::new("/nowhere/driver.json");
    finish(with_driver(edge().args(arguments), nowhere))
}

#[test]
fn no_driver_is_a_normal_case() {
    let run = without_driver(&["devices"]);
    assert_eq!(run.code, 0, "{}", run.stderr);
    insta::assert_snapshot!(run.stdout, @r"
    No GPU adapter was found.

    Automatic choice: the CPU (no GPU adapter was found)
    ");
    let run = without_driver(&["devices", "--json"]);
    assert_eq!(run.code, 0, "{}", run.stderr);
    insta::assert_snapshot!(run.stdout, @r#"
    {
      "gpu_support": true,
      "adapters": [],
      "automatic": {
        "cpu": {
          "reason": "no GPU adapter was found"
        }
      }
    }
    "#);
}

#[test]
fn whatever_this_machine_has_is_listed() {
    let run = finish(
        edge()
            .args(["devices", "--json"])
            .env_remove("WGPU_BACKEND"),
    );
    assert_eq!(run.code, 0, "{}", run.stderr);
    let listed: serde_json::Value = serde_json::from_str(&run.stdout).unwrap();
    for adapter in listed["adapters"].as_array().unwrap() {
        assert!(adapter["name"].is_string(), "{adapter}");
        assert!(adapter["fault"].is_null(), "{adapter}");
    }
}

#[test]
fn a_software_adapter_is_listed_and_not_chosen() {
    let Some(driver) = software_gpu() else {
        return;
    };
    let run = finish(with_driver(edge().args(["devices", "--json"]), &driver));
    assert_eq!(run.code, 0, "{}", run.stderr);
    let listed: serde_json::Value = serde_json::from_str(&run.stdout).unwrap();
    let adapter = &listed["adapters"][0];
    assert_eq!(adapter["type"], "software");
    assert_eq!(adapter["api"], "vulkan");
    assert!(adapter["fault"].is_null(), "{adapter}");
    assert_eq!(listed["adapters"].as_array().unwrap().len(), 1);
    let reason = listed["automatic"]["cpu"]["reason"].as_str().unwrap();
    assert!(reason.ends_with(": only a software adapter"), "{reason}");
}
