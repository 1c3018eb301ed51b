# Everyday commands; `just --list` shows them.

# Types and lints, as CI sees them
check:
    cargo fmt --all --check
    cargo clippy --workspace --all-targets --locked -- -D warnings

# All tests
test:
    cargo test --workspace

# The main job on embedded defaults
demo:
    cargo edge demo

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
