//! `--shard`: which part of the images to evaluate, said or read from a scheduler's environment.

use std::num::NonZeroU32;
use std::str::FromStr;

use anyhow::{Context, Result, bail, ensure};
use clap::Args;

use crate::evaluate::Part;

const SLURM: &str = "SLURM_ARRAY_TASK_ID";
const KUBERNETES: &str = "JOB_COMPLETION_INDEX";

/// The part of the images to evaluate.
#[derive(Clone, Copy, Debug, Args)]
#[command(next_help_heading = "Many machines")]
pub struct ShardArguments {
    /// Evaluate shard I of N, a part of every image set; `edge merge` joins all N. auto: the task
    /// of a Slurm array or of an indexed Kubernetes job
    #[arg(long, value_name = "I/N|auto", conflicts_with_all = ["budget", "target_ci"])]
    pub shard: Option<Wanted>,
    /// With --shard auto: the number of shards, which Kubernetes does not tell and Slurm only where
    /// the array is complete
    #[arg(long, value_name = "N", requires = "shard")]
    pub shards: Option<NonZeroU32>,
}

/// A shard as it is asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wanted {
    /// This one.
    This(Part),
    /// The one that the environment tells.
    Auto,
}

impl FromStr for Wanted {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        if text == "auto" {
            return Ok(Self::Auto);
        }
        let numbers = text
            .split_once('/')
            .and_then(|(i, n)| Some((i.parse().ok()?, n.parse().ok()?)));
        match numbers {
            Some((index, count)) if (1..=count).contains(&index) => {
                Ok(Self::This(Part { index, count }))
            }
            _ => Err("expected auto, or I/N with I from 1 to N".to_owned()),
        }
    }
}

impl ShardArguments {
    /// The shard, if one is wanted.
    ///
    /// # Errors
    /// When it is to be read from the environment and that does not tell which one it is.
    pub fn part(&self) -> Result<Option<Part>> {
        let variable = |name: &str| std::env::var(name).ok();
        match self.shard {
            None => Ok(None),
            Some(Wanted::This(part)) => {
                if let Some(shards) = self.shards {
                    ensure!(
                        shards.get() == part.count,
                        "--shard {}/{} and --shards {shards} contradict each other; leave --shards \
                         out",
                        part.index,
                        part.count
                    );
                }
                Ok(Some(part))
            }
            Some(Wanted::Auto) => from_environment(self.shards, variable).map(Some),
        }
    }
}

/// The shard that the environment tells.
fn from_environment(
    shards: Option<NonZeroU32>,
    variable: impl Fn(&str) -> Option<String>,
) -> Result<Part> {
    let number = |name: &str| -> Result<Option<u32>> {
        variable(name)
            .map(|value| {
                let number = value.trim().parse();
                number.with_context(|| format!("expected a number in {name}, found '{value}'"))
            })
            .transpose()
    };
    match (number(SLURM)?, number(KUBERNETES)?) {
        (Some(_), Some(_)) => bail!(
            "--shard auto: expected one scheduler, found both {SLURM} and {KUBERNETES}; give \
             --shard I/N"
        ),
        (Some(id), None) => of_array(id, shards, number),
        (None, Some(index)) => {
            let count = shards.map(NonZeroU32::get).context(
                "--shard auto: Kubernetes does not tell the number of completions; give it as \
                 --shards N",
            )?;
            part(u64::from(index) + 1, count)
        }
        (None, None) => bail!(
            "--shard auto: neither {SLURM} (a Slurm array) nor {KUBERNETES} (an indexed Kubernetes \
             job) is set; give --shard I/N"
        ),
    }
}

/// Of a task of a Slurm array. A complete one counts from 0 or 1; of an array that repeats some
/// tasks, --shards says how many there were, and the tasks must count from 1.
fn of_array(
    id: u32,
    shards: Option<NonZeroU32>,
    number: impl Fn(&str) -> Result<Option<u32>>,
) -> Result<Part> {
    let told = |name: &str| {
        let found = number(name)?;
        found.with_context(|| format!("--shard auto: {name} is not set; give --shard I/N"))
    };
    let first = told("SLURM_ARRAY_TASK_MIN")?;
    if let Some(shards) = shards {
        ensure!(
            first > 0,
            "--shard auto: with --shards, tasks of the array must count from 1, found one of \
             number {first}"
        );
        return part(id.into(), shards.get());
    }
    let (last, count) = (
        told("SLURM_ARRAY_TASK_MAX")?,
        told("SLURM_ARRAY_TASK_COUNT")?,
    );
    let complete = u64::from(last) + 1 == u64::from(first) + u64::from(count);
    ensure!(
        first <= 1 && complete,
        "--shard auto: expected an array of all shards, from 0 or from 1, found {count} of tasks \
         {first} to {last}; give --shards N, and count tasks from 1"
    );
    part((u64::from(id) + 1).saturating_sub(first.into()), count)
}

