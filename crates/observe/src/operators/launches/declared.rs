//! What the name of a kernel tells of its parameters: a name of C++ has their types (Itanium C++ ABI, "External Names").
//!
//! The sizes of parameters are known elsewhere. Without types, a parameter of the size of a number is a number or an address, and of
//! any other what can be an address in it is known alone.

use super::{Does, Parameter, ParameterKind, WORD};

/// The size of an `int` and of a `float`.
const HALF: usize = WORD / 2;

/// The type of a parameter, as far as it says what is in it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Type {
    /// A number of so many bytes.
    Number {
        /// Whether it has a fraction.
        kind: ParameterKind,
        /// Its size.
        bytes: usize,
    },
    /// A pointer, and whether to what is constant.
    Pointer {
        /// Whether nothing is written through it.
        is_constant: bool,
    },
}

/// Names of C++'s own types whose sizes are the same in every program for a GPU.
const TYPES: &[(&str, ParameterKind, usize)] = &[
    ("bool", ParameterKind::Integer, 1),
    ("char", ParameterKind::Integer, 1),
    ("double", ParameterKind::Float, 8),
    ("float", ParameterKind::Float, 4),
    ("int", ParameterKind::Integer, 4),
    ("int16_t", ParameterKind::Integer, 2),
    ("int32_t", ParameterKind::Integer, 4),
    ("int64_t", ParameterKind::Integer, 8),
    ("int8_t", ParameterKind::Integer, 1),
    ("long", ParameterKind::Integer, 8),
    ("long int", ParameterKind::Integer, 8),
    ("long long", ParameterKind::Integer, 8),
    ("long long int", ParameterKind::Integer, 8),
    ("ptrdiff_t", ParameterKind::Integer, 8),
    ("short", ParameterKind::Integer, 2),
    ("short int", ParameterKind::Integer, 2),
    ("signed char", ParameterKind::Integer, 1),
    ("size_t", ParameterKind::Integer, 8),
    ("uint16_t", ParameterKind::Integer, 2),
    ("uint32_t", ParameterKind::Integer, 4),
    ("uint64_t", ParameterKind::Integer, 8),
    ("uint8_t", ParameterKind::Integer, 1),
    ("unsigned", ParameterKind::Integer, 4),
    ("unsigned char", ParameterKind::Integer, 1),
    ("unsigned int", ParameterKind::Integer, 4),
    ("unsigned long", ParameterKind::Integer, 8),
    ("unsigned long int", ParameterKind::Integer, 8),
    ("unsigned long long", ParameterKind::Integer, 8),
    ("unsigned long long int", ParameterKind::Integer, 8),
    ("unsigned short", ParameterKind::Integer, 2),
];

impl Type {
    /// The number that these words name.
    pub fn number(words: &[&str]) -> Option<Type> {
        let order = |name: &str| name.split(' ').cmp(words.iter().copied());
        let place = TYPES.binary_search_by(|(name, ..)| order(name)).ok()?;
        let (_, kind, bytes) = TYPES[place];
        Some(Type::Number { kind, bytes })
    }

    /// A type as it is written in a demangled name.
    fn demangled(text: &str) -> Option<Type> {
        if let Some(to) = text.trim().strip_suffix('*') {
            let to = to.trim_end();
            let is_constant = to.ends_with(" const") && !to.contains('*');
            return Some(Type::Pointer { is_constant });
        }
        Type::number(&text.split_whitespace().collect::<Vec<_>>())
    }

    fn bytes(self) -> usize {
        match self {
            Type::Number { bytes, .. } => bytes,
            Type::Pointer { .. } => WORD,
        }
    }
}

/// The parameters of a kernel: of each, the offset and the size in bytes are given.
pub fn parameters(kernel: &str, places: &[(usize, usize)]) -> Vec<Parameter> {
    let types = types(kernel).filter(|types| {
        let known = types.iter().zip(places);
        let mut known = known.filter_map(|(it, place)| Some((it.as_ref()?, place.1)));
        types.len() == places.len() && known.all(|(it, bytes)| it.bytes() == bytes)
    });
    let parameter = |(place, (offset, bytes)): (usize, &(usize, usize))| {
        let (kind, does) = match &types {
            Some(types) => of_type(types[place]),
            None if is_word(*offset, *bytes) => (ParameterKind::Word, Vec::new()),
            None => (ParameterKind::Structure, Vec::new()),
        };
        Parameter {
            offset: *offset,
            bytes: *bytes,
            kind,
            does,
            fields: None,
        }
    };
    places.iter().enumerate().map(parameter).collect()
}

