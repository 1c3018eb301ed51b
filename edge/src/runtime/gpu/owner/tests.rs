//! The thread with closures in place of wonnx.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Barrier};

use super::*;
use crate::runtime::gpu::failure::Cause;

const SIZES: Sizes = Sizes {
    batch: 3,
    input: 2,
    output: 1,
};

/// Only one test is about slowness; the others must pass on a busy machine.
const PATIENCE: Duration = Duration::MAX;

/// Adds the two values of each image.
fn sums(batch: &[f32]) -> Vec<f32> {
    batch
        .chunks_exact(2)
        .map(|image| image.iter().sum())
        .collect()
}

fn start(
    mut engine: impl FnMut(usize, &[f32]) -> anyhow::Result<Vec<f32>> + Send + 'static,
) -> Result<Owner, Failure> {
    Owner::start(SIZES, PATIENCE, move || {
        let mut runs = 0;
        Ok(Box::new(move |batch: &[f32]| {
            runs += 1;
            engine(runs, batch)
        }))
    })
}

fn cause(result: Result<Vec<f32>, Failure>) -> (Stage, Cause) {
    let failure = result.unwrap_err();
    (failure.stage, failure.cause)
}

#[test]
fn batches_are_whole_and_padded_with_zeros() {
    let owner = start(|_, batch| {
        assert_eq!(batch.len(), 6);
        Ok(sums(batch))
    });
    let owner = owner.unwrap();
    assert_eq!(
        owner.run(vec![1., 2., 3., 4., 5., 6.]).unwrap(),
        [3., 7., 11.]
    );
    assert_eq!(owner.run(vec![1., 1.]).unwrap(), [2.]);
    // Nothing of the batch before is left in the padding.
    let padding = start(|_, batch| Ok(vec![batch[2..].iter().sum(); 3])).unwrap();
    padding.run(vec![9.; 6]).unwrap();
    assert_eq!(padding.run(vec![9.; 2]).unwrap(), [0.]);
}

#[test]
fn every_thread_gets_its_own_outputs() {
    let owner = start(|_, batch| Ok(sums(batch))).unwrap();
    std::thread::scope(|scope| {
        for thread in 0..8 {
            let owner = &owner;
            scope.spawn(move || {
                for i in 0..200 {
                    let images: Vec<f32> =
                        (0..2 * (1 + i % 3)).map(|v| (thread * v) as f32).collect();
                    assert_eq!(owner.run(images.clone()).unwrap(), sums(&images));
                }
            });
        }
    });
}

#[test]
fn requests_that_wait_share_a_batch() {
    let runs = Arc::new(AtomicUsize::new(0));
    let (busy, counted) = (Arc::new(Barrier::new(2)), runs.clone());
    let release = busy.clone();
    let owner = start(move |run, batch| {
        counted.store(run, Ordering::SeqCst);
        if run == 2 {
            busy.wait();
            busy.wait();
        }
        Ok(sums(batch))
    });
    let owner = owner.unwrap();
    std::thread::scope(|scope| {
        scope.spawn(|| owner.run(vec![0.; 2]).unwrap());
        release.wait();
        let waiting = [1., 2., 3.].map(|v| {
            let owner = &owner;
            scope.spawn(move || owner.run(vec![v; 2]).unwrap())
        });
        let queue = owner.requests.as_ref().unwrap();
        while queue.len() < 3 {
            std::thread::yield_now();
        }
        release.wait();
        let outputs = waiting.map(|thread| thread.join().unwrap());
        assert_eq!(outputs, [[2.], [4.], [6.]]);
    });
    // Warming, the one that was busy, and one for all three that waited.
    assert_eq!(runs.load(Ordering::SeqCst), 3);
}

#[test]
fn creation_fails_with_its_reason() {
    let refused = Owner::start(SIZES, PATIENCE, || {
        anyhow::bail!("op Erf is not implemented yet")
    });
    let failure = refused.err().unwrap();
    assert_eq!(
        (failure.stage, failure.cause),
        (Stage::Creation, Cause::Refused)
    );
    let panicking = Owner::start(SIZES, PATIENCE, || panic!("No GPU found given preference"));
    assert_eq!(
        panicking.err().unwrap().to_string(),
        "setting the model up on the GPU failed: a panic (wonnx panicked: No GPU found given \
         preference)"
    );
    let first_run = start(|_, _| anyhow::bail!("Not enough memory left"));
    let failure = first_run.err().unwrap();
    assert_eq!(
        (failure.stage, failure.cause),
        (Stage::Creation, Cause::OutOfMemory)
    );
    let short = start(|_, _| Ok(vec![0.0]));
    let message = short.err().unwrap().message;
    assert_eq!(message, "it gave 1 outputs, expected 3");
}

#[test]
fn a_lost_device_is_told_to_everyone_and_never_used_again() {
    let owner = start(|run, batch| match run {
        1..=3 => Ok(sums(batch)),
        4 => panic!("Error in Device::poll: Parent device is lost"),
        _ => unreachable!("it ran again"),
    });
    let owner = owner.unwrap();
    owner.run(vec![1.; 2]).unwrap();
    owner.run(vec![1.; 2]).unwrap();
    for _ in 0..3 {
        assert_eq!(
            cause(owner.run(vec![1.; 2])),
            (Stage::Run, Cause::DeviceLost)
        );
    }
}

#[test]
fn a_panic_while_the_model_is_freed_stays_inside() {
    struct Bomb;
    impl Drop for Bomb {
        fn drop(&mut self) {
            panic!("device is lost");
        }
    }
    let bomb = Bomb;
    let owner = start(move |_, batch| {
        let _held = &bomb;
        Ok(sums(batch))
    });
    let owner = owner.unwrap();
    owner.run(vec![1.; 2]).unwrap();
    drop(owner);
}

#[test]
fn a_run_that_wgpu_may_not_have_waited_for_is_not_trusted() {
    const PATIENCE: Duration = Duration::from_secs(2);
    let owner = Owner::start(SIZES, PATIENCE, || {
        let mut runs = 0;
        Ok(Box::new(move |batch: &[f32]| {
            runs += 1;
            // The first run may be slow: it compiles shaders.
            if runs == 1 || runs == 4 {
                std::thread::sleep(PATIENCE);
            }
            Ok(sums(batch))
        }))
    });
    let owner = owner.unwrap();
    owner.run(vec![1.; 2]).unwrap();
    let failure = owner.run(vec![1.; 2]).unwrap_err();
    assert_eq!((failure.stage, failure.cause), (Stage::Run, Cause::TooSlow));
    assert!(failure.is_about_size());
}
