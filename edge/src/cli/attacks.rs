//! Attacks on the command line.

use std::num::NonZeroU32;
use std::str::FromStr;

use anyhow::{Context, Result, anyhow, bail, ensure};
use clap::Args;
use shared::Protocol;
use shared::metrics::adversarial::space_of;
use shared::outcome::{Attack, AttackMethod, AttackSpace, Norm, Start, Strength};

/// Ordinary models are at zero at 8/255: the curve is what tells them apart.
const SWEEP: &str = "0.25,0.5,1,2,4,8";

/// Levels that are common for ImageNet: 8/255, which is that of adv, and 3.
fn usual_epsilon(norm: Norm) -> f64 {
    match norm {
        Norm::LInf => 8.0,
        Norm::L2 => 3.0 * 255.0,
    }
}

/// Attacks beside those that make up adv.
#[derive(Debug, Args)]
#[command(next_help_heading = "Attacks beside FGSM and PGD of 8/255, which make up adv")]
pub struct AttackArguments {
    /// Also FGSM and PGD (10 steps of a quarter) of each strength E/255 [without E: 0.25,0.5,1,2,4,8]
    #[arg(
        long,
        value_name = "E,…",
        value_delimiter = ',',
        num_args = 0..=1,
        require_equals = true,
        default_missing_value = SWEEP,
        value_parser = strength
    )]
    pub epsilons: Vec<Strength>,
    /// Also this attack, and the next where it is repeated: fgsm, pgd or square, and what differs from
    /// pgd,epsilon=8,norm=linf,steps=10,step=2,start=random. Lengths are in 1/255, with norm=l2 as
    /// they are; a step is a quarter of epsilon unless stated; with restarts=N the worst iterate of
    /// N random starts counts; start=image starts there; square takes queries=1000
    #[arg(long, value_name = "METHOD,KEY=VALUE,…")]
    pub attack: Vec<Wanted>,
    /// Images that Square Attack may have scored, which stands in where a model has no gradient
    #[arg(long, value_name = "N", default_value = "1000")]
    pub square_queries: NonZeroU32,
}

fn strength(word: &str) -> Result<Strength> {
    levels(word.parse().ok())
}

fn levels(levels: Option<f64>) -> Result<Strength> {
    let strength = levels.and_then(Strength::from_levels);
    strength.with_context(|| {
        let most = Strength::LARGEST;
        format!("expected a number above 0, of at most {most}/255")
    })
}

impl AttackArguments {
    /// The attacks that were asked for, in the space of the protocol.
    ///
    /// # Errors
    /// When a strength is too small for its steps.
    pub fn more(&self, protocol: Protocol) -> Result<Vec<Attack>> {
        let space = space_of(protocol);
        let mut attacks = Vec::new();
        for &epsilon in &self.epsilons {
            for method in [Method::Fgsm, Method::Pgd] {
                let wanted = Wanted {
                    epsilon: Some(epsilon),
                    ..Wanted::of(method)
                };
                attacks.push(wanted.attack(space)?);
            }
        }
        for wanted in &self.attack {
            attacks.push(wanted.attack(space)?);
        }
        Ok(attacks)
    }
}

/// An attack as it was asked for.
#[derive(Clone, Copy, Debug)]
pub struct Wanted {
    method: Method,
    epsilon: Option<Strength>,
    norm: Norm,
    step: Option<Strength>,
    steps: u32,
    restarts: Option<u32>,
    start: Start,
    queries: u32,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Method {
    Fgsm,
    Pgd,
    Square,
}

impl Wanted {
    fn of(method: Method) -> Self {
        Self {
            method,
            epsilon: None,
            norm: Norm::LInf,
            step: None,
            steps: 10,
            restarts: None,
            start: Start::Random,
            queries: 1000,
        }
    }

    fn attack(&self, space: AttackSpace) -> Result<Attack> {
        let usual = || levels(Some(usual_epsilon(self.norm)));
        let epsilon = self.epsilon.map_or_else(usual, Ok)?;
        let quarter = || {
            let step = Strength::from_levels(epsilon.levels() / 4.0);
            step.with_context(|| format!("strength {epsilon} is too small for its steps"))
        };
        let method = match self.method {
            Method::Fgsm => AttackMethod::Fgsm,
            Method::Pgd => {
                let step = self.step.map_or_else(quarter, Ok)?;
                let (steps, start) = (self.steps, self.start);
                match self.restarts {
                    None => AttackMethod::Pgd { step, steps, start },
                    Some(restarts) => AttackMethod::WorstPgd {
                        step,
                        steps,
                        restarts,
                    },
                }
            }
            Method::Square => AttackMethod::Square {
                queries: self.queries,
            },
        };
        Ok(Attack {
            method,
            norm: self.norm,
            space,
            epsilon,
        })
    }

