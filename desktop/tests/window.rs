//! The real window: opened on a display of its own without graphics hardware, and refused in words
//! where there is no display. Skipped with a reason where Xvfb is not installed, unless
//! `DESKTOP_TEST_WINDOW=required`.

#![cfg(target_os = "linux")]

use std::collections::BTreeSet;
use std::fs;
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// A process that ends with the test.
struct Running(Child);

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// A display whose pixels lie in a file of `folder`, and its name.
fn display(folder: &Path) -> Option<(Running, String)> {
    let started = Command::new("Xvfb")
        .args([
            "-displayfd",
            "1",
            "-screen",
            "0",
            "1280x800x24",
            "-nolisten",
            "tcp",
            "-fbdir",
        ])
        .arg(folder)
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn();
    let mut server = Running(started.ok()?);
    let mut number = String::new();
    BufReader::new(server.0.stdout.take()?)
        .read_line(&mut number)
        .ok()?;
    let name = format!(":{}", number.trim());
    (name.len() > 1).then_some((server, name))
}

fn desktop(home: &Path) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_desktop"));
    command
        .env_remove("DISPLAY")
        .env_remove("WAYLAND_DISPLAY")
        .env_remove("WAYLAND_SOCKET")
        .env("HOME", home)
        .env("XDG_RUNTIME_DIR", home)
        .env("LIBGL_ALWAYS_SOFTWARE", "1");
    command
}

/// The different colours on the screen, read from the file that holds it: an XWD header whose first
/// number is its length, a palette of 12 bytes a colour, pixels of four bytes.
fn colours(screen: &Path) -> BTreeSet<[u8; 3]> {
    let bytes = fs::read(screen).unwrap_or_default();
    let number = |at: usize| {
        let word = bytes.get(at * 4..at * 4 + 4);
        word.map_or(0, |w| u32::from_be_bytes([w[0], w[1], w[2], w[3]]) as usize)
    };
    let (header, palette) = (number(0), number(19) * 12);
    let pixels = bytes.get(header + palette..).unwrap_or_default();
    pixels.chunks_exact(4).map(|p| [p[0], p[1], p[2]]).collect()
}

#[test]
fn a_window_opens_and_draws_without_graphics_hardware() {
    let folder = tempfile::tempdir().unwrap();
    let Some((_server, name)) = display(folder.path()) else {
        assert!(
            std::env::var_os("DESKTOP_TEST_WINDOW").is_none_or(|word| word != "required"),
            "Xvfb does not start"
        );
        println!("skipped: Xvfb is not installed (Debian: xvfb)");
        return;
    };
    let opened = desktop(folder.path())
        .env("DISPLAY", name)
        .stderr(Stdio::piped())
        .spawn();
    let mut window = Running(opened.unwrap());
    let end = Instant::now() + Duration::from_secs(60);
    // The table in its colours; an empty window has a handful.
    while colours(&folder.path().join("Xvfb_screen0")).len() < 200 {
        let ended = window.0.try_wait().unwrap();
        assert!(ended.is_none(), "the program ended: {ended:?}");
        assert!(Instant::now() < end, "nothing was drawn within a minute");
        std::thread::sleep(Duration::from_millis(200));
    }
}

#[test]
fn without_a_display_it_says_so_and_what_to_do() {
    let home = tempfile::tempdir().unwrap();
    let ended = desktop(home.path()).output().unwrap();
    assert_eq!(ended.status.code(), Some(2));
    let told = String::from_utf8_lossy(&ended.stderr);
    assert!(
        told.starts_with("error: no display can be reached"),
        "{told}"
    );
    assert!(
        told.contains("--screenshot") && !told.contains("panicked"),
        "{told}"
    );
}
