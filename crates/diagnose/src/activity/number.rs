//! Numbers that operators are given.

use cgsan_trace::Argument;

/// The numbers that an operator is given.
pub(crate) fn numbers(arguments: &[Argument]) -> Vec<Number> {
    places(arguments).map(|it| it.1).collect()
}

/// Which of an operator's numbers lies in a structure that a kernel is given by value, and where.
pub(crate) fn field(arguments: &[Argument], place: usize) -> Option<Field> {
    places(arguments).nth(place)?.0
}

/// The numbers, with where they lie if that is in a structure.
fn places(arguments: &[Argument]) -> impl Iterator<Item = (Option<Field>, Number)> {
    let arguments = arguments.iter().enumerate();
    arguments.flat_map(|(parameter, argument)| {
        let elements = match argument {
            Argument::List(elements) => elements.as_slice(),
            single => std::slice::from_ref(single),
        };
        elements.iter().filter_map(move |element| match element {
            Argument::Bool(value) => Some((None, Number::Bool(*value))),
            Argument::Integer(value) => Some((None, Number::Integer(*value))),
            Argument::Float(value) => Some((None, Number::Float(value.to_bits()))),
            Argument::Field(it) => {
                let offset = it.offset;
                let field = Field { parameter, offset };
                let number = if it.is_float {
                    Number::Float(it.bits)
                } else {
                    Number::Integer(it.bits.cast_signed())
                };
                Some((Some(field), number))
            }
            _ => None,
        })
    })
}

/// Where a number lies in a structure that a kernel is given by value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Field {
    /// Which of the kernel's parameters that is, from 0.
    pub(crate) parameter: usize,
    /// Its first byte there.
    pub(crate) offset: u64,
}

impl std::fmt::Display for Field {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Field { parameter, offset } = self;
        match ORDINALS.get(*parameter) {
            Some(which) => write!(f, "byte {offset} of its {which} parameter"),
            None => write!(f, "byte {offset} of its parameter {}", parameter + 1),
        }
    }
}

const ORDINALS: [&str; 5] = ["first", "second", "third", "fourth", "fifth"];

/// A number, by its bits so that it can be compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Number {
    Bool(bool),
    Integer(i64),
    Float(u64),
}

impl Number {
    /// It as a size, if it can be one.
    pub(crate) fn size(self) -> Option<u64> {
        match self {
            Number::Integer(value) => value.try_into().ok(),
            Number::Bool(_) | Number::Float(_) => None,
        }
    }

    /// The same number with a fraction, which compares whole numbers and others.
    pub(crate) fn as_float(self) -> f64 {
        match self {
            Number::Bool(value) => f64::from(u8::from(value)),
            #[expect(
                clippy::cast_precision_loss,
                reason = "large numbers may count as equal"
            )]
            Number::Integer(value) => value as f64,
            Number::Float(bits) => f64::from_bits(bits),
        }
    }
}

impl std::fmt::Display for Number {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Number::Bool(value) => write!(f, "{value}"),
            Number::Integer(value) => write!(f, "{value}"),
            Number::Float(bits) => write!(f, "{}", f64::from_bits(*bits)),
        }
    }
}

#[cfg(test)]
mod tests {
    use cgsan_trace::FieldRecord;

    use super::*;

    #[test]
    fn a_number_in_a_structure_says_where_it_lies() {
        let field = |offset, is_float, bits| {
            Argument::Field(FieldRecord {
                offset,
                is_float,
                bits,
            })
        };
        let structure = Argument::List(vec![
            Argument::Other,
            field(8, false, 3),
            field(16, true, 0.5_f64.to_bits()),
        ]);
        let given = [Argument::Integer(7), structure];
        let wanted = [
            Number::Integer(7),
            Number::Integer(3),
            Number::Float(0.5_f64.to_bits()),
        ];
        assert_eq!(numbers(&given), wanted);
        let words = |place| super::field(&given, place).map(|it| it.to_string());
        assert_eq!(words(0), None);
        assert_eq!(words(2).as_deref(), Some("byte 16 of its second parameter"));
        assert_eq!(words(3), None);
    }
}
