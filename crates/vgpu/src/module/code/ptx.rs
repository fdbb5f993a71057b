//! Parameters of kernels in PTX: `.visible .entry NAME( .param .u64 NAME_param_0, … ) { … }` (Parallel Thread Execution ISA 9.0).
#![expect(unsafe_code, reason = "reads what the API promises of its parameters")]

use std::ffi::{CStr, c_void};
use std::sync::Arc;

use cgsan_observe::launches::{Parameter, ParameterKind};
use rustc_hash::FxHashMap;

use super::numbers::size_of_type;
use super::uses;

/// What each text of PTX has before its kernels.
const VERSION: &str = ".version";
const ENTRY: &str = ".entry";
const PARAMETER: &str = ".param";
/// Where the version is to be found: comments may be before it.
const HEAD: usize = 4096;

/// The text of an image, if it is PTX.
///
/// # Safety
///
/// As for [`Kernels::of_image`](super::Kernels::of_image).
pub unsafe fn text<'a>(image: *const c_void) -> Option<&'a str> {
    // SAFETY: by the contract of this function there are bytes up to the first that is null.
    let bytes = unsafe { CStr::from_ptr(image.cast()) }.to_bytes();
    let text = std::str::from_utf8(bytes).ok()?;
    let head = text.as_bytes().get(..HEAD).unwrap_or(text.as_bytes());
    memchr::memmem::find(head, VERSION.as_bytes()).map(|_| text)
}

/// The parameters of each kernel.
pub fn kernels(text: &str) -> FxHashMap<String, Arc<[Parameter]>> {
    let text = without_comments(text);
    let entries = memchr::memmem::find_iter(text.as_bytes(), ENTRY);
    let found = entries.filter_map(|at| {
        let (name, parameters) = kernel(&text[at + ENTRY.len()..])?;
        Some((name.to_owned(), parameters.into()))
    });
    found.collect()
}

/// The names of the kernels.
pub fn names(text: &str) -> Vec<String> {
    let entries = memchr::memmem::find_iter(text.as_bytes(), ENTRY);
    let name = |at: usize| name(&text[at + ENTRY.len()..]).to_owned();
    entries.map(name).filter(|it| !it.is_empty()).collect()
}

/// The parameters of the kernel of this name.
pub fn kernel_called(text: &str, wanted: &str) -> Option<Arc<[Parameter]>> {
    let mut entries = memchr::memmem::find_iter(text.as_bytes(), ENTRY);
    let at = entries.find(|at| name(&text[at + ENTRY.len()..]) == wanted)?;
    let end = entries.next().unwrap_or(text.len());
    let text = without_comments(&text[at + ENTRY.len()..end]);
    let (_, parameters) = kernel(&text)?;
    Some(parameters.into())
}

/// The name that a text begins with.
fn name(text: &str) -> &str {
    let text = text.trim_start();
    let end = text.find(|it: char| it.is_whitespace() || matches!(it, '(' | '{'));
    &text[..end.unwrap_or_default()]
}

/// A kernel from its name on.
fn kernel(text: &str) -> Option<(&str, Vec<Parameter>)> {
    let text = text.trim_start();
    let body = text.find('{')?;
    let (name, given, body) = match text.find('(').filter(|open| *open < body) {
        Some(open) => {
            let close = open + text[open..].find(')')?;
            let body = close + text[close..].find('{')?;
            (&text[..open], &text[open + 1..close], &text[body..])
        }
        None => (text.split_whitespace().next()?, "", &text[body..]),
    };
    let declared = given.split(',').map(str::trim).filter(|it| !it.is_empty());
    let declared: Vec<Declared<'_>> = declared.map(Declared::read).collect::<Option<_>>()?;
    let names: Vec<&str> = declared.iter().map(|it| it.name).collect();
    let mut done = uses::of_body(block(body)?, &names);
    let mut offset: usize = 0;
    let mut parameters = Vec::new();
    for (place, it) in declared.iter().enumerate() {
        offset = offset.next_multiple_of(it.aligned);
        parameters.push(Parameter {
            offset,
            bytes: it.bytes,
            kind: it.kind,
            does: done.take(place, it.bytes),
            fields: match it.kind {
                ParameterKind::Structure => done.fields(place),
                _ => None,
            },
        });
        offset += it.bytes;
    }
    Some((name.trim(), parameters))
}

