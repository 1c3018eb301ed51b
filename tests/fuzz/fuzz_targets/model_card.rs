//! Any text given as a model card is read or refused; nothing panics.

#![no_main]

use edge::model::Card;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| {
    let _ = Card::parse(text);
});
