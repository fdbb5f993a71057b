//! What kernels are called in their sources. A compiler gives them longer names, in C++ (Itanium C++ ABI, "Mangled names") and of
//! functions of Python, which numba mangles in the same way.

use std::borrow::Cow;

/// `scale` of `triton::scale`, and of `kernel::_ZN2my5scaleIfEEvPT_i`.
pub(crate) fn in_source(name: &str) -> Cow<'_, str> {
    of_compiled(compiled(name))
}

/// The same of a name without a namespace of cgsan's.
pub(crate) fn of_compiled(name: &str) -> Cow<'_, str> {
    match demangled(name) {
        Some(text) => Cow::Owned(text),
        None => Cow::Borrowed(name),
    }
}

/// The names of two kernels that are not the same one, in their sources if these tell them apart.
pub(crate) fn apart<'a>(one: &'a str, other: &'a str) -> (Cow<'a, str>, Cow<'a, str>) {
    let names = (in_source(one), in_source(other));
    if names.0 == names.1 && one != other {
        (compiled(one).into(), compiled(other).into())
    } else {
        names
    }
}

/// The name without its namespace.
fn compiled(name: &str) -> &str {
    name.split_once("::").map_or(name, |(_, name)| name)
}

fn demangled(name: &str) -> Option<String> {
    if !name.starts_with("_Z") {
        return None;
    }
    let text = cpp_demangle::Symbol::new(name).ok()?.demangle().ok()?;
    let name = last_part(&text);
    (!name.is_empty()).then(|| name.to_owned())
}

/// The function's own name in `void my::scale[abi:v1]<float>(float*, int)`.
fn last_part(text: &str) -> &str {
    let mut rest = text;
    while let Some(before) = before_brackets(rest.trim_end()) {
        rest = before;
    }
    let part = rest.rsplit([':', ' ']).next();
    part.unwrap_or_default()
}

/// What is before the brackets that a text ends in, of whichever kind.
fn before_brackets(text: &str) -> Option<&str> {
    let mut depth = 0_usize;
    for (at, it) in text.char_indices().rev() {
        match it {
            ')' | '>' | ']' => depth += 1,
            '(' | '<' | '[' if depth == 1 => return Some(&text[..at]),
            '(' | '<' | '[' => depth = depth.checked_sub(1)?,
            _ if depth == 0 => return None,
            _ => {}
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_kernel_is_called_as_in_its_source() {
        for (name, wanted) in [
            ("triton::scale", "scale"),
            ("kernel::scale", "scale"),
            ("kernel::_Z5scalePKfPffi", "scale"),
            ("kernel::_ZN2my5scaleIfLi4EEEvPT_S1_4PairIiXT0_EE", "scale"),
            (
                "kernel::_ZN6cudapy8__main__5scaleB2v1E5ArrayIfLi1E1C7mutable7alignedEd",
                "scale",
            ),
            ("kernel::_Zodd", "_Zodd"),
        ] {
            assert_eq!(in_source(name), wanted, "{name}");
        }
    }

    #[test]
    fn two_kernels_of_one_name_are_told_apart() {
        let (one, other) = ("kernel::_Z5scaleIfEvPT_", "kernel::_Z5scaleIdEvPT_");
        assert_eq!(
            apart(one, other),
            ("_Z5scaleIfEvPT_".into(), "_Z5scaleIdEvPT_".into())
        );
        assert_eq!(apart(one, "triton::add"), ("scale".into(), "add".into()));
        assert_eq!(apart(one, one), ("scale".into(), "scale".into()));
    }
}