fn part(index: u64, count: u32) -> Result<Part> {
    ensure!(
        (1..=u64::from(count)).contains(&index),
        "--shard auto: expected a shard from 1 to {count}, found {index}"
    );
    Ok(Part {
        index: index as u32,
        count,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(variables: &[(&str, &str)], shards: Option<u32>) -> Result<(u32, u32), String> {
        let variable = |name: &str| {
            let found = variables.iter().find(|(n, _)| *n == name);
            found.map(|(_, value)| (*value).to_owned())
        };
        from_environment(shards.and_then(NonZeroU32::new), variable)
            .map(|part| (part.index, part.count))
            .map_err(|error| format!("{error:#}"))
    }

    /// As Slurm sets them.
    fn slurm<'a>(
        id: &'a str,
        min: &'a str,
        max: &'a str,
        count: &'a str,
    ) -> [(&'a str, &'a str); 4] {
        [
            (SLURM, id),
            ("SLURM_ARRAY_TASK_MIN", min),
            ("SLURM_ARRAY_TASK_MAX", max),
            ("SLURM_ARRAY_TASK_COUNT", count),
        ]
    }

    #[test]
    fn words() {
        let this = |index, count| Ok(Wanted::This(Part { index, count }));
        assert_eq!("2/4".parse(), this(2, 4));
        assert_eq!("1/1".parse(), this(1, 1));
        assert_eq!("auto".parse(), Ok(Wanted::Auto));
        for word in ["", "4", "0/4", "5/4", "1/0", "-1/4", "1/4/2", "a/b", "Auto"] {
            assert!(word.parse::<Wanted>().is_err(), "{word}");
        }
    }

    #[test]
    fn tasks_of_complete_slurm_arrays() {
        assert_eq!(told(&slurm("1", "1", "4", "4"), None), Ok((1, 4)));
        assert_eq!(told(&slurm("4", "1", "4", "4"), None), Ok((4, 4)));
        assert_eq!(told(&slurm("0", "0", "3", "4"), None), Ok((1, 4)));
        assert_eq!(told(&slurm("3", "0", "3", "4"), None), Ok((4, 4)));
    }

    #[test]
    fn a_repeated_task_is_not_taken_for_all_of_the_array() {
        let refused = told(&slurm("3", "3", "3", "1"), None).unwrap_err();
        assert!(refused.contains("found 1 of tasks 3 to 3"), "{refused}");
        assert_eq!(told(&slurm("3", "3", "3", "1"), Some(4)), Ok((3, 4)));
        assert!(told(&slurm("1", "1", "7", "3"), None).is_err());
        assert!(told(&slurm("2", "0", "3", "4"), Some(4)).is_err());
        assert!(told(&slurm("5", "5", "5", "1"), Some(4)).is_err());
    }

    #[test]
    fn indexed_kubernetes_jobs() {
        assert_eq!(told(&[(KUBERNETES, "0")], Some(8)), Ok((1, 8)));
        assert_eq!(told(&[(KUBERNETES, "7")], Some(8)), Ok((8, 8)));
        assert!(told(&[(KUBERNETES, "8")], Some(8)).is_err());
        assert!(
            told(&[(KUBERNETES, "0")], None)
                .unwrap_err()
                .contains("--shards")
        );
    }

    #[test]
    fn other_environments_are_refused() {
        assert!(told(&[], Some(4)).unwrap_err().contains("neither"));
        assert!(told(&[(SLURM, "x")], Some(4)).unwrap_err().contains("'x'"));
        let both = [(SLURM, "1"), (KUBERNETES, "1")];
        assert!(told(&both, Some(4)).unwrap_err().contains("both"));
    }
}
