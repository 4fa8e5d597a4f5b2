//! What can go wrong while reading, and how it reaches Python: with place, expectation, finding and hint.

use pyo3::PyErr;
use pyo3::exceptions::{PyFileNotFoundError, PyIsADirectoryError, PyOSError, PyPermissionError, PyRuntimeError};
use pyo3::prelude::*;
use std::io;

/// Longest piece of a user's text that a message repeats.
const SHOWN: usize = 160;

#[derive(Debug)]
pub enum ReadError {
    /// The file cannot be opened or read.
    Io { name: String, error: io::Error },
    /// The text is not what it should be; the message is complete.
    Format(String),
    /// A document twice in one ranking, or judged twice for one topic.
    Duplicate(String),
    /// Lines of one topic are not together: the caller reads again, gathering.
    Scattered,
    /// A line is longer than any line of a run; the caller knows which.
    LongLine,
    /// Reading on would take more memory than is allowed; the message is complete.
    Memory(String),
    /// The user pressed Ctrl-C, or another file failed first.
    Cancelled,
    /// A defect of ours; the message says where.
    Internal(String),
}

impl ReadError {
    pub fn format(place: &Place<'_>, expected: &str, hint: &str) -> Self {
        ReadError::Format(place.message(expected, hint))
    }
}

/// Where in a file something was found.
pub struct Place<'a> {
    pub file: &'a str,
    pub line: u64,
    /// Byte position in the line, from 1; 0 where the whole line is meant.
    pub column: usize,
    pub text: &'a [u8],
}

impl Place<'_> {
    pub fn message(&self, expected: &str, hint: &str) -> String {
        let column = if self.column > 0 { format!(", column {}", self.column) } else { String::new() };
        let mut message = format!("{}, line {}{column}: {expected}", self.file, self.line);
        if !self.text.is_empty() {
            message.push_str("\n    ");
            message.push_str(&shown(self.text));
        }
        if !hint.is_empty() {
            message.push('\n');
            message.push_str(hint);
        }
        message
    }
}

/// A user's text as one printable line: control characters escaped, the rest of a long text left out.
pub fn shown(text: &[u8]) -> String {
    let mut cut = text.len().min(SHOWN);
    // Do not cut inside a UTF-8 sequence.
    while cut < text.len() && cut > 0 && (text[cut] & 0xC0) == 0x80 {
        cut -= 1;
    }
    let mut line: String = String::from_utf8_lossy(&text[..cut])
        .chars()
        .map(|c| if c.is_control() && c != '\t' { c.escape_default().to_string() } else { c.to_string() })
        .collect();
    if cut < text.len() {
        line.push_str(" ...");
    }
    line
}

/// Words with commas between, and one word before the last.
pub fn list<'a>(words: impl Iterator<Item = &'a str>, last: &str) -> String {
    let words: Vec<&str> = words.collect();
    match words.split_last() {
        Some((end, [])) => (*end).to_string(),
        Some((end, before)) => format!("{} {last} {end}", before.join(", ")),
        None => String::new(),
    }
}

impl From<ReadError> for PyErr {
    fn from(error: ReadError) -> Self {
        match error {
            ReadError::Io { name, error } => {
                let message = format!("{name}: {}", io_words(&error));
                match error.kind() {
                    io::ErrorKind::NotFound => PyFileNotFoundError::new_err(message),
                    io::ErrorKind::PermissionDenied => PyPermissionError::new_err(message),
                    io::ErrorKind::IsADirectory => PyIsADirectoryError::new_err(message),
                    _ => PyOSError::new_err(message),
                }
            }
            ReadError::Format(message) => rankscale_error("FormatError", message),
            ReadError::Memory(message) => rankscale_error("MemoryLimitError", message),
            ReadError::Duplicate(message) => rankscale_error("DuplicateError", message),
            ReadError::Cancelled => PyRuntimeError::new_err("reading was stopped"),
            ReadError::LongLine => rankscale_error("FormatError", "a line is too long".into()),
            ReadError::Scattered => PyRuntimeError::new_err("internal error: scattered topics were not gathered"),
            ReadError::Internal(message) => PyRuntimeError::new_err(format!("internal error: {message}")),
        }
    }
}

fn io_words(error: &io::Error) -> String {
    match error.kind() {
        io::ErrorKind::NotFound => "there is no such file".into(),
        io::ErrorKind::PermissionDenied => "this file may not be read".into(),
        io::ErrorKind::IsADirectory => "this is a folder, not a file".into(),
        _ => error.to_string(),
    }
}

/// The error class of that name in `rankscale.errors`.
pub fn rankscale_error(class: &str, message: String) -> PyErr {
    Python::attach(|py| {
        let make = || py.import("rankscale.errors")?.getattr(class)?.call1((message.as_str(),));
        match make() {
            Ok(error) => PyErr::from_value(error),
            Err(error) => error,
        }
    })
}
