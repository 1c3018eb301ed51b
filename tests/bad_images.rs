//! Every file of `tests/bad_images` gets its message, and only files with a message are there.

use std::collections::BTreeMap;
use std::path::Path;

use edge::preprocess::decode;

#[test]
fn every_bad_image_gets_its_message() {
    let folder = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/bad_images"));
    let mut messages = BTreeMap::new();
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        if name != "make.py" {
            let error = decode(&std::fs::read(&path).unwrap()).unwrap_err();
            messages.insert(name, error.to_string());
        }
    }
    let table: Vec<String> = messages
        .iter()
        .map(|(name, text)| format!("{name}: {text}"))
        .collect();
    insta::assert_snapshot!(table.join("\n"), @r#"
    arithmetic.jpg: malformed JPEG image: error decoding SOF Marker, Number of components cannot be zero
    bad_checksum.png: malformed PNG image: CRC error: expected 0x0 have 0x37e5ee26 while decoding ChunkType { type: IHDR, critical: true, private: false, reserved: false, safecopy: false } chunk
    bad_pixels.png: malformed PNG image: corrupt deflate stream. BadZlibHeader
    bomb.gif: image of 65535x65535 pixels is too large: the limit is 178956970 pixels
    bomb.jpg: image of 65500x65500 pixels is too large: the limit is 178956970 pixels
    bomb.png: image of 60000x60000 pixels is too large: the limit is 178956970 pixels
    empty.jpg: file is empty
    half.bmp: truncated BMP image: the file ends before the image does
    half.gif: truncated GIF image: the file ends before the image does
    half.jpg: truncated JPEG image: the file ends before the image does
    half.png: truncated PNG image: the file ends before the image does
    half.tiff: truncated TIFF image: the file ends before the image does
    half.webp: malformed WebP image: corrupt bitstream
    model.onnx.png: not an image: starts with "\x08\x08\x12\x07pytorch\x1a\x052.0"
    no_pixels.png: malformed PNG image: invalid image dimensions
    one_byte.png: not an image: starts with "\x89"
    only_markers.jpg: malformed JPEG image: premature End of image
    page.html.jpg: not an image: starts with "<!DOCTYPE html>\n"
    palette.tiff: unsupported TIFF image: photometric interpretation RGBPalette with bits per sample [8] is unsupported; convert it to PNG or JPEG
    photo.avif: unsupported AVIF image: only JPEG, PNG, GIF, BMP, TIFF and WebP can be read; convert it to PNG or JPEG
    photo.ppm: unsupported PNM image: only JPEG, PNG, GIF, BMP, TIFF and WebP can be read; convert it to PNG or JPEG
    text.jpg: not an image: starts with "These are not th"
    without_end_marker.jpg: truncated JPEG image: the file ends before the image does
    "#);
}
