//! Shards of an evaluation: when they are no longer needed, and which are missing.

use std::collections::BTreeSet;

use super::{Evaluation, Shard, Subset};
use crate::outcome::{Outcomes, Pass, PassKind};

/// How much of the images of a split run is there.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Coverage {
    Part,
    All,
    /// All, and others.
    More,
}

impl Evaluation {
    /// Forgets what shards keep for others, where none is missing any more.
    pub fn settle_shards(&mut self) {
        let mut shards = std::mem::take(&mut self.shards);
        for shard in &mut shards {
            let done = match self.coverage(PassKind::Clean, shard.images_per_set) {
                Coverage::Part => false,
                Coverage::All => self.has_ace_or_no_images(),
                // Their error is not that of the images that are there.
                Coverage::More => true,
            };
            if done {
                shard.probabilities = None;
            }
            shard
                .passes
                .retain(|&(kind, _)| self.coverage(kind, shard.images_per_set) == Coverage::Part);
        }
        shards.retain(|shard| !shard.passes.is_empty() || shard.probabilities.is_some());
        self.shards = shards;
    }

    /// Which shards are missing, or what they lack, in words; empty where nothing is.
    pub fn missing_shards(&self) -> Vec<String> {
        self.shards
            .chunk_by(Shard::is_of_split)
            .flat_map(|held| missing_of_split(held, &self.passes))
            .collect()
    }

    /// The sample that was evaluated: `None` where every image of every pass is there, else the
    /// largest number of images of an incomplete pass.
    pub fn sampled(&self) -> Option<Subset> {
        let passes = self.passes.iter();
        passes
            .map(|pass| self.images_of(pass))
            .filter(|&(images, population)| images < population)
            .map(|(images, _)| images)
            .max()
            .map(|images_per_set| Subset { images_per_set })
    }

    /// Images shown, readable or not, and all images of the set.
    fn images_of(&self, pass: &Pass) -> (u32, u32) {
        let list = self.lists.get(pass.list as usize);
        let (evaluated, population) = list.map_or((0, 0), |l| (l.labels.len(), l.population));
        ((evaluated + pass.skipped.len()) as u32, population)
    }

    fn coverage(&self, kind: PassKind, images_per_set: Option<u32>) -> Coverage {
        let Some(pass) = self.passes.iter().find(|pass| pass.kind == kind) else {
            return Coverage::Part;
        };
        let (images, population) = self.images_of(pass);
        let all = images_per_set.map_or(population, |most| most.min(population));
        match images.cmp(&all) {
            std::cmp::Ordering::Less => Coverage::Part,
            std::cmp::Ordering::Equal => Coverage::All,
            std::cmp::Ordering::Greater => Coverage::More,
        }
    }

    fn has_ace_or_no_images(&self) -> bool {
        self.passes.iter().any(|pass| match &pass.outcomes {
            Outcomes::Classified { ace, .. } => ace.is_some() || pass.outcomes.is_empty(),
            _ => false,
        })
    }
}

/// Of the shards of one split, of which `passes` were evaluated.
fn missing_of_split(held: &[Shard], passes: &[Pass]) -> Vec<String> {
    let open = held.iter().flat_map(|s| s.passes.iter().map(|p| p.0));
    let open: BTreeSet<PassKind> = open.collect();
    let with_probabilities = held.iter().any(|s| s.probabilities.is_some());
    // A shard that is not held was seen all the same where a pass is complete.
    let of_absent = if passes.iter().all(|pass| open.contains(&pass.kind)) {
        None
    } else {
        words(&open.iter().collect::<Vec<_>>()).or(Some("class probabilities".to_owned()))
    };
    let mut lines = Vec::new();
    let mut next = 1;
    for shard in held {
        lines.extend(absent(next, shard.index, shard.count, of_absent.as_deref()));
        next = shard.index.saturating_add(1);
        let held = |kind: &&PassKind| shard.passes.iter().any(|(held, _)| held == *kind);
        let lacking: Vec<&PassKind> = open.iter().filter(|kind| !held(kind)).collect();
        let probabilities = with_probabilities && shard.probabilities.is_none();
        let lacking = words(&lacking)
            .into_iter()
            .chain(probabilities.then(|| "class probabilities".to_owned()));
        let (index, count) = (shard.index, shard.count);
        lines.extend(lacking.map(|what| format!("shard {index} of {count} lacks {what}")));
    }
    if let Some(shard) = held.last() {
        let end = shard.count.saturating_add(1);
        lines.extend(absent(next, end, shard.count, of_absent.as_deref()));
    }
    lines
}

fn words(passes: &[&PassKind]) -> Option<String> {
    match passes {
        [] => None,
        [pass] => Some(pass.to_string()),
        [first, .., last] => Some(format!("{} passes from {first} to {last}", passes.len())),
    }
}

/// The shards from `start` to before `end`, of which nothing is there, or all but what is `lacking`.
fn absent(start: u32, end: u32, count: u32, lacking: Option<&str>) -> Option<String> {
    let last = end.checked_sub(1)?;
    match (end.checked_sub(start)?, lacking) {
        (0, _) => None,
        (1, None) => Some(format!("shard {start} of {count} is missing")),
        (_, None) => Some(format!("shards {start} to {last} of {count} are missing")),
        (1, Some(what)) => Some(format!("shard {start} of {count} lacks {what}")),
        (_, Some(what)) => Some(format!("shards {start} to {last} of {count} lack {what}")),
    }
}
