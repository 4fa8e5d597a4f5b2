//! Which column is which: the names that tools give to topics, documents, scores, ranks, grades and runs.

use crate::error::{Problem, Setting, list, shown};
use crate::fields::is_blank;

/// What a column holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    Topic,
    Document,
    Score,
    Rank,
    Grade,
    Run,
    /// The sub-topic of a judgment, or its assessor.
    Subtopic,
    /// A whole ranking, in JSON.
    List,
}

pub const ROLES: usize = 8;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    Run,
    Qrels,
}

impl Kind {
    pub fn roles(self) -> &'static [Role] {
        match self {
            Kind::Run => &[Role::Topic, Role::Document, Role::Score, Role::Rank, Role::Run],
            Kind::Qrels => &[Role::Topic, Role::Document, Role::Grade, Role::Subtopic],
        }
    }

    /// What an entry is a part of.
    pub fn part(self) -> Role {
        match self {
            Kind::Run => Role::Run,
            Kind::Qrels => Role::Subtopic,
        }
    }
}

impl Role {
    pub const ALL: [Role; ROLES] =
        [Role::Topic, Role::Document, Role::Score, Role::Rank, Role::Grade, Role::Run, Role::Subtopic, Role::List];

    pub fn word(self) -> &'static str {
        match self {
            Role::Topic => "topic",
            Role::Document => "document",
            Role::Score => "score",
            Role::Rank => "rank",
            Role::Grade => "grade",
            Role::Run => "run",
            Role::Subtopic => "subtopic",
            Role::List => "ranking",
        }
    }

    /// The kind of an error about a number of this column.
    pub fn fault(self) -> &'static str {
        if matches!(self, Role::Score | Role::Rank) { self.word() } else { "" }
    }

    pub fn named(word: &str) -> Option<Role> {
        Role::ALL.into_iter().find(|role| role.word() == word)
    }

    /// Names of such columns as `normalised` gives them, the preferred ones first: ours, then ids, then texts.
    pub fn names(self) -> &'static [&'static str] {
        match self {
            Role::Topic => &["topic", "topicid", "qid", "queryid", "query"],
            Role::Document => {
                &["document", "docno", "docid", "documentid", "pid", "did", "passageid", "corpusid", "doc"]
            }
            Role::Score => &["score", "sim", "similarity", "relevancescore", "retrievalscore"],
            Role::Rank => &["rank"],
            Role::Grade => &["grade", "relevance", "rel", "label", "rating", "judgment", "judgement", "score"],
            Role::Run => &["run", "runid", "tag", "system", "model"],
            Role::Subtopic => {
                &["subtopic", "subtopicid", "intent", "aspect", "nugget", "assessor", "annotator", "group", "iteration"]
            }
            Role::List => &[
                "results",
                "ranking",
                "rankings",
                "hits",
                "documents",
                "docs",
                "docids",
                "retrieved",
                "judgments",
                "judgements",
                "qrels",
            ],
        }
    }

    /// How far down the list of names this one stands.
    pub fn preference(self, name: &[u8]) -> Option<usize> {
        self.names().iter().position(|known| known.as_bytes() == name)
    }
}

/// A column's name in lower case, without blanks, hyphens and underscores: all spellings of one name are the same.
pub fn normalised(name: &[u8]) -> Vec<u8> {
    name.iter().filter(|&&byte| !is_blank(byte) && !matches!(byte, b'-' | b'_')).map(u8::to_ascii_lowercase).collect()
}

/// The place of the column for each role, None where there is none.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Places([Option<usize>; ROLES]);

impl Places {
    pub fn get(&self, role: Role) -> Option<usize> {
        self.0[role as usize]
    }

    pub fn set(&mut self, role: Role, place: usize) {
        self.0[role as usize] = Some(place);
    }
}

/// Columns that the user named: a role, and a name or a number from 1.
pub type Given = Vec<(Role, String)>;

/// The number of a column that is given as one.
pub fn number(text: &str) -> Option<usize> {
    text.parse().ok().filter(|&number| number > 0)
}

