//! `edge corrupt`: which pictures it writes, and that they are those of an evaluation.

use std::fs;
use std::path::Path;

use edge::dataset::Dataset;
use edge::perturb::corruption::Frost;
use edge::perturb::generate::{Generator, Identity, Method};
use image::RgbImage;
use shared::outcome::{Corruption, PassKind, Severity};
use tests::Finished;

use super::{run_in, seen};

/// A photograph-like picture with smooth and busy parts, different for every `tint`.
fn picture(width: u32, height: u32, tint: u8) -> RgbImage {
    RgbImage::from_fn(width, height, |x, y| {
        let busy = (x * 7 + y * 13) % 64 + (x / 8 + y / 8) % 2 * 100;
        image::Rgb([(x * 255 / width) as u8, busy as u8, tint])
    })
}

/// A folder with `photo.png` of 60 x 40 pixels.
fn workplace() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    picture(60, 40, 90)
        .save(folder.path().join("photo.png"))
        .unwrap();
    folder
}

/// A folder whose folder `name` holds three images in two classes.
fn class_folders(name: &str) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    for (path, tint) in [("cat/1.png", 10), ("cat/deep/2.png", 20), ("dog/1.jpg", 30)] {
        let path = folder.path().join(name).join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        picture(50, 50, tint).save(path).unwrap();
    }
    folder
}

/// Paths of the files below `folder`, sorted, with `/` between names.
fn files(folder: &Path) -> Vec<String> {
    let mut found = Vec::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(next) = folders.pop() {
        for entry in fs::read_dir(next).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else {
                let path = path.strip_prefix(folder).unwrap();
                found.push(path.to_str().unwrap().replace('\\', "/"));
            }
        }
    }
    found.sort();
    found
}

/// What a person would see, less the progress, which tells times.
fn said(folder: &Path, arguments: &[&str]) -> String {
    let mut run: Finished = run_in(folder, &[&["corrupt"], arguments].concat());
    let lines = run.stderr.lines().filter(|line| !line.starts_with("[1/1]"));
    run.stderr = lines.map(|line| format!("{line}\n")).collect();
    seen(&run)
}

fn open(path: &Path) -> RgbImage {
    image::open(path).unwrap().into_rgb8()
}

