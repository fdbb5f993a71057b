//! Code that is linked by the driver or by nvJitLink: the texts of PTX that were added, one after the other.
#![expect(unsafe_code, reason = "reads what the API promises of its parameters")]

use std::ffi::{CString, c_char, c_void};

use crate::libraries::Objects;

/// What linked code has before its kernels.
const HEAD: &str = ".version 8.0\n.target sm_90\n.address_size 64\n";

static LINKS: Objects<CString> = Objects::new();

/// Begins to link.
pub fn begin() -> usize {
    LINKS.add(CString::new(HEAD).unwrap_or_default())
}

/// Code that a program adds: a text of PTX, and nothing if it is something else.
///
/// # Safety
///
/// `data` is null, or there are so many bytes.
pub unsafe fn code(data: *const c_void, bytes: usize) -> String {
    if data.is_null() {
        return String::new();
    }
    // SAFETY: by the contract of this function.
    let code = unsafe { std::slice::from_raw_parts(data.cast::<u8>(), bytes) };
    let text = std::str::from_utf8(code).unwrap_or_default();
    text.trim_end_matches('\0').to_owned()
}

/// Adds code to a link; `None` if there is no such link.
pub fn add(link: usize, code: &str) -> Option<()> {
    LINKS.with(link, |linked| {
        let all = [linked.as_bytes(), code.as_bytes()].concat();
        if let Ok(all) = CString::new(all) {
            *linked = all;
        }
    })
}

/// Where the linked code lies until more is added or the link is ended, and how many bytes it has with the null byte at its end.
pub fn place(link: usize) -> Option<(*const c_char, usize)> {
    LINKS.with(link, |linked| (linked.as_ptr(), linked.count_bytes() + 1))
}

/// The linked code, with the null byte at its end.
pub fn bytes(link: usize) -> Option<Vec<u8>> {
    LINKS.with(link, |linked| linked.as_bytes_with_nul().to_vec())
}

/// Ends a link; `None` if there is no such link.
pub fn end(link: usize) -> Option<()> {
    LINKS.remove(link).map(drop)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_linked_has_the_texts_that_were_added() {
        let link = begin();
        let text = "// one\0";
        // SAFETY: these are its bytes.
        let code = unsafe { code(text.as_ptr().cast(), text.len()) };
        add(link, &code).unwrap();
        let linked = bytes(link).unwrap();
        assert!(linked.starts_with(HEAD.as_bytes()) && linked.ends_with(b"// one\0"));
        assert_eq!(place(link).map(|it| it.1), Some(linked.len()));
        assert!(end(link).is_some() && end(link).is_none() && add(link, "").is_none());
    }
}
