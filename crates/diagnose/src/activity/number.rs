//! Numbers that operators are given.

use cgsan_trace::Argument;

/// A number that an operator is given, and which.
pub(crate) fn numbers(arguments: &[Argument]) -> Vec<Number> {
    let mut numbers = Vec::new();
    for argument in arguments {
        let elements = match argument {
            Argument::List(elements) => elements.as_slice(),
            single => std::slice::from_ref(single),
        };
        numbers.extend(elements.iter().filter_map(|element| match element {
            Argument::Bool(value) => Some(Number::Bool(*value)),
            Argument::Integer(value) => Some(Number::Integer(*value)),
            Argument::Float(value) => Some(Number::Float(value.to_bits())),
            _ => None,
        }));
    }
    numbers
}

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
