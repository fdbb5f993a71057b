//! The functions that the virtual GPU exports but does not have.

/// Reports a missing function by name, once, and returns `code`, its library's "not supported".
fn report(name: &'static str, code: i64) -> i64 {
    crate::ffi::guard(code, || {
        cgsan_observe::missing(name);
        code
    })
}

/// Exports a function that takes whatever it is given: in the System V ABI the caller owns the arguments. The code fills
/// a whole register, which also serves the libraries that return a small structure.
macro_rules! stub {
    ($name:ident, $text:literal, $code:literal) => {
        #[allow(unsafe_code, reason = "exports the function")]
        #[unsafe(no_mangle)]
        extern "C" fn $name() -> i64 {
            report($text, $code)
        }
    };
}

#[allow(
    non_snake_case,
    reason = "the exported names are those of the libraries"
)]
mod stubs {
    use super::report;

    include!(concat!(env!("OUT_DIR"), "/missing.rs"));
}
