//! Strings that are put together.

use std::rc::Rc;

use super::value::Value;
use super::{Interp, Semantics};
use crate::syntax::ast::{
    self, ConversionFlag, FStringPart, InterpolatedStringElement, Ranged as _,
};

/// Bytes of the longest string that is put together.
const LONGEST: usize = 256;

impl<'p, L: Semantics> Interp<'p, L> {
    /// `f"..."`.
    pub(super) fn f_string(&mut self, it: &'p ast::ExprFString) -> Value<'p> {
        let mut parts = Vec::new();
        for part in &it.value {
            match part {
                FStringPart::Literal(text) => parts.push(Some(text.value.to_string())),
                FStringPart::FString(string) => {
                    for element in &string.elements {
                        parts.push(self.f_string_element(element));
                    }
                }
            }
        }
        joined(&parts)
    }

    fn f_string_element(&mut self, element: &'p InterpolatedStringElement) -> Option<String> {
        match element {
            InterpolatedStringElement::Literal(text) => Some(text.value.to_string()),
            InterpolatedStringElement::Interpolation(part) => {
                let value = self.expression(&part.expression);
                self.formatted(&value, part.range());
                let is_plain =
                    part.format_spec.is_none() && part.conversion == ConversionFlag::None;
                shown(&value).filter(|_| is_plain)
            }
        }
    }
}

/// `left + right`, where `left` is a string.
pub(super) fn added<'p>(left: &Value<'p>, right: &Value<'p>) -> Value<'p> {
    let right = right.as_text().map(str::to_owned);
    joined(&[left.as_text().map(str::to_owned), right])
}

/// The string of these parts, of which some may not be known.
fn joined<'p>(parts: &[Option<String>]) -> Value<'p> {
    let known: Option<String> = parts.iter().cloned().collect();
    if let Some(text) = known {
        return Value::Text((text.len() <= LONGEST).then(|| Rc::from(text)));
    }
    Value::Text(None)
}

/// How a value is written into a string, if that is known.
fn shown(value: &Value<'_>) -> Option<String> {
    match value {
        Value::Text(text) => text.as_deref().map(str::to_owned),
        Value::Number(number) if number.varies.is_none() => {
            number.constant.map(|it| it.to_string())
        }
        _ => None,
    }
}
