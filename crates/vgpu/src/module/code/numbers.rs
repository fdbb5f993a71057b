//! Which bytes of a structure a kernel in PTX uses as a number: those that it loads and computes with. Compilers copy structures field by
//! field, with what lies between: what is only copied may be a gap.

use cgsan_observe::launches::{Field, ParameterKind};

/// The numbers in parameters that are structures, each with its parameter.
#[derive(Debug, Default)]
pub struct Numbers(Vec<(usize, Field)>);

impl Numbers {
    /// An instruction is given bytes of a parameter as they were loaded. Whether that tells something new: that they are a number, or
    /// that it is of either kind.
    pub fn note(&mut self, name: &str, parameter: usize, loaded: Field) -> bool {
        if !takes_numbers(name, loaded.bytes) {
            return false;
        }
        let kind = kind_of(name).unwrap_or(loaded.kind);
        let field = Field { kind, ..loaded };
        let place = |it: &Field| (it.offset, it.bytes);
        let mut known = self.0.iter_mut();
        let known = known.find(|it| it.0 == parameter && place(&it.1) == place(&field));
        match known {
            None => {
                self.0.push((parameter, field));
                true
            }
            Some((_, known)) if known.kind != field.kind && known.kind != ParameterKind::Word => {
                known.kind = ParameterKind::Word;
                true
            }
            Some(_) => false,
        }
    }

    /// The numbers in a parameter that is a structure, in their order. Bytes that are loaded in two ways are none.
    pub fn of(&self, parameter: usize) -> Vec<Field> {
        let of_parameter = self.0.iter().filter(|it| it.0 == parameter);
        let mut fields: Vec<Field> = of_parameter.map(|it| it.1).collect();
        fields.sort_unstable();
        let end = |it: &Field| it.offset + it.bytes;
        let meets = |one: &Field, other: &Field| one.offset < end(other) && other.offset < end(one);
        let is_alone = |it: &&Field| fields.iter().filter(|other| meets(it, other)).count() == 1;
        fields.iter().filter(is_alone).copied().collect()
    }
}

/// Instructions that move a value, or take a part out of it: what they are given may be more than one number.
const MOVING: &[&str] = &[
    "and", "bfe", "bfi", "lop3", "mov", "or", "prmt", "selp", "shf", "shl", "shr", "xor",
];

/// Whether an instruction takes what it is given for numbers of so many bytes.
fn takes_numbers(name: &str, bytes: usize) -> bool {
    let mut parts = name.split('.');
    let kind = parts.next().unwrap_or_default();
    if kind != "cvt" {
        return !MOVING.contains(&kind);
    }
    let mut types = parts.filter_map(|it| size_of_type(&format!(".{it}")));
    match (types.next(), types.next()) {
        (Some((into, _)), Some((from, kind))) => {
            from == bytes && (into >= from || kind == ParameterKind::Float)
        }
        _ => false,
    }
}

/// What an instruction takes its numbers for: whole ones, or with a fraction. Some do not tell.
fn kind_of(name: &str) -> Option<ParameterKind> {
    let last = name.rfind('.').map(|at| &name[at..])?;
    let is_known = !last.starts_with(".b");
    size_of_type(last).filter(|_| is_known).map(|it| it.1)
}

/// The bytes of a type, and what a number of it is.
pub fn size_of_type(word: &str) -> Option<(usize, ParameterKind)> {
    let bits = word.trim_start_matches(|it: char| !it.is_ascii_digit());
    let kind = match word.as_bytes().get(1)? {
        b'f' => ParameterKind::Float,
        b'u' | b's' | b'b' => ParameterKind::Integer,
        _ => return None,
    };
    let bits: usize = bits.parse().ok()?;
    (bits.is_multiple_of(8) && bits > 0).then_some((bits / 8, kind))
}
