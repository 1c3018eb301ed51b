//! Why a result file could not be read or written.

use std::io;
use std::path::PathBuf;

use super::foreign::FirstBytes;
use super::{FormatVersion, Inconsistency};

/// Why bytes are not a readable result file.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ReadError {
    /// The signature is missing.
    #[error("not a result file: expected the signature of a .quba file, found {found}")]
    NotAResultFile {
        /// What the first bytes look like.
        found: FirstBytes,
    },
    /// The bytes end early.
    #[error(
        "truncated: expected {expected} bytes, found {found}; copy the file again or repeat the \
         evaluation"
    )]
    Truncated {
        /// Bytes that the header announces, or the length of a header where that is cut.
        expected: u64,
        /// Bytes that are there.
        found: u64,
    },
    /// A later version of this tool wrote the file.
    #[error(
        "written by a newer version: found format {found}, expected at most {supported}; update \
         this tool to read it"
    )]
    TooNew {
        /// Version of the file.
        found: FormatVersion,
        /// Newest version this build reads.
        supported: FormatVersion,
    },
    /// The file is of a version that is no longer read, or never existed.
    #[error(
        "written by an older version: found format {found}, expected at least {oldest}; repeat \
         the evaluation"
    )]
    TooOld {
        /// Version of the file.
        found: FormatVersion,
        /// Oldest version this build reads.
        oldest: FormatVersion,
    },
    /// Header bits that have no meaning yet are set.
    #[error(
        "unknown header flags: expected 0, found {0:#010x}; the header is damaged or a newer \
         version wrote it: update this tool or copy the file again"
    )]
    ReservedFlags(u32),
    /// The body is not the one that was written.
    #[error(
        "damaged: expected a body with checksum {expected}, found {found}; copy the file again or \
         repeat the evaluation"
    )]
    ChecksumMismatch {
        /// First 8 bytes of the header's checksum, in hexadecimal.
        expected: String,
        /// First 8 bytes of the body's checksum, in hexadecimal.
        found: String,
    },
    /// More bytes follow than the header announces.
    #[error(
        "trailing bytes: expected {expected} bytes, found more; the header is damaged or \
         something was appended: copy the file again"
    )]
    TrailingBytes {
        /// Bytes that the header announces.
        expected: u64,
    },
    /// The body, although undamaged, does not follow the format.
    #[error(
        "malformed: expected a body of format {format}, found one that does not decode; its writer \
         is at fault: repeat the evaluation"
    )]
    Malformed {
        /// Version of the file.
        format: FormatVersion,
        /// Where it does not decode.
        source: postcard::Error,
    },
    /// The body goes on after the evaluation.
    #[error(
        "malformed: expected the body to end with the evaluation, found {0} more bytes; its \
         writer is at fault: repeat the evaluation"
    )]
    ExcessBody(usize),
    /// The evaluation contradicts itself.
    #[error(
        "the recorded evaluation is inconsistent; its writer is at fault: repeat the evaluation"
    )]
    Inconsistent(#[from] Inconsistency),
}

/// Why a result file on disk could not be read or written.
#[derive(Debug, thiserror::Error)]
pub enum FileError {
    /// The system refused to open or read the file.
    #[error("cannot open result file {path}", path = path.display())]
    Open {
        /// The file.
        path: PathBuf,
        /// The system's reason.
        source: io::Error,
    },
    /// The content is not a readable result.
    #[error("cannot read result file {path}", path = path.display())]
    Read {
        /// The file.
        path: PathBuf,
        /// What is wrong with the content.
        source: ReadError,
    },
    /// The evaluation must not be written.
    #[error("cannot write an inconsistent evaluation to {path}", path = path.display())]
    Inconsistent {
        /// The file.
        path: PathBuf,
        /// What is wrong with the evaluation.
        source: Inconsistency,
    },
    /// The system refused to write the file.
    #[error("cannot write result file {path}", path = path.display())]
    Write {
        /// The file.
        path: PathBuf,
        /// The system's reason.
        source: io::Error,
    },
}