fn of_type(known: Option<Type>) -> (ParameterKind, Vec<Does>) {
    match known {
        Some(Type::Number { kind, .. }) => (kind, Vec::new()),
        Some(Type::Pointer { is_constant: true }) => (ParameterKind::Integer, vec![Does::READS]),
        Some(Type::Pointer { .. }) => (ParameterKind::Integer, Vec::new()),
        None => (ParameterKind::Structure, Vec::new()),
    }
}

fn is_word(offset: usize, bytes: usize) -> bool {
    matches!(bytes, HALF | WORD) && offset.is_multiple_of(bytes)
}

/// The types in the mangled name of a function, `None` for those of the program's own; none at all if it has none.
fn types(name: &str) -> Option<Vec<Option<Type>>> {
    let text = cpp_demangle::Symbol::new(name).ok()?.demangle().ok()?;
    let given = last_parentheses(&text)?;
    if given.trim().is_empty() {
        return Some(Vec::new());
    }
    Some(
        outer_parts(given)
            .into_iter()
            .map(Type::demangled)
            .collect(),
    )
}

/// What stands in the last parentheses of a text that are in no others.
fn last_parentheses(text: &str) -> Option<&str> {
    let end = text.rfind(')')?;
    let mut depth = 0_usize;
    for (at, it) in text[..=end].char_indices().rev() {
        match it {
            ')' => depth += 1,
            '(' => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            return text.get(at + 1..end);
        }
    }
    None
}

/// The parts between the commas that are in no brackets.
fn outer_parts(text: &str) -> Vec<&str> {
    let (mut depth, mut begin) = (0_i32, 0);
    let mut parts = Vec::new();
    for (at, it) in text.char_indices() {
        match it {
            '(' | '<' | '[' | '{' => depth += 1,
            ')' | '>' | ']' | '}' => depth -= 1,
            ',' if depth == 0 => {
                parts.push(&text[begin..at]);
                begin = at + 1;
            }
            _ => {}
        }
    }
    parts.push(&text[begin..]);
    parts
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A letter for each parameter: `c` and `p` are pointers, `w` is any word, `?` a structure.
    fn letters(kernel: &str, sizes: &[usize]) -> String {
        let mut offset = 0_usize;
        let places: Vec<(usize, usize)> = sizes
            .iter()
            .map(|bytes| {
                let place = offset.next_multiple_of((*bytes).min(WORD));
                offset = place + bytes;
                (place, *bytes)
            })
            .collect();
        let letter = |it: &Parameter| match it.kind {
            ParameterKind::Integer if it.does == [Does::READS] => 'c',
            ParameterKind::Integer if it.bytes == WORD => 'p',
            ParameterKind::Integer => 'i',
            ParameterKind::Float => 'f',
            ParameterKind::Word => 'w',
            ParameterKind::Structure => '?',
        };
        parameters(kernel, &places).iter().map(letter).collect()
    }

    #[test]
    fn a_mangled_name_tells_the_types() {
        assert_eq!(letters("_Z3addPKfS0_Pfif", &[8, 8, 8, 4, 4]), "ccpif");
        assert_eq!(letters("_Z4nonev", &[]), "");
        // `void scale<float, 4>(float*, float, Pair<int, 4>)`, in a namespace.
        let of_template = "_ZN2my5scaleIfLi4EEEvPT_S1_4PairIiXT0_EE";
        assert_eq!(letters(of_template, &[8, 4, 8]), "pf?");
        // A pointer to pointers is written through, for all that is known.
        assert_eq!(letters("_Z4rowsPKPKfb", &[8, 1]), "pi");
    }

    #[test]
    fn without_types_a_word_is_any_word() {
        assert_eq!(letters("add", &[8, 4, 1, 16]), "ww??");
        assert_eq!(
            letters("_Z3addPKfi", &[8, 4, 4]),
            "www",
            "it is another kernel's"
        );
        assert_eq!(letters("_Z3addPKfi", &[8, 8]), "ww", "its sizes are others");
        let apart = parameters("add", &[(4, 8)]);
        assert_eq!(apart[0].kind, ParameterKind::Structure, "no number lies so");
    }

    #[test]
    fn types_are_looked_up_in_order() {
        assert!(TYPES.is_sorted_by(|one, other| one.0.split(' ').lt(other.0.split(' '))));
    }
}
