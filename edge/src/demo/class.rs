//! The label set: a class is a shape with its own typical texture and background.

use std::fmt;

macro_rules! classes {
    ($($variant:ident = $name:literal),* $(,)?) => {
        /// One of the sixteen classes, in label order. Naming a texture or a background by a
        /// class means the one that is typical of it.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
        #[expect(missing_docs, reason = "the variants are the names of the shapes")]
        pub enum Class { $($variant),* }

        impl Class {
            /// All classes in label order, which is alphabetical.
            pub const ALL: [Self; 16] = [$(Self::$variant),*];

            /// Class id and name.
            pub fn name(self) -> &'static str {
                match self { $(Self::$variant => $name),* }
            }
        }
    };
}

classes! {
    Arrow = "arrow",
    Bolt = "bolt",
    Circle = "circle",
    Crescent = "crescent",
    Cross = "cross",
    Drop = "drop",
    Fish = "fish",
    Gear = "gear",
    Heart = "heart",
    Hourglass = "hourglass",
    Key = "key",
    Mushroom = "mushroom",
    Ring = "ring",
    Square = "square",
    Star = "star",
    Triangle = "triangle",
}

impl Class {
    /// The classes that appear as renditions: the first twelve, so that the decision between
    /// some of the classes differs from the decision between all.
    pub const RENDITIONS: &'static [Self] = Self::ALL.split_at(12).0;
}

impl fmt::Display for Class {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}
