//! The columns by which the published models are grouped and marked.

use std::fmt;

use serde::Deserialize;

/// An enum whose variants have a word in the table and a label for people.
macro_rules! groups {
    ($(#[$doc:meta])* $name:ident { $($variant:ident = $word:literal, $label:literal;)* }) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Deserialize)]
        pub enum $name {
            $(#[doc = $label] #[serde(rename = $word)] $variant,)*
        }

        impl $name {
            /// All variants, in display order.
            pub const ALL: &[Self] = &[$(Self::$variant),*];

            /// The word in the table.
            pub fn word(self) -> &'static str {
                match self { $(Self::$variant => $word),* }
            }

            /// The label a person reads.
            pub fn label(self) -> &'static str {
                match self { $(Self::$variant => $label),* }
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.pad(self.label())
            }
        }
    };
}

groups! {
    /// Family of the network.
    Architecture {
        Cnn = "cnn", "convolutional";
        Transformer = "transformer", "transformer";
        VisionLanguage = "vil", "vision-language";
        BCos = "bcos", "B-cos";
    }
}

groups! {
    /// What a model was trained on before or besides ImageNet-1k.
    PretrainingData {
        ImageNet1k = "in1k", "ImageNet-1k";
        ImageNet21k = "in21k", "ImageNet-21k";
        Large = "large", "larger data";
    }
}

groups! {
    /// Training setup as the study groups it.
    Setup {
        Supervised = "sl", "supervised";
        Adversarial = "at", "adversarial training";
        SemiSupervised = "semi", "semi-supervised";
        A123 = "a123", "A1, A2 or A3 recipe";
        SelfSupervised = "ssl", "self-supervised";
    }
}

groups! {
    /// Training regime: the setup, split where it joins unlike things.
    Regime {
        Supervised = "sl", "supervised";
        Adversarial = "at", "adversarial training";
        SemiSupervised = "semi", "semi-supervised";
        A1 = "a1", "A1 recipe";
        A2 = "a2", "A2 recipe";
        A3 = "a3", "A3 recipe";
        FineTuned = "ssl-ft", "self-supervised, fine-tuned";
        LinearProbe = "ssl-lp", "self-supervised, linear probe";
        ZeroShot = "ssl-zeroshot", "zero-shot";
    }
}

/// Something a reader must know before comparing with a published row.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Flag {
    /// Batch normalisation left in training mode.
    BnTrain,
    /// A softmax over probabilities.
    DoubleSoftmax,
    /// Named wrongly on the results page.
    Mislabelled,
}

impl Flag {
    /// All flags, in display order.
    pub const ALL: [Self; 3] = [Self::BnTrain, Self::DoubleSoftmax, Self::Mislabelled];

    /// The word in the table.
    pub fn word(self) -> &'static str {
        match self {
            Self::BnTrain => "bn-train",
            Self::DoubleSoftmax => "double-softmax",
            Self::Mislabelled => "mislabelled",
        }
    }

    /// What it means for the figures, in a sentence.
    pub fn meaning(self) -> &'static str {
        match self {
            Self::BnTrain => {
                "probably evaluated with batch normalisation in training mode, as the figures \
                 suggest: corruption and OOD robustness, calibration error and class balance are \
                 not those of the model"
            }
            Self::DoubleSoftmax => {
                "evaluated with a second softmax over its probabilities, which makes all \
                 confidences nearly equal: calibration error is too high and class balance too \
                 high"
            }
            Self::Mislabelled => {
                "named as another model on the study's results page; the name is corrected here, \
                 the figures are unaffected"
            }
        }
    }
}

/// The flags of one row.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(try_from = "String")]
pub struct Flags {
    /// [`Flag::BnTrain`].
    pub bn_train: bool,
    /// [`Flag::DoubleSoftmax`].
    pub double_softmax: bool,
    /// [`Flag::Mislabelled`].
    pub mislabelled: bool,
}

impl Flags {
    /// The flags that are set, in display order.
    pub fn iter(self) -> impl Iterator<Item = Flag> {
        Flag::ALL.into_iter().filter(move |flag| match flag {
            Flag::BnTrain => self.bn_train,
            Flag::DoubleSoftmax => self.double_softmax,
            Flag::Mislabelled => self.mislabelled,
        })
    }
}

impl TryFrom<String> for Flags {
    type Error = String;

    /// Reads words separated by vertical bars.
    fn try_from(text: String) -> Result<Self, String> {
        let mut flags = Self::default();
        for word in text.split('|').filter(|word| !word.is_empty()) {
            match word {
                "bn-train" => flags.bn_train = true,
                "double-softmax" => flags.double_softmax = true,
                "mislabelled" => flags.mislabelled = true,
                _ => return Err(format!("unknown flag '{word}'")),
            }
        }
        Ok(flags)
    }
}
