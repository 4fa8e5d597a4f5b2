//! What the fuzzing targets share: readers that are plain and slow, the core called in many ways, and the comparison of
//! the two. The plain readers share nothing with the core; what they leave open is `Stop::Open`.

pub mod agree;
pub mod columns;
pub mod draw;
pub mod packed;
pub mod plain;
pub mod plain_delimited;
pub mod plain_json;
pub mod plain_trec;
pub mod read;