    /// Sets what `key` names; lengths are taken as `norm` measures them.
    fn set(&mut self, key: &str, value: &str) -> Result<()> {
        let whole = || value.parse().context("expected a whole number");
        let positive = || {
            value
                .parse()
                .map(NonZeroU32::get)
                .context("expected a whole number above 0")
        };
        let length = |norm| {
            let number: Option<f64> = value.parse().ok();
            levels(match norm {
                Norm::LInf => number,
                Norm::L2 => number.map(|length| length * 255.0),
            })
        };
        match (self.method, key) {
            (_, "epsilon") => self.epsilon = Some(length(self.norm)?),
            (Method::Pgd, "norm") => {
                self.norm = match value {
                    "linf" => Norm::LInf,
                    "l2" => Norm::L2,
                    _ => bail!("expected linf or l2"),
                }
            }
            (Method::Pgd, "step") => self.step = Some(length(self.norm)?),
            (Method::Pgd, "steps") => self.steps = whole()?,
            (Method::Pgd, "restarts") => self.restarts = Some(positive()?),
            (Method::Pgd, "start") => {
                self.start = match value {
                    "random" => Start::Random,
                    "image" => Start::Image,
                    _ => bail!("expected random or image"),
                }
            }
            (Method::Square, "queries") => self.queries = positive()?,
            (Method::Fgsm, _) => bail!("expected epsilon"),
            (Method::Pgd, _) => bail!("expected epsilon, norm, step, steps, restarts or start"),
            (Method::Square, _) => bail!("expected epsilon or queries"),
        }
        Ok(())
    }
}

impl FromStr for Wanted {
    type Err = anyhow::Error;

    fn from_str(words: &str) -> Result<Self> {
        let mut words = words.split(',');
        let method = match words.next().unwrap_or_default() {
            "fgsm" => Method::Fgsm,
            "pgd" => Method::Pgd,
            "square" => Method::Square,
            other => bail!("expected fgsm, pgd or square, found '{other}'"),
        };
        let mut wanted = Self::of(method);
        let mut pairs = Vec::new();
        for word in words {
            let pair = word.split_once('=');
            pairs.push(pair.with_context(|| format!("expected KEY=VALUE, found '{word}'"))?);
        }
        // Lengths depend on the norm.
        pairs.sort_by_key(|(key, _)| *key != "norm");
        for (key, value) in pairs {
            wanted
                .set(key, value)
                .map_err(|error| anyhow!("{error}, found '{key}={value}'"))?;
        }
        let from_image = wanted.start == Start::Image;
        ensure!(
            !(from_image && wanted.restarts.is_some()),
            "restarts need a random start"
        );
        Ok(wanted)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(attack: &str) -> String {
        let wanted: Result<Wanted> = attack.parse();
        match wanted.and_then(|wanted| wanted.attack(AttackSpace::Pixels)) {
            Ok(attack) => attack.to_string(),
            Err(error) => format!("error: {error}"),
        }
    }

    #[test]
    fn attacks_are_read() {
        let all = [
            "fgsm",
            "fgsm,epsilon=0.5",
            "pgd",
            "pgd,epsilon=1",
            "pgd,steps=50,step=1,restarts=5",
            "pgd,norm=l2,steps=20",
            "pgd,norm=l2,epsilon=0.5,step=0.1",
            "pgd,steps=0,start=image",
            "square,epsilon=4,queries=5000",
        ];
        insta::assert_snapshot!(all.map(words).join("\n"), @r"
        fgsm 8/255
        fgsm 0.5/255
        pgd 8/255 (10 steps of 2/255)
        pgd 1/255 (10 steps of 0.25/255)
        worst-pgd 8/255 (5 × 50 steps of 1/255)
        pgd 3 l2 (20 steps of 0.75)
        pgd 0.5 l2 (10 steps of 0.1)
        pgd 8/255 (0 steps of 2/255, no random start)
        square 4/255 (5000 queries)
        ");
    }

    #[test]
    fn wrong_words_are_named() {
        let all = [
            "",
            "autoattack",
            "fgsm,8",
            "fgsm,steps=3",
            "fgsm,epsilon=0",
            "pgd,norm=l1",
            "pgd,steps=-1",
            "pgd,restarts=0",
            "pgd,restarts=2,start=image",
            "pgd,epsilon=0.00001",
            "square,norm=l2",
            "square,queries=0",
        ];
        insta::assert_snapshot!(all.map(words).join("\n"), @r"
        error: expected fgsm, pgd or square, found ''
        error: expected fgsm, pgd or square, found 'autoattack'
        error: expected KEY=VALUE, found '8'
        error: expected epsilon, found 'steps=3'
        error: expected a number above 0, of at most 40000/255, found 'epsilon=0'
        error: expected linf or l2, found 'norm=l1'
        error: expected a whole number, found 'steps=-1'
        error: expected a whole number above 0, found 'restarts=0'
        error: restarts need a random start
        error: strength 0.00001/255 is too small for its steps
        error: expected epsilon or queries, found 'norm=l2'
        error: expected a whole number above 0, found 'queries=0'
        ");
    }
}
