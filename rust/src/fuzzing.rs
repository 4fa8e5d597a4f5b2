//! What the targets in `fuzz/` call. Not part of the extension: the feature `fuzzing` builds it.

pub use crate::arrow::{Columns, feed as feed_arrow, judge as judge_arrow};
pub use crate::columns::{Kind, Role};
pub use crate::dialect::{Dialect, Order};
pub use crate::entries::Request;
pub use crate::error::ReadError;
pub use crate::index::{Index, Judgments, Merge, read as read_qrels};
pub use crate::judge::Duplicates;
pub use crate::number::{like_atof, like_atol, strict};
pub use crate::reader::{Found, Listing, Options, list, read as read_run};
pub use crate::sizes::set as sizes;
pub use crate::source::{Origin, Source};
pub use crate::tables::{QrelsTaker, RunTaker};
pub use crate::work::{Poll, Reading};
