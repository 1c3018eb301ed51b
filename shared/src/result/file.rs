//! Result files on disk.

use std::fs::File;
use std::io::{self, Read, Write};
use std::path::Path;

use super::codec::{HEADER_LEN, decode_body, parse_header};
use super::{Evaluation, FileError, ReadError, encode};

/// Reads a result file. Of a file that is none, only the first bytes are read.
///
/// # Errors
/// If the file cannot be opened, or is not a readable result; both name the path.
pub fn read(path: &Path) -> Result<Evaluation, FileError> {
    let open_error = |source| FileError::Open {
        path: path.to_owned(),
        source,
    };
    let read_error = |source: ReadError| FileError::Read {
        path: path.to_owned(),
        source,
    };
    let mut file = File::open(path).map_err(open_error)?;
    let head = read_up_to(&mut file, HEADER_LEN as u64).map_err(open_error)?;
    let header = parse_header(&head).map_err(read_error)?;
    // One byte more than announced tells whether something follows.
    let body = read_up_to(&mut file, header.body_len.saturating_add(1)).map_err(open_error)?;
    decode_body(header, &body).map_err(read_error)
}

fn read_up_to(file: &mut File, limit: u64) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    file.take(limit).read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// Writes a result file so that, whatever happens, `path` holds either its old content or all of
/// the new one: a temporary file in the same folder, flushed to disk, then renamed.
///
/// # Errors
/// If the evaluation contradicts itself or the system refuses; both name the path.
pub fn write_atomic(path: &Path, evaluation: &Evaluation) -> Result<(), FileError> {
    let bytes = encode(evaluation).map_err(|source| FileError::Inconsistent {
        path: path.to_owned(),
        source,
    })?;
    replace(path, &bytes).map_err(|source| FileError::Write {
        path: path.to_owned(),
        source,
    })
}

/// Writes a file of any kind as [`write_atomic`] does.
///
/// # Errors
/// The system refuses.
pub fn replace(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let folder = match path.parent() {
        Some(parent) if parent != Path::new("") => parent,
        _ => Path::new("."),
    };
    let mut builder = tempfile::Builder::new();
    builder.prefix(".quba-").suffix(".tmp");
    // Temporary files are private by default; a result is an ordinary file (the umask applies).
    #[cfg(unix)]
    builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o666));
    let mut temporary = builder.tempfile_in(folder)?;
    temporary.write_all(bytes)?;
    temporary.as_file().sync_all()?;
    temporary.persist(path).map_err(|e| e.error)?;
    // The rename itself is on disk once the folder is; other systems cannot open folders.
    #[cfg(unix)]
    File::open(folder)?.sync_all()?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::super::testing::small_evaluation;
    use super::*;

    #[test]
    fn a_written_file_reads_back_and_replaces_the_old_one() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("model.quba");
        let mut evaluation = small_evaluation();
        write_atomic(&path, &evaluation).unwrap();
        evaluation.seed += 1;
        write_atomic(&path, &evaluation).unwrap();
        assert_eq!(read(&path).unwrap(), evaluation);
        let names: Vec<_> = std::fs::read_dir(folder.path()).unwrap().collect();
        assert_eq!(names.len(), 1, "no temporary file is left");
    }

    #[test]
    fn a_refused_write_leaves_the_old_file() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("model.quba");
        let mut evaluation = small_evaluation();
        write_atomic(&path, &evaluation).unwrap();
        let before = std::fs::read(&path).unwrap();
        evaluation.passes[0].list = 99;
        let error = write_atomic(&path, &evaluation).unwrap_err();
        assert!(matches!(error, FileError::Inconsistent { .. }));
        assert_eq!(std::fs::read(&path).unwrap(), before);
    }

    #[cfg(unix)]
    #[test]
    fn written_files_are_readable_as_the_umask_allows() {
        use std::os::unix::fs::PermissionsExt;
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("model.quba");
        write_atomic(&path, &small_evaluation()).unwrap();
        let plain = folder.path().join("plain");
        std::fs::write(&plain, b"").unwrap();
        let mode = |p: &Path| p.metadata().unwrap().permissions().mode();
        assert_eq!(mode(&path), mode(&plain));
    }

    #[test]
    fn file_errors_name_the_path_and_the_cause() {
        let folder = tempfile::tempdir().unwrap();
        let missing = folder.path().join("none.quba");
        assert!(matches!(read(&missing), Err(FileError::Open { .. })));
        assert!(matches!(read(folder.path()), Err(FileError::Open { .. })));
        let nowhere = folder.path().join("no/folder.quba");
        let refused = write_atomic(&nowhere, &small_evaluation());
        assert!(matches!(refused, Err(FileError::Write { .. })));

        let foreign = folder.path().join("foreign.quba");
        std::fs::write(&foreign, b"model,acc\n").unwrap();
        let error = read(&foreign).unwrap_err();
        assert_eq!(
            error.to_string(),
            format!("cannot read result file {}", foreign.display())
        );
        let source = std::error::Error::source(&error).unwrap().to_string();
        insta::assert_snapshot!(source, @"not a result file: expected the signature of a .quba file, found text");
    }

    #[test]
    fn cut_and_extended_files_are_told_apart() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("model.quba");
        let mut bytes = encode(&small_evaluation()).unwrap();
        let expected = bytes.len() as u64;
        bytes.push(0);
        std::fs::write(&path, &bytes).unwrap();
        let Err(FileError::Read { source, .. }) = read(&path) else {
            panic!("read an extended file")
        };
        assert_eq!(source, ReadError::TrailingBytes { expected });
        std::fs::write(&path, &bytes[..70]).unwrap();
        let Err(FileError::Read { source, .. }) = read(&path) else {
            panic!("read a cut file")
        };
        assert_eq!(
            source,
            ReadError::Truncated {
                expected,
                found: 70
            }
        );
    }
}
