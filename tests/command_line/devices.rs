//! `edge devices` with and without a driver.

use tests::{Finished, finish};

use super::edge;

/// Without any Vulkan driver, whatever this machine has.
fn without_driver(arguments: &[&str]) -> Finished {
    let nowhere = "/nowhere/driver.json";
    finish(
        edge()
            .args(arguments)
            .env("WGPU_BACKEND", "vulkan")
            .env("VK_ICD_FILENAMES", nowhere)
            .env("VK_DRIVER_FILES", nowhere),
    )
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
    let run = finish(edge().args(["devices", "--json"]));
    assert_eq!(run.code, 0, "{}", run.stderr);
    let listed: serde_json::Value = serde_json::from_str(&run.stdout).unwrap();
    for adapter in listed["adapters"].as_array().unwrap() {
        assert!(adapter["name"].is_string(), "{adapter}");
        assert!(adapter["fault"].is_null(), "{adapter}");
    }
}