#[test]
fn an_image_becomes_the_pictures_of_an_evaluation() {
    let folder = workplace();
    let options = [
        "--seed",
        "7",
        "--corruption-size",
        "32",
        "--jpeg85",
        "on",
        "--extra-corruptions",
    ];
    let said = said(
        folder.path(),
        &[&["photo.png", "--out", "new/out"][..], &options].concat(),
    );
    insta::assert_snapshot!(said, @r"
    exit code 0
    --- stderr
    note: frost is made with synthetic textures, not the published ones
    96 pictures: new/out
    ");

    let method = Method {
        side: 32,
        jpeg85: true,
        frost: Frost::synthetic(),
        seed: 7,
    };
    let identity = Identity::of(&fs::read(folder.path().join("photo.png")).unwrap());
    let base = Generator::new(32).unwrap().base(&picture(60, 40, 90));
    let out = folder.path().join("new/out");
    assert!(open(&out.join("clean.png")) == base);
    for corruption in Corruption::ALL {
        for severity in Severity::ALL {
            let name = format!("{corruption}-{}.png", severity.get());
            let expected = method.corrupt(&base, &identity, corruption, severity);
            assert!(open(&out.join(&name)) == expected, "{name}");
        }
    }
    assert_eq!(files(&out).len(), 1 + 19 * 5);
}

#[test]
fn chosen_cells_replace_earlier_pictures() {
    let folder = workplace();
    fs::create_dir(folder.path().join("out")).unwrap();
    fs::write(folder.path().join("out/fog-1.png"), "old").unwrap();
    let chosen = [
        "--corruption",
        "snow,fog",
        "--corruption",
        "fog",
        "--severity",
        "5,1",
    ];
    let said = said(
        folder.path(),
        &[&["photo.png", "--out", "out"][..], &chosen].concat(),
    );
    insta::assert_snapshot!(said, @r"
    exit code 0
    --- stderr
    5 pictures: out
    ");
    assert_eq!(
        files(&folder.path().join("out")),
        [
            "clean.png",
            "fog-1.png",
            "fog-5.png",
            "snow-1.png",
            "snow-5.png"
        ]
    );
    open(&folder.path().join("out/fog-1.png"));
}

#[cfg(unix)]
#[test]
fn pictures_are_ordinary_files() {
    use std::os::unix::fs::PermissionsExt;
    let folder = workplace();
    said(
        folder.path(),
        &["photo.png", "--out", "out", "--corruption", "fog"],
    );
    let mode = |path: &str| {
        let metadata = fs::metadata(folder.path().join(path)).unwrap();
        metadata.permissions().mode()
    };
    assert_eq!(mode("out/fog-1.png"), mode("photo.png"));
}

#[test]
fn a_sheet_shows_every_cell() {
    let folder = workplace();
    insta::assert_snapshot!(said(folder.path(), &["photo.png", "--out", "out", "--sheet"]), @r"
    exit code 0
    --- stderr
    note: frost is made with synthetic textures, not the published ones
    contact sheet: out/sheet.png
    ");
    assert_eq!(files(&folder.path().join("out")), ["sheet.png"]);
    let all = open(&folder.path().join("out/sheet.png"));
    // 60 x 40 pixels are enlarged three times; the clean picture and five severities, 15 rows.
    assert!((6 * 180..6 * 180 + 300).contains(&all.width()));
    assert!((15 * 120..15 * 120 + 150).contains(&all.height()));

    let chosen = ["--corruption", "contrast,fog", "--severity", "3"];
    said(
        folder.path(),
        &[&["photo.png", "--out", "out", "--sheet"][..], &chosen].concat(),
    );
    let few = open(&folder.path().join("out/sheet.png"));
    assert!((2 * 180..2 * 180 + 200).contains(&few.width()));
    assert!((2 * 120..2 * 120 + 60).contains(&few.height()));
}

#[test]
fn a_folder_becomes_a_stored_data_set() {
    let folder = class_folders("root/imagenet/val");
    let root = folder.path().join("root");
    let labels = "[labels]\nname = \"two\"\nclasses = [\"cat\", \"dog\"]\n";
    fs::write(root.join("data.toml"), labels).unwrap();
    let arguments = [
        "root/imagenet/val",
        "--out",
        "root/imagenet-c",
        "--seed",
        "3",
    ];
    insta::assert_snapshot!(said(folder.path(), &arguments), @r"
    exit code 0
    --- stderr
    note: frost is made with synthetic textures, not the published ones
    225 pictures of 3 images: root/imagenet-c
    ");

    let stored = root.join("imagenet-c");
    assert_eq!(
        files(&stored.join("fog/2")),
        ["cat/1.png", "cat/deep/2.png", "dog/1.png", "generated.toml"]
    );
    assert_eq!(files(&stored).len(), 75 * (3 + 1));

    let dataset = Dataset::open(&root).unwrap();
    let clean = dataset.sets[&PassKind::Clean].identity;
    assert_eq!(dataset.sets.len(), 1 + 75);
    assert!(dataset.sets.values().all(|set| set.identity == clean));
    // An evaluation does not take them for the published images.
    let cell = |corruption| {
        let set = &dataset.sets[&PassKind::Corruption(corruption, Severity::ALL[1])];
        set.origin.to_string()
    };
    assert_eq!(cell(Corruption::Fog), "generated at up to 224 px");
    assert_eq!(
        cell(Corruption::Frost),
        "generated at up to 224 px with synthetic frost"
    );
    assert!(dataset.notes.is_empty(), "{:?}", dataset.notes);

    // The picture of a file does not depend on how it is reached.
    let one = ["root/imagenet/val/dog/1.jpg", "--out", "one", "--seed", "3"];
    said(folder.path(), &one);
    for cell in ["glass_blur/4", "frost/1", "gaussian_noise/5"] {
        let alone = folder
            .path()
            .join("one")
            .join(cell.replace('/', "-") + ".png");
        assert_eq!(
            fs::read(stored.join(cell).join("dog/1.png")).unwrap(),
            fs::read(alone).unwrap(),
            "{cell}"
        );
    }
}

#[test]
fn unreadable_images_are_named_and_left_out() {
    let folder = class_folders("val");
    fs::write(folder.path().join("val/dog/0.jpg"), "no image").unwrap();
    fs::write(folder.path().join("val/cat/empty.png"), "").unwrap();
    fs::write(folder.path().join("val/list.txt"), "cat 0").unwrap();
    let arguments = [
        "val",
        "--out",
        "out",
        "--corruption",
        "fog",
        "--severity",
        "1",
    ];
    insta::assert_snapshot!(said(folder.path(), &arguments), @r#"
    exit code 1
    --- stderr
    note: clean: no image by its name, ignored: val/list.txt
    error: file is empty: val/cat/empty.png
    error: not an image: starts with "no image": val/dog/0.jpg
    2 images left out: unreadable
    3 pictures of 3 images: out
    "#);
    assert_eq!(
        files(&folder.path().join("out")),
        [
            "fog/1/cat/1.png",
            "fog/1/cat/deep/2.png",
            "fog/1/dog/1.png",
            "fog/1/generated.toml"
        ]
    );
}

#[test]
fn nothing_readable() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path();
    fs::create_dir(path.join("empty")).unwrap();
    fs::create_dir(path.join("bad")).unwrap();
    fs::write(path.join("bad/a.jpg"), "no image").unwrap();
    let said =
        ["bad/a.jpg", "bad", "empty", "nowhere"].map(|name| said(path, &[name, "--out", "out"]));
    insta::assert_snapshot!(said.join("\n"), @r#"
    exit code 2
    --- stderr
    error: not an image: starts with "no image": bad/a.jpg

    exit code 2
    --- stderr
    error: not an image: starts with "no image": bad/a.jpg
    error: none of the images could be read: bad

    exit code 2
    --- stderr
    error: no image below the folder: empty

    exit code 2
    --- stderr
    error: no such image or folder: nowhere
    "#);
    assert!(!path.join("out").exists());
}

#[test]
fn unknown_words() {
    let folder = workplace();
    let wrong = [
        ["--corruption", "fog,rain"],
        ["--severity", "1,6"],
        ["--corruption-size", "0"],
        ["--corruption-size", "15000"],
    ];
    let said = wrong.map(|option| {
        said(
            folder.path(),
            &[&["photo.png", "--out", "out"][..], &option].concat(),
        )
    });
    insta::assert_snapshot!(said.join("\n"), @r"
    exit code 2
    --- stderr
    error: invalid value 'rain' for '--corruption <NAME,…>'
      [possible values: gaussian_noise, shot_noise, impulse_noise, defocus_blur, glass_blur, motion_blur, zoom_blur, snow, frost, fog, brightness, contrast, elastic_transform, pixelate, jpeg_compression, speckle_noise, gaussian_blur, spatter, saturate]

    For more information, try '--help'.

    exit code 2
    --- stderr
    error: invalid value '6' for '--severity <N,…>': 6 is not in 1..=5

    For more information, try '--help'.

    exit code 2
    --- stderr
    error: invalid value '0' for '--corruption-size <PIXELS>': 0 is not in 1..=4096

    For more information, try '--help'.

    exit code 2
    --- stderr
    error: invalid value '15000' for '--corruption-size <PIXELS>': 15000 is not in 1..=4096

    For more information, try '--help'.
    ");
}

#[test]
fn options_that_exclude_each_other() {
    let folder = class_folders("val");
    let extra = ["--corruption", "fog", "--extra-corruptions"];
    let said = [
        said(folder.path(), &["val", "--out", "out", "--sheet"]),
        said(
            folder.path(),
            &[&["val", "--out", "out"][..], &extra].concat(),
        ),
    ];
    insta::assert_snapshot!(said.join("\n"), @r"
    exit code 2
    --- stderr
    error: --sheet shows one image, this is a folder; name an image in it: val

    exit code 2
    --- stderr
    error: the argument '--corruption <NAME,…>' cannot be used with '--extra-corruptions'

    Usage: edge corrupt --out <DIR> --corruption <NAME,…> <IMAGE|FOLDER>

    For more information, try '--help'.
    ");
}

#[test]
fn no_source_is_overwritten() {
    let folder = workplace();
    let path = folder.path();
    for name in ["clean.png", "fog-3.png", "sheet.png"] {
        fs::copy(path.join("photo.png"), path.join(name)).unwrap();
    }
    let mut said = vec![
        said(path, &["clean.png", "--out", "."]),
        said(path, &["fog-3.png", "--out", "."]),
        said(path, &["sheet.png", "--out", ".", "--sheet"]),
    ];
    assert_eq!(
        files(path),
        ["clean.png", "fog-3.png", "photo.png", "sheet.png"]
    );

    let folders = class_folders("c/fog/1");
    let path = folders.path();
    said.push(self::said(path, &["c", "--out", "c/out"]));
    said.push(self::said(path, &["c/fog/1", "--out", "c"]));
    assert_eq!(files(path).len(), 3);
    insta::assert_snapshot!(said.join("\n"), @r"
    exit code 2
    --- stderr
    error: would overwrite an image that is to be corrupted; choose another --out: ./clean.png

    exit code 2
    --- stderr
    error: would overwrite an image that is to be corrupted; choose another --out: ./fog-3.png

    exit code 2
    --- stderr
    error: would overwrite an image that is to be corrupted; choose another --out: ./sheet.png

    exit code 2
    --- stderr
    error: the pictures would lie among the images; choose another --out: c/out

    exit code 2
    --- stderr
    error: the pictures would lie among the images; choose another --out: c
    ");
}

#[cfg(unix)]
#[test]
fn no_source_is_overwritten_through_links() {
    let folder = class_folders("val");
    let path = folder.path();
    fs::create_dir_all(path.join("out/fog/1")).unwrap();
    std::os::unix::fs::symlink(path.join("val/cat"), path.join("out/fog/1/cat")).unwrap();
    let before = fs::read(path.join("val/cat/1.png")).unwrap();
    let said = said(
        path,
        &[
            "val",
            "--out",
            "out",
            "--corruption",
            "fog",
            "--severity",
            "1",
        ],
    );
    assert!(said.contains("would overwrite an image"), "{said}");
    assert_eq!(fs::read(path.join("val/cat/1.png")).unwrap(), before);
}

#[test]
fn two_images_of_one_name() {
    let folder = class_folders("val");
    picture(9, 9, 1)
        .save(folder.path().join("val/dog/1.bmp"))
        .unwrap();
    insta::assert_snapshot!(said(folder.path(), &["val", "--out", "out"]), @r"
    exit code 2
    --- stderr
    error: two images would become the same picture, rename one: val/dog/1.bmp and val/dog/1.jpg
    ");
    assert!(!folder.path().join("out").exists());
}
