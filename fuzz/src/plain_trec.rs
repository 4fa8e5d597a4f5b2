//! TREC files: `topic Q0 document rank score tag`, `topic iteration document grade`, and five columns of preferences.

use crate::plain::{Name, Order, Plain, Row, Stop, is_blank, number, number_or_nan, strip, unmarked, words};
use crate::plain::{strtod, strtol};

/// Whose reading of odd lines is meant.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Dialect {
    Own,
    TrecEval9,
    TrecEval10,
}

/// The lines that say something, each with its number.
pub fn lines(text: &[u8], has_comments: bool) -> impl Iterator<Item = (u64, &[u8])> {
    let said = move |line: &[u8]| words(line).first().is_some_and(|word| !(has_comments && word[0] == b'#'));
    (1..).zip(text.split(|&byte| byte == b'\n')).filter(move |(_, line)| said(line))
}

/// Rows of a run, and the tag of each.
pub fn run(text: &[u8], order: Option<Order>, dialect: Dialect) -> Plain<(Vec<Row>, Vec<Name>)> {
    let is_own = dialect == Dialect::Own;
    let (mut rows, mut tags) = (Vec::new(), Vec::new());
    for (line, written) in lines(unmarked(text)?, dialect != Dialect::TrecEval9) {
        let columns = words(written);
        if columns.len() < 6 || written.contains(&0) {
            return Err(Stop::Lines(wrong_lines(&rows, line)));
        }
        let score = if is_own { number_or_nan(columns[4]) } else { lenient_score(columns[4]) };
        let rank = number_or_nan(columns[3]);
        if score.is_nan() || (order == Some(Order::Rank) && rank.is_nan()) {
            return Err(Stop::Lines(wrong_lines(&rows, line)));
        }
        tags.push(if is_own { rest_from(written, 5) } else { columns[5].to_vec() });
        let (topic, document) = (columns[0].to_vec(), Some(columns[2].to_vec()));
        rows.push(Row { topic, document, score: Some(score), rank: Some(rank), line, ..Row::default() });
    }
    if rows.is_empty() { Err(Stop::Fault) } else { Ok((rows, tags)) }
}

/// The line that is wrong, and those before it that repeat a document, which may be told first.
fn wrong_lines(rows: &[Row], line: u64) -> Vec<u64> {
    let is_repeated = |at: usize| {
        rows[..at].iter().any(|earlier| (&earlier.topic, &earlier.document) == (&rows[at].topic, &rows[at].document))
    };
    let repeats = (0..rows.len()).filter(|&at| is_repeated(at)).map(|at| rows[at].line);
    repeats.chain([line]).collect()
}

/// The number that C's atof reads; NaN goes last.
fn lenient_score(text: &[u8]) -> f64 {
    let score = strtod(text);
    if score.is_nan() { f64::NEG_INFINITY } else { score }
}

/// A line from a word on to its end, without the blanks there.
fn rest_from(line: &[u8], word: usize) -> Name {
    let mut rest = strip(line, is_blank);
    for _ in 0..word {
        let end = rest.iter().position(|&byte| is_blank(byte)).unwrap();
        rest = strip(&rest[end..], is_blank);
    }
    rest.to_vec()
}

/// Judgments; with five columns those of an assessor's list.
pub fn qrels(text: &[u8], dialect: Dialect, columns: usize) -> Plain<Vec<Row>> {
    let text = unmarked(text)?;
    let is_own = dialect == Dialect::Own;
    let mut rows = Vec::new();
    let ends_with_line_end = text.is_empty() || text.ends_with(b"\n");
    let all = text.split(|&byte| byte == b'\n').count() as u64 - u64::from(ends_with_line_end);
    for (line, written) in (1..=all).zip(text.split(|&byte| byte == b'\n')) {
        let cells = words(written);
        let is_comment = dialect != Dialect::TrecEval9 && cells.first().is_some_and(|word| word[0] == b'#');
        if is_comment || (cells.is_empty() && is_own) {
            continue;
        }
        if cells.len() != columns || written.contains(&0) {
            return Err(Stop::Lines(wrong_lines(&rows, line)));
        }
        let grade = match number(cells[columns - 1]) {
            _ if !is_own => strtol(cells[columns - 1]) as f64,
            Some(grade) if grade.is_finite() => grade,
            _ => return Err(Stop::Lines(wrong_lines(&rows, line))),
        };
        let (topic, document) = (cells[0].to_vec(), Some(cells[columns - 2].to_vec()));
        let part = if is_own { cells[1].to_vec() } else { Name::new() };
        let list = if columns == 5 { cells[2].to_vec() } else { Name::new() };
        rows.push(Row { topic, document, part, list, grade: Some(grade), line, ..Row::default() });
    }
    if rows.is_empty() { Err(Stop::Fault) } else { Ok(rows) }
}
