//! One worker: decodes a file, and shows it and its copies to every model that still needs them.

use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Instant;

use anyhow::{Context, Result, anyhow};
use crossbeam_channel::Sender;
use image::RgbImage;
use shared::outcome::{AttackSpace, PassKind};

use super::attacked::{Attacks, Victim};
use super::judge::Record;
use super::pipeline::{Answer, Judged, ModelWork, Work};
use crate::perturb::generate::{Generator, Identity, Source};
use crate::preprocess::Preprocessor;
use crate::runtime::Session;

/// A file and what its corrupted copies need.
struct Shown {
    source: Source,
    /// What copies are made of, once the first is needed.
    base: Option<RgbImage>,
}

/// One thread's own state: a session per model, a resizer and a tensor per preprocessing.
pub(super) struct Worker<'a> {
    work: &'a Work<'a>,
    sessions: Vec<Box<dyn Session + 'a>>,
    attacks: Attacks<'a>,
    preprocessors: Vec<Preprocessor>,
    generator: Generator,
    tensors: Vec<Vec<f32>>,
    /// By tensor, the space in which it holds the file itself: passes that show it share that.
    held: Vec<Option<AttackSpace>>,
    outputs: Vec<f32>,
    probabilities: Vec<f32>,
}

impl<'a> Worker<'a> {
    pub(super) fn new(work: &'a Work<'a>) -> Result<Self> {
        let sessions = work
            .models
            .iter()
            .map(|m| {
                m.classifier
                    .session()
                    .with_context(|| format!("cannot set up a session of {}", m.name))
            })
            .collect::<Result<_>>()?;
        let preprocessors = work
            .preprocessings
            .iter()
            .map(|p| Ok(Preprocessor::new(p)?))
            .collect::<Result<Vec<_>>>()?;
        Ok(Self {
            work,
            sessions,
            attacks: Attacks::new(work)?,
            tensors: vec![Vec::new(); preprocessors.len()],
            held: vec![None; preprocessors.len()],
            preprocessors,
            generator: Generator::new(work.method.side)?,
            outputs: Vec::new(),
            probabilities: Vec::new(),
        })
    }

    pub(super) fn run(
        &mut self,
        next: &AtomicUsize,
        halted: impl Fn() -> bool,
        sender: &Sender<Answer>,
    ) -> Result<()> {
        while !halted() {
            let Some(&(group, slot)) = self.work.units.get(next.fetch_add(1, Ordering::Relaxed))
            else {
                break;
            };
            if !self.evaluate(group, slot, &halted, sender)? {
                break;
            }
        }
        Ok(())
    }

    /// Evaluates one file in all passes of its group; false when there is no one to answer.
    fn evaluate(
        &mut self,
        group: u16,
        slot: u32,
        halted: &impl Fn() -> bool,
        sender: &Sender<Answer>,
    ) -> Result<bool> {
        let work = self.work;
        let mut begun = Instant::now();
        let passes = &work.groups[group as usize];
        let set = &work.passes[passes[0] as usize];
        let item = &set.set.items[set.positions[slot as usize] as usize];
        let path = set.set.root.join(&item.path);
        let mut file = match Source::read(&path) {
            Err(reason) if work.strict => return Err(anyhow!("{reason}: {}", path.display())),
            file => file.map(|source| Shown { source, base: None }),
        };
        self.attacks.next_image();
        self.held.fill(None);
        for &pass in passes.iter().filter(|&&pass| work.needs(pass, slot)) {
            if halted() {
                break;
            }
            let outcome = match &mut file {
                Ok(shown) => {
                    let corrupted = self.corrupted(pass, shown);
                    let source = &shown.source;
                    self.fill_tensors(pass, slot, source, corrupted.as_ref());
                    Ok(self.judge_all(pass, slot, item.label, &source.identity, &path)?)
                }
                Err(reason) => {
                    let saved = work.cost(pass, slot);
                    work.spent.fetch_add(saved, Ordering::Relaxed);
                    Err(reason.clone())
                }
            };
            let answer = Answer {
                pass,
                slot,
                busy: begun.elapsed(),
                outcome,
            };
            begun = Instant::now();
            // The collector hangs up only after a failure of its own, which it reports.
            if sender.send(answer).is_err() {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// The corrupted copy that a pass shows; `None` where it shows the file itself.
    fn corrupted(&mut self, pass: u16, shown: &mut Shown) -> Option<RgbImage> {
        let pass = &self.work.passes[pass as usize];
        let PassKind::Corruption(corruption, severity) = pass.kind else {
            return None;
        };
        if !pass.generated {
            return None;
        }
        let Shown { source, base } = shown;
        let base = base.get_or_insert_with(|| self.generator.base(&source.image));
        let method = &self.work.method;
        Some(method.corrupt(base, &source.identity, corruption, severity))
    }

    /// Puts what a pass shows, the file or its corrupted copy, into the tensors that it needs.
    fn fill_tensors(
        &mut self,
        pass: u16,
        slot: u32,
        source: &Source,
        corrupted: Option<&RgbImage>,
    ) {
        let work = self.work;
        let space = match work.passes[pass as usize].kind {
            PassKind::Attack(attack) => attack.space,
            _ => AttackSpace::Normalized,
        };
        let image = corrupted.unwrap_or(&source.image);
        let wanted = corrupted.is_none().then_some(space);
        for (i, preprocessor) in self.preprocessors.iter_mut().enumerate() {
            let is_used = |m: &ModelWork| m.preprocessing == i && m.needs(pass, slot);
            let is_there = wanted.is_some() && self.held[i] == wanted;
            if is_there || !work.models.iter().any(is_used) {
                continue;
            }
            match space {
                AttackSpace::Pixels => preprocessor.pixels(image, &mut self.tensors[i]),
                AttackSpace::Normalized => preprocessor.tensor(image, &mut self.tensors[i]),
            }
            self.held[i] = wanted;
        }
    }

    fn judge_all(
        &mut self,
        pass: u16,
        slot: u32,
        label: u32,
        identity: &Identity,
        path: &Path,
    ) -> Result<Vec<Judged>> {
        let work = self.work;
        let kind = work.passes[pass as usize].kind;
        let needs = |m: &ModelWork| m.needs(pass, slot);
        let mut judged = Vec::new();
        let models = work.models.iter().enumerate();
        for (index, model) in models.filter(|(_, m)| needs(m)) {
            let record = self.record(index, kind, label, identity);
            let record =
                record.with_context(|| format!("{} failed on {}", model.name, path.display()))?;
            let keep = model.keep_probabilities && kind == PassKind::Clean;
            judged.push(Judged {
                model: index,
                record,
                probabilities: keep.then(|| self.probabilities.clone()),
            });
        }
        Ok(judged)
    }

    /// One model's record of the image that its tensor holds.
    fn record(
        &mut self,
        index: usize,
        kind: PassKind,
        label: u32,
        identity: &Identity,
    ) -> Result<Record> {
        let model = &self.work.models[index];
        let session = self.sessions[index].as_mut();
        let image = &self.tensors[model.preprocessing];
        if let PassKind::Attack(attack) = kind {
            let victim = Victim {
                image,
                label,
                identity,
            };
            let right = self.attacks.survives(index, session, &victim, &attack)?;
            return Ok(Record::Correct(right));
        }
        session.run(image, &mut self.outputs)?;
        self.work.spent.fetch_add(1, Ordering::Relaxed);
        Ok(model
            .judge
            .judge(kind, label, &mut self.outputs, &mut self.probabilities))
    }
}
