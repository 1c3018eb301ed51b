//! What each image did under each pass: compact records from which every metric is computed.

mod attack;
mod bits;
mod image_list;
mod origin;
mod pass;

pub use attack::{Attack, AttackMethod, AttackSpace, Norm, Start, Strength};
pub use bits::Bits;
pub use image_list::{ImageList, IndexRuns};
pub use origin::{FrostSource, Generation, Origin};
pub use pass::{Corruption, Outcomes, Pass, PassKind, Severity, SkippedImage};
