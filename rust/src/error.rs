//! What can go wrong while reading, and how it reaches Python: as data, with kind, place, expectation, finding and hint.

use pyo3::PyErr;
use pyo3::exceptions::{PyFileNotFoundError, PyIsADirectoryError, PyOSError, PyPermissionError, PyRuntimeError};
use pyo3::prelude::*;
use pyo3::types::PyTuple;
use std::{fmt, io};

/// Longest piece of a user's text that a message repeats.
const SHOWN: usize = 160;

/// An option that a message names; whoever shows the message spells it, as `duplicates='best'` or `--duplicates best`.
#[derive(Clone, Copy, Debug)]
pub struct Setting {
    pub keyword: &'static str,
    pub value: &'static str,
    /// On the command line, where that is not the keyword with hyphens.
    pub option: &'static str,
    /// In Python, where there is no such keyword.
    pub python: &'static str,
}

impl Setting {
    pub const fn new(keyword: &'static str, value: &'static str) -> Self {
        Setting { keyword, value, option: "", python: "" }
    }

    pub const fn option(self, option: &'static str) -> Self {
        Setting { option, ..self }
    }

    pub const fn python(self, python: &'static str) -> Self {
        Setting { python, ..self }
    }
}

/// Plain words of a message, or an option that it names.
#[derive(Clone, Debug)]
pub enum Fragment {
    Text(String),
    Setting(Setting),
}

impl From<&str> for Fragment {
    fn from(text: &str) -> Self {
        Fragment::Text(text.into())
    }
}

impl From<String> for Fragment {
    fn from(text: String) -> Self {
        Fragment::Text(text)
    }
}

impl From<Setting> for Fragment {
    fn from(setting: Setting) -> Self {
        Fragment::Setting(setting)
    }
}

/// What was expected, and what was there; sentences that are made elsewhere have both in the first.
#[derive(Clone, Debug, Default)]
pub struct Problem {
    pub kind: &'static str,
    pub expected: String,
    pub found: String,
    /// What follows the sentence.
    pub advice: Vec<Fragment>,
    pub is_layout: bool,
}

impl Problem {
    pub fn new(kind: &'static str, expected: impl Into<String>, found: impl Into<String>) -> Self {
        Problem { kind, expected: expected.into(), found: found.into(), ..Problem::default() }
    }

    /// A line with other columns than those of its layout, such as `topic iteration document grade`.
    pub fn layout(columns: &str, found: String) -> Self {
        Problem { kind: "columns", expected: columns.into(), found, is_layout: true, ..Problem::default() }
    }

    pub fn with_advice(self, advice: impl Into<Vec<Fragment>>) -> Self {
        Problem { advice: advice.into(), ..self }
    }

    pub fn sentence(&self) -> String {
        let colon = if self.is_layout { ":" } else { "" };
        match (self.expected.as_str(), self.found.as_str()) {
            (expected, "") => expected.into(),
            (expected, found) => format!("expected{colon} {expected}, found {found}"),
        }
    }
}

impl From<&str> for Problem {
    fn from(sentence: &str) -> Self {
        Problem { expected: sentence.into(), ..Problem::default() }
    }
}

impl From<String> for Problem {
    fn from(sentence: String) -> Self {
        Problem { expected: sentence, ..Problem::default() }
    }
}

/// An error as data: its parts make its text, in the words of whoever shows it.
#[derive(Clone, Debug, Default)]
pub struct Message {
    pub parts: Vec<Fragment>,
    pub problem: Problem,
    pub file: String,
    /// 0: the error is about no line.
    pub line: u64,
    pub column: usize,
}

impl From<Problem> for Message {
    /// About no place in a file.
    fn from(problem: Problem) -> Self {
        let mut parts = vec![problem.sentence().into()];
        parts.extend_from_slice(&problem.advice);
        Message { parts, problem, ..Message::default() }
    }
}

impl Message {
    pub fn new(parts: impl Into<Vec<Fragment>>) -> Self {
        Message { parts: parts.into(), ..Message::default() }
    }

    pub fn kind(self, kind: &'static str) -> Self {
        Message { problem: Problem { kind, ..self.problem }, ..self }
    }
}

impl From<String> for Message {
    fn from(text: String) -> Self {
        Message::new([text.into()])
    }
}