/// Which of the named columns is which: those that the user gave, and the rest by their names.
pub fn pick(kind: Kind, header: &[Vec<u8>], given: &Given) -> Result<Places, Problem> {
    let spelled: Vec<Vec<u8>> = header.iter().map(|name| normalised(name)).collect();
    let mut places = Places::default();
    for (role, wanted) in given {
        let exact = header.iter().position(|name| name == wanted.as_bytes());
        let alike = || spelled.iter().position(|name| *name == normalised(wanted.as_bytes()));
        let by_number = || number(wanted).filter(|&number| number <= header.len()).map(|number| number - 1);
        let place = exact.or_else(alike).or_else(by_number).ok_or_else(|| {
            Problem::new("columns", format!("a column {wanted} with the {}s", role.word()), shown_names(header))
        })?;
        places.set(*role, place);
    }
    let is_given = |place: usize| Role::ALL.into_iter().any(|role| places.get(role) == Some(place));
    let mut picked = places;
    for &role in kind.roles() {
        if places.get(role).is_some() {
            continue;
        }
        for known in role.names() {
            let mut fitting = (0..header.len()).filter(|&at| spelled[at] == known.as_bytes() && !is_given(at));
            if let Some(place) = fitting.next() {
                if let Some(other) = fitting.next() {
                    return Err(Problem::new(
                        "columns",
                        format!("one column with the {}s", role.word()),
                        format!("{} and {}", shown(&header[place]), shown(&header[other])),
                    ));
                }
                picked.set(role, place);
                break;
            }
        }
    }
    Ok(picked)
}

/// What is wrong with the columns, if anything: topics, documents and numbers there must be.
pub fn lacking(kind: Kind, places: &Places, header: &[Vec<u8>], given: &Given, needs_number: bool) -> Option<Problem> {
    let numbers: &[Role] = match kind {
        Kind::Run => &[Role::Score, Role::Rank],
        Kind::Qrels => &[Role::Grade],
    };
    let wanted: [(&[Role], bool); 3] = [(&[Role::Topic], true), (&[Role::Document], true), (numbers, needs_number)];
    for (roles, needed) in wanted {
        if needed && roles.iter().all(|&role| places.get(role).is_none()) {
            let words = list(roles.iter().map(|role| role.word()), "or");
            let known = list(roles.iter().flat_map(|role| role.names()).copied(), "or");
            let found = shown_names(header);
            let problem = Problem::new("columns", format!("a column with the {words}, named {known}"), found);
            let is_order = roles == [Role::Score, Role::Rank];
            let advice = ["; ".into(), Setting::new("order", "file").into(), " takes rows as they stand".into()];
            return Some(if is_order { problem.with_advice(advice) } else { problem });
        }
    }
    let is_given = |role: Role| given.iter().any(|(named, _)| *named == role);
    let grade = places.get(Role::Grade).filter(|_| kind == Kind::Qrels && !is_given(Role::Grade));
    if grade.is_some_and(|place| normalised(&header[place]) == b"score")
        && let Some(rank) = header.iter().find(|name| normalised(name) == b"rank")
    {
        let found = format!("a score and a {}, which are those of a run", shown(rank));
        return Some(Problem::new("", "grades", found));
    }
    None
}

fn shown_names(header: &[Vec<u8>]) -> String {
    let few: Vec<String> = header.iter().take(20).map(|name| shown(name)).collect();
    if header.is_empty() { "no column".into() } else { list(few.iter().map(String::as_str), "and") }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(of: &[&str]) -> Vec<Vec<u8>> {
        of.iter().map(|name| name.as_bytes().to_vec()).collect()
    }

    #[test]
    fn ids_win_over_texts() {
        let places = pick(Kind::Run, &names(&["qid", "query", "docid", "docno", "rank", "score"]), &vec![]).unwrap();
        assert_eq!(
            [Role::Topic, Role::Document, Role::Score].map(|role| places.get(role)),
            [Some(0), Some(3), Some(5)]
        );
    }

    #[test]
    fn given_columns_come_first_and_serve_once() {
        let header = names(&["query-id", "corpus-id", "score", "sim"]);
        let places = pick(Kind::Qrels, &header, &vec![(Role::Grade, "SIM".into())]).unwrap();
        assert_eq!(places.get(Role::Grade), Some(3));
        assert!(pick(Kind::Run, &header, &vec![(Role::Score, "value".into())]).is_err());
        assert!(pick(Kind::Run, &names(&["qid", "q_id", "doc"]), &vec![]).is_err());
    }
}
