//! Pointers that C hands over, with what the API promises about them in their types.
//!
//! A value of these types is a parameter of an exported function, or was made by an `unsafe` constructor. The
//! documentation of the function promises that the pointer is null or valid for the access that the type names; that
//! promise is what the unsafe code here rests on. What is read is of a [`Plain`] type, so that no value a program may have
//! put there is undefined behaviour.
#![expect(unsafe_code, reason = "reads and writes the memory of C callers")]

use std::ffi::{CStr, CString, c_char, c_void};

use cgsan_model::Code;
use cgsan_observe::Plain;

// SAFETY: it is an address.
unsafe impl Plain for Untyped {}

/// Says that structures are [`Plain`], which the compiler checks of each of their fields.
macro_rules! plain {
    ($($name:ident { $($field:ident: $type:ty),* $(,)? })*) => {$(
        const _: () = {
            const fn is_plain<T: cgsan_observe::Plain>() {}
            $(is_plain::<$type>();)*
            // Every field is named above.
            let _ = |$name { $($field),* }: $name| -> ($($type,)*) { ($($field,)*) };
        };
        #[expect(unsafe_code, reason = "each field was checked")]
        // SAFETY: the type has these fields alone, and all of them are plain.
        unsafe impl cgsan_observe::Plain for $name {}
    )*};
}
pub(crate) use plain;

/// Null, or where the function writes a `T`.
#[repr(transparent)]
#[derive(Clone, Copy, Debug)]
pub struct Out<T>(*mut T);

impl<T> Out<T> {
    /// Where nothing is wanted.
    pub const NOTHING: Out<T> = Out(std::ptr::null_mut());

    /// A pointer that a C caller passed.
    ///
    /// # Safety
    ///
    /// The pointer is null or valid for writing what the caller of this function writes, while the exported function runs.
    pub unsafe fn new(pointer: *mut T) -> Out<T> {
        Out(pointer)
    }

    /// The same place for a value of another type.
    ///
    /// # Safety
    ///
    /// The caller of the exported function has given it room for a `U`.
    pub unsafe fn cast<U>(self) -> Out<U> {
        Out(self.0.cast())
    }

    /// The place of a value so many behind the first; nowhere if the pointer is null.
    ///
    /// # Safety
    ///
    /// The caller of the exported function has given it room for so many more.
    pub unsafe fn part(self, index: usize) -> Out<T> {
        if self.0.is_null() {
            return self;
        }
        Out(self.0.wrapping_add(index))
    }

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

