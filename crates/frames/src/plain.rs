//! Types that may be read from memory whose contents are not trusted: what a C caller passed, an interpreter's objects.
#![expect(unsafe_code, reason = "makes values of the bytes that were read")]

use std::mem::MaybeUninit;

/// Types for which every bit pattern is a value: numbers, addresses, and structures of them.
///
/// # Safety
///
/// Every initialized memory of the type's size holds a value of it. No enum, `bool`, reference or function is such a type.
pub unsafe trait Plain: Copy {}

macro_rules! numbers {
    ($($number:ty),*) => {$(
        // SAFETY: every bit pattern is a number.
        unsafe impl Plain for $number {}
    )*};
}
numbers!(u8, u16, u32, u64, usize, i32, i64);

// SAFETY: every bit pattern is an address; that nothing may be there is what raw pointers allow.
unsafe impl<T> Plain for *mut T {}
// SAFETY: as above.
unsafe impl<T> Plain for *const T {}
// SAFETY: the elements are plain.
unsafe impl<T: Plain, const N: usize> Plain for [T; N] {}

/// The value whose bytes `fill` writes; `None` where it cannot.
pub fn read_plain<T: Plain>(fill: impl FnOnce(&mut [u8]) -> Option<()>) -> Option<T> {
    let mut value = MaybeUninit::<T>::zeroed();
    // SAFETY: the value is this long, and zeros are bytes.
    let bytes =
        unsafe { std::slice::from_raw_parts_mut(value.as_mut_ptr().cast::<u8>(), size_of::<T>()) };
    fill(bytes)?;
    // SAFETY: its bytes are initialized, and every bit pattern is a value.
    Some(unsafe { value.assume_init() })
}
