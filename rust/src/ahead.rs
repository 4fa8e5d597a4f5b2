//! Memory that will be read soon, fetched into the cache ahead of its use.

/// Tells the processor that memory at this address will be read.
#[cfg(target_arch = "x86_64")]
#[inline(always)]
pub fn soon_read<T>(address: *const T) {
    use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
    // SAFETY: a hint; it reads nothing and cannot fault, whatever the address.
    unsafe { _mm_prefetch::<_MM_HINT_T0>(address.cast()) };
}

#[cfg(not(target_arch = "x86_64"))]
pub fn soon_read<T>(_address: *const T) {}
