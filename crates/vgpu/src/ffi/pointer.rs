//! Pointers that C hands over, with what the API promises about them in their types.
//!
//! A value of these types only ever comes from a C caller, as a parameter of an exported function. The documentation of
//! the function promises that the pointer is null or valid for the access that the type names; that promise is what the
//! unsafe code here rests on.

use std::ffi::{CStr, c_char};

use cgsan_model::Code;

/// Null, or where the function writes a `T`.
#[repr(transparent)]
#[derive(Clone, Copy, Debug)]
pub struct Out<T>(pub *mut T);

impl<T> Out<T> {
    /// Whether the caller wants no value.
    pub fn is_null(&self) -> bool {
        self.0.is_null()
    }

    /// Writes the value; a null pointer is an invalid argument.
    pub fn put(self, value: T) -> Result<(), Code> {
        if self.0.is_null() {
            return Err(Code::INVALID_VALUE);
        }
        self.put_if_wanted(value);
        Ok(())
    }

    /// Writes the value unless the pointer is null.
    pub fn put_if_wanted(self, value: T) {
        if !self.0.is_null() {
            // SAFETY: not null, so by the API's promise valid for a write; alignment is not promised by every caller.
            unsafe { self.0.write_unaligned(value) }
        }
    }

    /// Writes a list: how many there are into `count`, and as many as the caller has room for, if it gave room.
    /// `count` holds the room on entry.
    pub fn put_list(self, values: &[T], count: InOut<usize>) -> Result<(), Code>
    where
        T: Copy,
    {
        let room = count.get()?;
        count.set(values.len());
        if self.0.is_null() {
            return Ok(());
        }
        count.set(values.len().min(room));
        for (index, value) in values.iter().take(room).enumerate() {
            // SAFETY: the caller promises room for `room` values, and `index` is below that.
            unsafe { self.0.add(index).write_unaligned(*value) }
        }
        Ok(())
    }
}

impl Out<c_char> {
    /// Writes a text and the null byte that ends it, cut to the `room` bytes that the caller has.
    pub fn put_text(self, text: &str, room: i32) -> Result<(), Code> {
        let room = usize::try_from(room).map_err(|_| Code::INVALID_VALUE)?;
        if self.0.is_null() || room == 0 {
            return Err(Code::INVALID_VALUE);
        }
        let bytes = &text.as_bytes()[..text.len().min(room - 1)];
        // SAFETY: not null, so by the API's promise valid for `room` bytes, and one more than `bytes` fit into that.
        unsafe {
            self.0
                .cast::<u8>()
                .copy_from_nonoverlapping(bytes.as_ptr(), bytes.len());
            self.0.add(bytes.len()).write(0);
        }
        Ok(())
    }
}

/// Null, or where the function reads and writes a `T`.
#[repr(transparent)]
#[derive(Clone, Copy, Debug)]
pub struct InOut<T>(pub *mut T);

impl<T: Copy> InOut<T> {
    /// Reads the value; a null pointer is an invalid argument.
    pub fn get(self) -> Result<T, Code> {
        In(self.0.cast_const()).get()
    }

    /// Writes the value unless the pointer is null.
    pub fn set(self, value: T) {
        Out(self.0).put_if_wanted(value);
    }
}

/// Null, or where the function reads a `T`, or several.
#[repr(transparent)]
#[derive(Clone, Copy, Debug)]
pub struct In<T>(pub *const T);

impl<T: Copy> In<T> {
    /// Reads the value; a null pointer is an invalid argument.
    pub fn get(self) -> Result<T, Code> {
        self.get_if_given().ok_or(Code::INVALID_VALUE)
    }

    /// Reads the value unless the pointer is null.
    pub fn get_if_given(self) -> Option<T> {
        if self.0.is_null() {
            return None;
        }
        // SAFETY: not null, so by the API's promise valid for a read of a `T`.
        Some(unsafe { self.0.read_unaligned() })
    }

    /// Reads `count` values; null is an empty list if `count` is 0, an invalid argument otherwise.
    pub fn list(self, count: usize) -> Result<Vec<T>, Code> {
        if count == 0 {
            return Ok(Vec::new());
        }
        if self.0.is_null() {
            return Err(Code::INVALID_VALUE);
        }
        // SAFETY: not null, so by the API's promise valid for `count` values.
        Ok((0..count)
            .map(|index| unsafe { self.0.add(index).read_unaligned() })
            .collect())
    }
}

/// Null, or a text that ends in a null byte.
#[repr(transparent)]
#[derive(Clone, Copy, Debug)]
pub struct Text(pub *const c_char);

impl Text {
    /// The text; a null pointer is an invalid argument, bytes that are not UTF-8 are replaced.
    pub fn get(self) -> Result<String, Code> {
        if self.0.is_null() {
            return Err(Code::INVALID_VALUE);
        }
        // SAFETY: not null, so by the API's promise a text that ends in a null byte.
        Ok(unsafe { CStr::from_ptr(self.0) }
            .to_string_lossy()
            .into_owned())
    }
}
