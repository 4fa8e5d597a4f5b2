//! The first bytes of an input say how the rest is read.

use crate::plain::{Duplicates, Order};
use _core::fuzzing::sizes;
use std::sync::atomic::Ordering;

/// Bytes used up from the front; 0 where there are none left.
pub struct Draw<'a>(pub &'a [u8]);

impl<'a> Draw<'a> {
    pub fn byte(&mut self) -> u8 {
        match self.0.split_first() {
            Some((&first, rest)) => {
                self.0 = rest;
                first
            }
            None => 0,
        }
    }

    pub fn below(&mut self, limit: usize) -> usize {
        usize::from(self.byte()) % limit
    }

    pub fn one<T: Copy>(&mut self, of: &[T]) -> T {
        of[self.below(of.len())]
    }

    pub fn bytes(&mut self, count: usize) -> &'a [u8] {
        let (taken, rest) = self.0.split_at(count.min(self.0.len()));
        self.0 = rest;
        taken
    }
}

/// How a run is read.
#[derive(Clone, Debug)]
pub struct Setting {
    pub order: Option<Order>,
    pub depth: Option<usize>,
    pub duplicates: Duplicates,
    /// The first window, in bytes.
    pub window: usize,
    pub marked: usize,
    pub handful: usize,
    pub chunk: usize,
}

impl Setting {
    pub fn draw(draw: &mut Draw<'_>) -> Self {
        let (orders, small, more) = (draw.byte(), draw.byte(), draw.byte());
        Setting {
            order: [None, Some(Order::Score), Some(Order::Score64), Some(Order::Rank), Some(Order::File)]
                [usize::from(orders % 5)],
            duplicates: [Duplicates::Error, Duplicates::Error, Duplicates::Best, Duplicates::First]
                [usize::from(orders / 5 % 4)],
            depth: [None, None, Some(1), Some(2), Some(5), Some(100)][usize::from(orders / 20 % 6)],
            window: 5 + usize::from(small), // the marks of UTF-8 and UTF-16, both, as any window of the core has
            marked: 64 * (1 + usize::from(more % 4)),
            handful: [1, 20, 1 << 20][usize::from(more / 4 % 3)],
            chunk: 1 + usize::from(more),
        }
    }
}

/// Sizes of the core, for all that is read until they are set again.
pub fn set_sizes(setting: &Setting, is_small: bool) {
    let set = |size: &std::sync::atomic::AtomicUsize, small: usize, large: usize| {
        size.store(if is_small { small } else { large }, Ordering::Relaxed);
    };
    set(&sizes::window, setting.window, 8 << 10);
    set(&sizes::marked, setting.marked, 16 << 10);
    set(&sizes::handful, setting.handful, 4 << 20);
    set(&sizes::chunk, setting.chunk, 8 << 10);
    set(&sizes::registers, 16, 64);
}
