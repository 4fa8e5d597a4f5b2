//! How much memory there is, and a watch over it while a file is read: what a file holds is not known before its end.

use crate::error::{Fragment, Message, ReadError, Setting};
use pyo3::prelude::*;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

/// Bytes that the process may take in all, as the user says; 0: half of what is free.
static LIMIT: AtomicU64 = AtomicU64::new(0);
/// How much the process may grow before what is free is looked up again, which takes longer than to look at the process.
const STEP: u64 = 64 << 20;
/// Address space that must be left for each byte that a file has taken so far: tables double while their old half is
/// still there, and are copied at the end.
const ROOM: u64 = 3;
/// Address space for all else.
const ASIDE: u64 = 48 << 20;
const FALLBACK: u64 = 4 << 30;

/// Bytes of the process: its address space, and what it holds in memory. None where the system does not say.
fn taken() -> Option<(u64, u64)> {
    let text = std::fs::read_to_string("/proc/self/statm").ok()?;
    let mut pages = text.split_ascii_whitespace().map_while(|word| word.parse::<u64>().ok());
    let page = page_size();
    Some((pages.next()? * page, pages.next()? * page))
}

#[cfg(unix)]
fn page_size() -> u64 {
    // SAFETY: asks the system for a number.
    u64::try_from(unsafe { libc::sysconf(libc::_SC_PAGESIZE) }).unwrap_or(4096)
}

#[cfg(not(unix))]
fn page_size() -> u64 {
    4096
}

/// The largest address space that the process may have (ulimit -v); None where it has no limit.
#[cfg(unix)]
fn largest() -> Option<u64> {
    let mut limit = libc::rlimit { rlim_cur: 0, rlim_max: 0 };
    // SAFETY: writes two numbers into a struct of its own kind.
    let is_known = unsafe { libc::getrlimit(libc::RLIMIT_AS, &raw mut limit) } == 0;
    #[allow(clippy::unnecessary_cast)] // 32 bits on some systems
    (is_known && limit.rlim_cur != libc::RLIM_INFINITY).then_some(limit.rlim_cur as u64)
}

#[cfg(not(unix))]
fn largest() -> Option<u64> {
    None
}

/// Bytes that the machine and the process's control groups have free, caches included.
fn free() -> u64 {
    let machine = std::fs::read_to_string("/proc/meminfo").ok().and_then(|text| number_after(&text, "MemAvailable:"));
    let machine = machine.map(|kilobytes| kilobytes << 10).or_else(physical).unwrap_or(FALLBACK);
    of_groups().fold(machine, u64::min)
}

/// Memory of the machine, where it does not say how much is free.
#[cfg(unix)]
fn physical() -> Option<u64> {
    // SAFETY: asks the system for a number.
    let pages = u64::try_from(unsafe { libc::sysconf(libc::_SC_PHYS_PAGES) }).ok()?;
    Some(pages * page_size())
}

#[cfg(not(unix))]
fn physical() -> Option<u64> {
    None
}

/// Bytes that may be taken for no other reason than speed: none where the address space is limited.
pub fn spare() -> usize {
    let held = taken().map_or(0, |(_, held)| held);
    let spare = match LIMIT.load(Ordering::Relaxed) {
        _ if largest().is_some() => 0,
        0 => free() / 8,
        limit => limit.saturating_sub(held) / 4,
    };
    usize::try_from(spare).unwrap_or(usize::MAX)
}

/// The number behind a word that starts a line.
fn number_after(text: &str, word: &str) -> Option<u64> {
    let line = text.lines().find(|line| line.split_ascii_whitespace().next() == Some(word))?;
    line.split_ascii_whitespace().nth(1)?.parse().ok()
}

/// What each control group that holds the process has left, of both versions of their files.
fn of_groups() -> impl Iterator<Item = u64> {
    let listed = std::fs::read_to_string("/proc/self/cgroup").unwrap_or_default();
    let mut places: Vec<(PathBuf, bool)> = Vec::new();
    for line in listed.lines() {
        let mut parts = line.splitn(3, ':').skip(1);
        let (Some(kinds), Some(group)) = (parts.next(), parts.next()) else { continue };
        let is_new = kinds.is_empty();
        if !is_new && !kinds.split(',').any(|kind| kind == "memory") {
            continue;
        }
        let root = Path::new(if is_new { "/sys/fs/cgroup" } else { "/sys/fs/cgroup/memory" });
        let group = Path::new(group.trim_start_matches('/'));
        places.extend(group.ancestors().map(|group| (root.join(group), is_new)));
    }
    places.into_iter().filter_map(|(place, is_new)| left_in(&place, is_new))
}

