//! The picture list of the dataset.

use std::path::{Path, PathBuf};

use image::RgbImage;

use super::class::Class;
use super::ood;
use super::rng::Rng;
use super::scene::{Content, Difficulty, photo};
use super::write::DemoOptions;

/// An image set of the dataset.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Set {
    Clean,
    Rendition,
    Edge,
    Silhouette,
    Sketch,
    Stylized,
    MixedSame,
    MixedRand,
    CueConflict(Class),
    Train,
    TrainRandomised,
}

impl Set {
    /// Folder below the root, and the set's part of the seed.
    fn folder(self) -> &'static str {
        match self {
            Self::Clean => "imagenet/val",
            Self::Rendition => "imagenet-r",
            Self::Edge => "modelvshuman/edge",
            Self::Silhouette => "modelvshuman/silhouette",
            Self::Sketch => "modelvshuman/sketch",
            Self::Stylized => "modelvshuman/stylized",
            Self::MixedSame => "bg_challenge/mixed_same/val",
            Self::MixedRand => "bg_challenge/mixed_rand/val",
            Self::CueConflict(_) => "modelvshuman/cue-conflict",
            Self::Train => "train",
            Self::TrainRandomised => "train-randomised",
        }
    }
}

/// One picture of one set.
#[derive(Clone, Copy, Debug)]
pub struct Picture {
    pub set: Set,
    pub class: Class,
    pub number: usize,
}

/// Probability that a clean picture has its class's typical background, and its typical texture.
const TYPICAL_BACKGROUND: f32 = 0.75;
const TYPICAL_TEXTURE: f32 = 0.92;

impl Picture {
    /// Path below the root.
    pub fn path(&self) -> PathBuf {
        Path::new(self.set.folder())
            .join(self.class.name())
            .join(self.file_name())
    }

    pub fn file_name(&self) -> String {
        match self.set {
            // The texture's word follows the last hyphen; see the naming rule of cue conflict.
            Set::CueConflict(texture) => {
                let number = self.number + 1;
                format!("{}{number}-{texture}{number}.png", self.class)
            }
            _ => format!("{}_{:04}.png", self.class, self.number + 1),
        }
    }

    /// The random stream of this picture and no other.
    pub fn rng(&self, seed: u64) -> Rng {
        let texture = match self.set {
            Set::CueConflict(texture) => texture.name(),
            _ => "",
        };
        let number = self.number.to_string();
        Rng::named(
            seed,
            &[self.set.folder(), self.class.name(), texture, &number],
        )
    }

    pub fn render(&self, seed: u64) -> RgbImage {
        let rng = &mut self.rng(seed);
        match self.set {
            Set::Edge => ood::edge(rng, self.class),
            Set::Silhouette => ood::silhouette(rng, self.class),
            Set::Sketch => ood::sketch(rng, self.class),
            Set::Stylized => ood::stylized(rng, self.class),
            Set::Rendition => ood::rendition(rng, self.class),
            Set::CueConflict(texture) => {
                let content = Content {
                    shape: self.class,
                    texture,
                    background: None,
                };
                photo(rng, content, Difficulty::CLEAR)
            }
            Set::Clean | Set::Train => {
                let content = correlated(rng, self.class);
                photo(rng, content, Difficulty::ORDINARY)
            }
            Set::MixedSame | Set::MixedRand | Set::TrainRandomised => {
                let content = mixed(rng, self.set, self.class);
                photo(rng, content, Difficulty::ORDINARY)
            }
        }
    }
}

fn any(rng: &mut Rng) -> Class {
    Class::ALL[rng.below(Class::ALL.len())]
}

/// Any class but `class`.
fn another(rng: &mut Rng, class: Class) -> Class {
    let step = 1 + rng.below(Class::ALL.len() - 1);
    Class::ALL[(class as usize + step) % Class::ALL.len()]
}

/// The typical cues, each with an exception now and then.
fn correlated(rng: &mut Rng, class: Class) -> Content {
    let mut typical = |probability| {
        if rng.chance(probability) {
            class
        } else {
            any(rng)
        }
    };
    let texture = typical(TYPICAL_TEXTURE);
    Content {
        shape: class,
        texture,
        background: Some(typical(TYPICAL_BACKGROUND)),
    }
}

/// Cues chosen against the correlation: the background of the same or of another class, or, for
/// training, texture and background of any.
pub fn mixed(rng: &mut Rng, set: Set, shape: Class) -> Content {
    let (texture, background) = match set {
        Set::MixedSame => (shape, shape),
        Set::MixedRand => (shape, another(rng, shape)),
        _ => (any(rng), any(rng)),
    };
    Content {
        shape,
        texture,
        background: Some(background),
    }
}

/// All pictures, in a fixed order.
pub fn pictures(options: &DemoOptions) -> Vec<Picture> {
    let train = options.train.unwrap_or(0);
    let sets = [
        (Set::Clean, options.clean),
        (Set::Edge, options.shifted),
        (Set::Silhouette, options.shifted),
        (Set::Sketch, options.shifted),
        (Set::Stylized, options.shifted),
        (Set::MixedSame, options.mixed),
        (Set::MixedRand, options.mixed),
        (Set::Train, train),
        (Set::TrainRandomised, train),
    ];
    let of = |set, class, count| (0..count).map(move |number| Picture { set, class, number });
    let mut pictures = Vec::new();
    for class in Class::ALL {
        pictures.extend(
            sets.into_iter()
                .flat_map(|(set, count)| of(set, class, count)),
        );
        for texture in Class::ALL.into_iter().filter(|texture| *texture != class) {
            pictures.extend(of(Set::CueConflict(texture), class, options.conflict));
        }
    }
    for &class in Class::RENDITIONS {
        pictures.extend(of(Set::Rendition, class, options.shifted));
    }
    pictures
}
