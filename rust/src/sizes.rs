//! How much is read, unpacked or marked at once. A build for fuzzing sets these sizes, so that a few bytes of input
//! cross every border; elsewhere they are constants.

macro_rules! sizes {
    ($($(#[$doc:meta])* $name:ident = $size:expr;)*) => {
        #[cfg(not(feature = "fuzzing"))]
        mod used {
            $($(#[$doc])* #[inline(always)] pub const fn $name() -> usize { $size })*
        }

        #[cfg(feature = "fuzzing")]
        mod used {
            use std::sync::atomic::{AtomicUsize, Ordering};

            /// What a fuzzing target sets.
            pub mod set {
                use super::*;
                $(#[allow(non_upper_case_globals)] pub static $name: AtomicUsize = AtomicUsize::new($size);)*
            }

            $($(#[$doc])* pub fn $name() -> usize { set::$name.load(Ordering::Relaxed) })*
        }
    };
}

sizes! {
    /// Bytes of a file that are read first.
    window = 1 << 20;
    /// Bytes unpacked at once; small enough to stay in the processor's cache until they are read.
    chunk = 256 << 10;
    /// Bytes marked at once: the text and its marks stay in the innermost cache.
    marked = 16 << 10;
    /// Whole rankings with names of so many bytes are handed out together.
    handful = 4 << 20;
    /// Smaller files are read by one thread.
    worth_cutting = 4 << 20;
    /// Smaller pieces are not worth a thread's while.
    smallest_piece = 2 << 20;
    /// Smaller packed files are unpacked by one thread.
    worth_sharing = 512 << 10;
    /// How much of a file tells its form before it is cut.
    form_look = 64 << 10;
    /// How much more of a file is looked at, at a time, for the next topic.
    topic_step = 128 << 10;
    /// The widest registers in bytes that may be used.
    #[cfg_attr(not(target_arch = "x86_64"), allow(dead_code))]
    registers = 64;
}

pub use used::*;