/// A parameter as it is declared.
struct Declared<'a> {
    name: &'a str,
    bytes: usize,
    aligned: usize,
    kind: ParameterKind,
}

impl Declared<'_> {
    fn read(text: &str) -> Option<Declared<'_>> {
        let mut words = text.split_whitespace();
        words.next().filter(|it| *it == PARAMETER)?;
        let (mut element, mut aligned, mut name) = (None, None, None);
        while let Some(word) = words.next() {
            match word {
                // Behind `.ptr`, it is what the pointer points to that is aligned.
                ".align" if name.is_none() && element.is_none() => {
                    aligned = words.next()?.parse().ok();
                }
                ".align" => {
                    words.next()?;
                }
                _ if word.starts_with('.') => element = element.or_else(|| size_of_type(word)),
                _ => name = Some(word),
            }
        }
        let (size, kind) = element?;
        let name = name?;
        let (name, count) = match name.split_once('[') {
            Some((name, count)) => (
                name,
                Some(count.trim_end_matches(']').parse::<usize>().ok()?),
            ),
            None => (name, None),
        };
        Some(Declared {
            name,
            bytes: size.checked_mul(count.unwrap_or(1))?,
            aligned: aligned.unwrap_or(size).clamp(1, 256),
            kind: if count.is_some() {
                ParameterKind::Structure
            } else {
                kind
            },
        })
    }
}

/// What stands between the brace at the beginning and its own one at the end.
fn block(text: &str) -> Option<&str> {
    let mut depth = 0_usize;
    for (at, byte) in text.bytes().enumerate() {
        match byte {
            b'{' => depth += 1,
            b'}' => depth = depth.checked_sub(1)?,
            _ => {}
        }
        if depth == 0 {
            return text.get(1..at);
        }
    }
    None
}

fn without_comments(text: &str) -> String {
    let mut kept = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = memchr::memchr(b'/', rest.as_bytes()) {
        let (before, behind) = rest.split_at(at);
        kept.push_str(before);
        let end = match behind.as_bytes() {
            [b'/', b'/', ..] => behind.find('\n'),
            [b'/', b'*', ..] => behind.find("*/").map(|end| end + 2),
            _ => {
                kept.push('/');
                Some(1)
            }
        };
        rest = end.map_or("", |end| &behind[end..]);
    }
    kept.push_str(rest);
    kept
}

#[cfg(test)]
mod tests {
    use cgsan_observe::launches::Does;

    use super::*;

    const TEXT: &str = "\
//
// made by hand
.version 8.0
.target sm_90
.visible .entry scale(
	.param .u64 .ptr .align 1 scale_param_0,
	.param .f32 scale_param_1, /* a factor */
	.param .align 8 .b8 scale_param_2[24],
	.param .u32 scale_param_3
)
.maxntid 128
{
	.reg .b64 %rd<4>;
	ld.param.u64 	%rd1, [scale_param_0];
	{ // a block
	ld.global.f32 	%f1, [%rd1+4];
	}
	ret;
}
.entry none { ret; }
";

    #[test]
    fn the_parameters_of_kernels_are_as_they_are_declared() {
        let kernels = kernels(TEXT);
        let scale = &kernels["scale"];
        let places: Vec<_> = scale
            .iter()
            .map(|it| (it.offset, it.bytes, it.kind))
            .collect();
        assert_eq!(
            places,
            [
                (0, 8, ParameterKind::Integer),
                (8, 4, ParameterKind::Float),
                (16, 24, ParameterKind::Structure),
                (40, 4, ParameterKind::Integer),
            ]
        );
        assert_eq!(scale[0].does, [Does::READS]);
        assert!(kernels["none"].is_empty());
        assert_eq!(kernels.len(), 2);
        assert_eq!(names(TEXT), ["scale", "none"]);
        for (name, parameters) in &kernels {
            assert_eq!(kernel_called(TEXT, name).as_ref(), Some(parameters));
        }
        assert_eq!(kernel_called(TEXT, "scal"), None);
    }

    #[test]
    fn what_is_declared_in_another_way_is_not_known() {
        assert!(kernels(".entry f(.param .texref t) { ret; }").is_empty());
        assert!(kernels(".entry f(.param .u64 p").is_empty());
        assert!(kernels(".entry f(.param .u64 p) { ret;").is_empty());
    }
}
