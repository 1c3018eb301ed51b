//! Cards as people write them, and as a fuzzer does.

use proptest::prelude::*;

use super::*;

const FULL: &str = r#"
name = "EfficientNet-Lite0"
label_set = "imagenet-1k"
parameters = 4652008
output = "logits"
output_name = "logits"
background_class = false
double_softmax = false

[preprocessing]
resize = 256
crop = 224
interpolation = "bicubic"
mean = [0.5, 0.5, 0.5]
std = [0.25, 0.25, 1]
channels = "bgr"
layout = "nhwc"

[grouping]
architecture = "cnn"
pretraining_data = "in1k"
training = "sl"
paper = "EfficientNet, 2019"
"#;

#[test]
fn full_card() {
    let card = Card::parse(FULL).unwrap();
    assert_eq!(card.parameters, Some(4_652_008));
    assert_eq!(card.output, Some(OutputKind::Logits));
    assert_eq!(card.grouping.training, "sl");
    let preprocessing = card.preprocessing.unwrap();
    assert_eq!(preprocessing.resize, Some(Resize::ShorterSide(256)));
    assert_eq!(preprocessing.crop, Some((224, 224)));
    assert_eq!(preprocessing.interpolation, Some(Interpolation::Bicubic));
    assert_eq!(preprocessing.std, Some([0.25, 0.25, 1.0]));
    assert_eq!(preprocessing.channels, Some(ChannelOrder::Bgr));
    assert_eq!(preprocessing.layout, Some(Layout::Nhwc));
}

#[test]
fn empty_card() {
    assert_eq!(Card::parse(""), Ok(Card::default()));
}

#[test]
fn resize_forms() {
    let resize = |value: &str| {
        let card = Card::parse(&format!("[preprocessing]\nresize = {value}"));
        card.map(|card| card.preprocessing.unwrap().resize.unwrap())
    };
    assert_eq!(resize("256"), Ok(Resize::ShorterSide(256)));
    assert_eq!(resize("[320, 240]"), Ok(Resize::Exact(320, 240)));
    assert_eq!(resize("0"), Ok(Resize::None));
    assert_eq!(resize("\"none\""), Ok(Resize::None));
    assert!(resize("[1, 2, 3]").is_err());
    assert!(resize("-1").is_err());
    assert!(resize("[0, 5]").is_err());
}

#[test]
fn messages() {
    let message = |text: &str| Card::parse(text).unwrap_err().to_string();
    let messages = [
        message("name = 3"),
        message("nmae = \"x\""),
        message("name = \"x\"\n\n[preprocessing]\ncrop = 1.5"),
        message("[preprocessing]\nresize = [1]"),
        message("[preprocessing]\ninterpolation = \"box\""),
        message("[preprocessing]\nmean = [0.5, 0.5]"),
        message("[preprocessing]\nstd = [0.5, 0, 0.5]"),
        message("[preprocessing]\nmean = [nan, 0, 0]"),
        message("[preprocessing]\ncrop = 5000"),
        message("parameters = 0"),
        message("parameters = -4"),
        message("name = \"x"),
    ];
    insta::assert_snapshot!(messages.join("\n"));
}

proptest! {
    #[test]
    fn any_text_is_read_or_refused(text in any::<String>()) {
        let _ = Card::parse(&text);
    }

    /// A few bytes of a good card replaced, removed or doubled.
    #[test]
    fn any_mutation_is_read_or_refused(
        edits in prop::collection::vec((0..FULL.len(), 0..3_u8, any::<u8>()), 1..8),
    ) {
        let mut bytes = FULL.as_bytes().to_vec();
        for (position, kind, byte) in edits {
            let position = position % bytes.len();
            match kind {
                0 => bytes[position] = byte,
                1 => { bytes.remove(position); }
                _ => bytes.insert(position, bytes[position]),
            }
        }
        if let Ok(card) = Card::parse(&String::from_utf8_lossy(&bytes))
            && let Some(preprocessing) = card.preprocessing
        {
            prop_assert!(preprocessing.std.is_none_or(|std| std.iter().all(|v| *v > 0.0)));
            prop_assert!(preprocessing.crop.is_none_or(|(w, h)| w.min(h) > 0 && w.max(h) <= MAX_SIDE));
        }
    }
}