impl From<&str> for Message {
    fn from(text: &str) -> Self {
        Message::new([text.into()])
    }
}

#[derive(Debug)]
pub enum ReadError {
    /// The file cannot be opened or read.
    Io { name: String, error: io::Error },
    /// The text is not what it should be.
    Format(Box<Message>),
    /// A document twice in one ranking, or judged twice for one topic.
    Duplicate(Box<Message>),
    /// Lines of one topic are not together: the caller reads again, gathering.
    Scattered,
    /// A line is longer than any line of a run; the caller knows which.
    LongLine,
    /// Reading on would take more memory than is allowed.
    Memory(Box<Message>),
    /// The user pressed Ctrl-C, or another file failed first.
    Cancelled,
    /// A defect of ours; the message says where.
    Internal(String),
}

impl ReadError {
    pub fn format(message: impl Into<Message>) -> Self {
        ReadError::Format(Box::new(message.into()))
    }

    pub fn duplicate(message: impl Into<Message>) -> Self {
        ReadError::Duplicate(Box::new(message.into()))
    }

    pub fn memory(message: impl Into<Message>) -> Self {
        ReadError::Memory(Box::new(message.into()))
    }

    /// Something else than was expected at a place of a file, and what may be done about it.
    pub fn at(place: &Place<'_>, problem: impl Into<Problem>, hint: &[Fragment]) -> Self {
        ReadError::format(place.message(problem, hint))
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
    pub fn message(&self, problem: impl Into<Problem>, hint: &[Fragment]) -> Message {
        let problem = problem.into();
        let mut parts = vec![format!("{self}: {}", problem.sentence()).into()];
        parts.extend_from_slice(&problem.advice);
        if !self.text.is_empty() {
            parts.push(format!("\n    {}", shown(self.text)).into());
        }
        if !hint.is_empty() {
            parts.push("\n".into());
            parts.extend_from_slice(hint);
        }
        Message { parts, problem, file: self.file.into(), line: self.line, column: self.column }
    }

    /// The place, what is odd there, and the line.
    pub fn text(&self, sentence: &str) -> String {
        format!("{self}: {sentence}\n    {}", shown(self.text))
    }
}

impl fmt::Display for Place<'_> {
    fn fmt(&self, into: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(into, "{}, line {}", self.file, self.line)?;
        if self.column > 0 { write!(into, ", column {}", self.column) } else { Ok(()) }
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
            ReadError::Format(message) => rankscale_error("FormatError", *message),
            ReadError::Memory(message) => rankscale_error("MemoryLimitError", *message),
            ReadError::Duplicate(message) => rankscale_error("DuplicateError", *message),
            ReadError::Cancelled => PyRuntimeError::new_err("reading was stopped"),
            ReadError::LongLine => rankscale_error("FormatError", "a line is too long"),
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

/// An error of the class of that name in `rankscale.errors`.
pub fn rankscale_error(class: &str, message: impl Into<Message>) -> PyErr {
    let message = message.into();
    Python::attach(|py| {
        let make = || {
            let errors = py.import("rankscale.errors")?;
            let setting = errors.getattr("Setting")?;
            let parts = message.parts.iter().map(|part| match part {
                Fragment::Text(text) => Ok(text.into_pyobject(py)?.into_any()),
                Fragment::Setting(of) => setting.call1((of.keyword, of.value, of.option, of.python)),
            });
            let error = errors.getattr(class)?.call1(PyTuple::new(py, parts.collect::<PyResult<Vec<_>>>()?)?)?;
            let problem = &message.problem;
            if !problem.kind.is_empty() {
                error.setattr("kind", problem.kind)?;
            }
            if message.line > 0 {
                let place = (message.file.as_str(), message.line, message.column);
                error.setattr("place", errors.getattr("Place")?.call1(place)?)?;
                error.setattr("problem", problem.sentence())?;
                if !problem.found.is_empty() {
                    error.setattr("expected", problem.expected.as_str())?;
                    error.setattr("found", problem.found.as_str())?;
                }
            }
            Ok::<_, PyErr>(error)
        };
        match make() {
            Ok(error) => PyErr::from_value(error),
            Err(error) => error,
        }
    })
}