/// Bytes that a control group has left; caches that would be given up count as free.
fn left_in(place: &Path, is_new: bool) -> Option<u64> {
    let (limit, usage, cache) = if is_new {
        ("memory.max", "memory.current", "inactive_file")
    } else {
        ("memory.limit_in_bytes", "memory.usage_in_bytes", "total_inactive_file")
    };
    let number = |name| std::fs::read_to_string(place.join(name)).ok()?.trim().parse::<u64>().ok();
    let cached = std::fs::read_to_string(place.join("memory.stat")).ok().and_then(|text| number_after(&text, cache));
    Some(number(limit)?.saturating_sub(number(usage)?.saturating_sub(cached.unwrap_or(0))))
}

/// Looks at the process while one file is read.
#[derive(Default)]
pub struct Watch {
    /// What the process took when this was first asked.
    start: Option<(u64, u64)>,
    /// From how many bytes of the process on what is free is looked up.
    next: u64,
    largest: Option<u64>,
}

const MAX_MEMORY: Setting = Setting::new("max_memory", "").python("set_max_memory()");

impl Watch {
    /// An error where reading on would take more memory than is allowed, or than there is.
    pub fn check(&mut self, name: &str) -> Result<(), ReadError> {
        let Some((space, held)) = taken() else { return Ok(()) };
        let Some((first_space, first_held)) = self.start else {
            (self.start, self.largest, self.next) = (Some((space, held)), largest(), held + STEP);
            return Ok(());
        };
        let limit = LIMIT.load(Ordering::Relaxed);
        let more: &[Fragment] = &["allow more with ".into(), MAX_MEMORY.into()];
        if limit > 0 && held > limit {
            return Err(too_much(name, &format!("the {} that may be used", size_text(limit)), more));
        }
        let room = ROOM * space.saturating_sub(first_space) + ASIDE;
        if let Some(largest) = self.largest.filter(|&largest| largest.saturating_sub(space) < room) {
            let what = format!("this process has, whose address space is limited to {}", size_text(largest));
            return Err(too_much(name, &what, &["raise the limit (ulimit -v)".into()]));
        }
        if limit == 0 && held > self.next {
            self.next = held + STEP;
            let left = free();
            if held.saturating_sub(first_held) > left {
                let what = format!("half of what was free, and {} are left", size_text(left));
                return Err(too_much(name, &what, more));
            }
        }
        Ok(())
    }
}

fn size_text(bytes: u64) -> String {
    if bytes < 1_000_000_000 { format!("{} MB", bytes / 1_000_000) } else { format!("{:.2} GB", bytes as f64 / 1e9) }
}

/// `what` says how much there is, `instead` what else than cutting the file into blocks can be done.
fn too_much(name: &str, what: &str, instead: &[Fragment]) -> ReadError {
    let mut parts = vec![format!("{name}: reading it needs more memory than {what}; ").into()];
    parts.extend_from_slice(instead);
    parts.push(
        ", or make data sets of the files (see `rankscale convert --help`), which are measured block by block".into(),
    );
    ReadError::memory(Message::new(parts))
}

/// Set how many bytes the process may take; None for half of what is free.
#[pyfunction]
#[pyo3(signature = (size))]
pub fn set_memory_limit(size: Option<u64>) {
    LIMIT.store(size.unwrap_or(0), Ordering::Relaxed);
}

/// (limit or None, bytes that the process holds, bytes free, bytes of address space left or None).
#[pyfunction]
pub fn memory_state() -> (Option<u64>, u64, u64, Option<u64>) {
    let limit = LIMIT.load(Ordering::Relaxed);
    let (space, held) = taken().unwrap_or((0, 0));
    ((limit > 0).then_some(limit), held, free(), largest().map(|largest| largest.saturating_sub(space)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn groups_with_a_limit_say_what_is_left() {
        let place = std::env::temp_dir().join(format!("rankscale-group-{}", std::process::id()));
        std::fs::create_dir_all(&place).unwrap();
        let write = |name: &str, text: &str| std::fs::write(place.join(name), text).unwrap();
        write("memory.max", "max\n");
        write("memory.current", "700\n");
        assert_eq!(left_in(&place, true), None);
        write("memory.max", "1000\n");
        assert_eq!(left_in(&place, true), Some(300));
        write("memory.stat", "anon 5\ninactive_file 200\n");
        assert_eq!(left_in(&place, true), Some(500));
        assert_eq!(left_in(&place, false), None);
        std::fs::remove_dir_all(&place).unwrap();
    }

    #[test]
    fn what_is_free_is_no_more_than_the_machine_has() {
        assert!(free() <= physical().unwrap_or(u64::MAX));
        assert_eq!(number_after("a: 1 kB\nMemAvailable: 20 kB\n", "MemAvailable:"), Some(20));
    }
}
