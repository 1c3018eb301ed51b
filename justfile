# Everyday commands; `just --list` shows them.

# Types and lints, as CI sees them
check:
    cargo fmt --all --check
    cargo clippy --workspace --all-targets --locked -- -D warnings
    cargo fmt --manifest-path desktop/Cargo.toml --check
    cargo clippy --manifest-path desktop/Cargo.toml --all-targets --locked -- -D warnings

# All tests
test:
    cargo test --workspace
    cargo test-desktop

# The main job on embedded defaults
demo:
    cargo edge demo

# Open result files in a window
desktop *FILES:
    cargo desktop {{FILES}}

# The picture in the README
picture:
    cargo desktop --screenshot desktop/assets/window.png --view scatter --select "Residual CNN" --theme light

# Time per frame of every view with 826 models
frames:
    cargo bench --manifest-path desktop/Cargo.toml --profile dev --bench frames

# Speed and memory against the Python pipelines (needs the packages named in tests/bench/README.md)
bench:
    tests/bench/run

# Train the bundled backbones again (PyTorch on the CPU, under an hour)
train:
    cargo edge demo --write target/demo --train 500
    python3 models/train.py target/demo

# Everything the gate does
ci:
    .ci/run