    /// Writes values one after the other, as many as there is room for, unless the pointer is null.
    pub fn put_all(self, values: impl IntoIterator<Item = T>, room: usize) {
        if self.0.is_null() {
            return;
        }
        for (index, value) in values.into_iter().take(room).enumerate() {
            // SAFETY: the caller promises room for `room` values, and `index` is below that.
            unsafe { self.0.add(index).write_unaligned(value) }
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
        if !self.0.is_null() {
            count.set(values.len().min(room));
            self.put_all(values.iter().copied(), room);
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
        let bytes = text.bytes().take(room - 1).chain([0]);
        self.put_all(bytes.map(u8::cast_signed), room);
        Ok(())
    }
}

/// Null, or where the function reads and writes a `T`.
#[repr(transparent)]
#[derive(Clone, Copy, Debug)]
pub struct InOut<T>(*mut T);

impl<T: Plain> InOut<T> {
    /// Reads the value; a null pointer is an invalid argument.
    pub fn get(self) -> Result<T, Code> {
        In(self.0.cast_const()).get()
    }

    /// Writes the value unless the pointer is null.
    pub fn set(self, value: T) {
        Out(self.0).put_if_wanted(value);
    }

    /// The same place for a value of another type.
    ///
    /// # Safety
    ///
    /// The caller of the exported function has given it room for a `U`.
    pub unsafe fn cast<U>(self) -> Out<U> {
        Out(self.0.cast())
    }
}

/// Null, or where the function reads a `T`, or several.
#[repr(transparent)]
#[derive(Clone, Copy, Debug)]
pub struct In<T>(*const T);

impl<T: Plain> In<T> {
    /// Reads the value; a null pointer is an invalid argument.
    pub fn get(self) -> Result<T, Code> {
        self.get_if_given().ok_or(Code::INVALID_VALUE)
    }

    /// Reads the value unless the pointer is null.
    pub fn get_if_given(self) -> Option<T> {
        if self.0.is_null() {
            return None;
        }
        // SAFETY: not null, so by the API's promise valid for a read of a `T`, whatever its bytes are.
        Some(unsafe { self.0.read_unaligned() })
    }

    /// The place of a value so many behind the first; nowhere if the pointer is null.
    ///
    /// # Safety
    ///
    /// So many more are there.
    pub unsafe fn part(self, index: usize) -> In<T> {
        if self.0.is_null() {
            return self;
        }
        In(self.0.wrapping_add(index))
    }

    /// Reads `count` values; null is an empty list if `count` is 0, an invalid argument otherwise. So is a count that no
    /// memory could hold.
    pub fn list(self, count: usize) -> Result<Vec<T>, Code> {
        if count == 0 {
            return Ok(Vec::new());
        }
        if self.0.is_null() {
            return Err(Code::INVALID_VALUE);
        }
        let mut values = Vec::new();
        let room = values.try_reserve_exact(count);
        room.map_err(|_| Code::INVALID_VALUE)?;
        // SAFETY: not null, so by the API's promise valid for `count` values, whatever their bytes are.
        values.extend((0..count).map(|index| unsafe { self.0.add(index).read_unaligned() }));
        Ok(values)
    }
}

/// Null, or memory whose type follows from another parameter (`void *`).
#[repr(transparent)]
#[derive(Clone, Copy, Debug)]
pub struct Untyped(*mut c_void);

impl Untyped {
    /// Where nothing is wanted.
    pub const NOTHING: Untyped = Untyped(std::ptr::null_mut());

    /// A pointer that a C caller passed.
    ///
    /// # Safety
    ///
    /// The pointer is null or valid for what is read and written there, while the exported function runs.
    pub unsafe fn new(pointer: *mut c_void) -> Untyped {
        Untyped(pointer)
    }

    /// The address, for memory of the device.
    pub fn address(self) -> u64 {
        self.0.addr() as u64
    }

    /// Where a `T` is written.
    ///
    /// # Safety
    ///
    /// The other parameters say that there is room for a `T`.
    pub unsafe fn output<T>(self) -> Out<T> {
        Out(self.0.cast())
    }

    /// Where a `T` is read.
    ///
    /// # Safety
    ///
    /// The other parameters say that a `T` is there.
    pub unsafe fn input<T: Plain>(self) -> In<T> {
        In(self.0.cast_const().cast())
    }

    /// Where a `T` is read and written, so many bytes behind the beginning; nowhere if the pointer is null.
    ///
    /// # Safety
    ///
    /// The other parameters say that a `T` is there.
    pub unsafe fn part<T: Plain>(self, offset: usize) -> InOut<T> {
        if self.0.is_null() {
            return InOut(std::ptr::null_mut());
        }
        InOut(self.0.wrapping_byte_add(offset).cast())
    }
}

/// Null, or a text that ends in a null byte.
#[repr(transparent)]
#[derive(Clone, Copy, Debug)]
pub struct Text(*const c_char);

impl Text {
    /// The text; a null pointer is an invalid argument, bytes that are not UTF-8 are replaced.
    pub fn get(self) -> Result<String, Code> {
        Ok(self.get_bytes()?.to_string_lossy().into_owned())
    }

    /// The text as it is; a null pointer is an invalid argument.
    pub fn get_bytes(self) -> Result<CString, Code> {
        if self.0.is_null() {
            return Err(Code::INVALID_VALUE);
        }
        // SAFETY: not null, so by the API's promise a text that ends in a null byte.
        Ok(unsafe { CStr::from_ptr(self.0) }.to_owned())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn null_is_refused_or_passed_over() {
        let nowhere = In::<u64>(std::ptr::null());
        assert_eq!(nowhere.get(), Err(Code::INVALID_VALUE));
        assert_eq!(nowhere.list(0), Ok(Vec::new()));
        assert_eq!(nowhere.list(1), Err(Code::INVALID_VALUE));
        Out::<u64>::NOTHING.put_all([1, 2], 2);
        assert_eq!(Untyped::NOTHING.0, std::ptr::null_mut());
        // SAFETY: null is never read.
        let part = unsafe { Untyped::NOTHING.part::<u64>(16) };
        assert_eq!(part.get(), Err(Code::INVALID_VALUE));
    }

    #[test]
    fn a_count_that_no_memory_holds_is_refused() {
        let value = 1_u64;
        assert_eq!(
            In(&raw const value).list(usize::MAX),
            Err(Code::INVALID_VALUE)
        );
        assert_eq!(In(&raw const value).list(1), Ok(vec![1]));
    }

    #[test]
    fn a_text_is_cut_to_the_room_there_is() {
        let mut buffer = [7; 4];
        assert_eq!(Out(buffer.as_mut_ptr()).put_text("four", 4), Ok(()));
        assert_eq!(buffer.map(i8::cast_unsigned), *b"fou\0");
    }
}
