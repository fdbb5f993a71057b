//! Reads records of format 1, the one before today's. Nothing writes it any more.
//!
//! There, a variant was its place among its enum's variants as they stood then, and an event of the agent was JSON. The tables in
//! this folder say what stood where; they change only as far as the types that they fill do. Numbers, texts and lists
//! lie as they do today.

mod calls;
mod records;
#[cfg(test)]
mod tests;

use crate::wire::{Input, Unread};

pub(crate) use records::entry;

/// The version in the headers of such files.
pub(crate) const VERSION: u32 = 1;

/// What can be read from a payload of format 1.
trait Old: Sized {
    fn read(input: &mut Input<'_>) -> Result<Self, Unread>;
}

/// The variant with a number, its fields read from the input in the order in which they are given.
macro_rules! variant {
    ($number:expr, $input:ident, $type:ident { $(
        $place:literal = $variant:ident $(( $($item:ident),* ))? $({ $($field:ident),* })?;
    )* }) => {
        match $number {
            $($place => $type::$variant
                $(( $({ let $item = $crate::previous::Old::read($input)?; $item }),* ))?
                $({ $($field: $crate::previous::Old::read($input)?),* })?,)*
            _ => return Err($crate::wire::Unread::Damaged),
        }
    };
}

/// An enum of format 1: the place of each variant, and its fields in their order.
macro_rules! old_enum {
    ($type:ident { $($lines:tt)* }) => {
        impl $crate::previous::Old for $type {
            fn read(input: &mut $crate::wire::Input<'_>) -> Result<Self, $crate::wire::Unread> {
                let number: u32 = $crate::wire::Wire::read(input)?;
                Ok($crate::previous::variant!(number, input, $type { $($lines)* }))
            }
        }
    };
}

/// A struct of format 1: its fields in their order, and those that it did not have.
macro_rules! old_fields {
    ($type:ident { $($field:ident),* $(,)? } $(without { $($new:ident),* })?) => {
        impl $crate::previous::Old for $type {
            fn read(input: &mut $crate::wire::Input<'_>) -> Result<Self, $crate::wire::Unread> {
                Ok($type {
                    $($field: $crate::previous::Old::read(input)?,)*
                    $($($new: None,)*)?
                })
            }
        }
    };
}

/// What lies as it does today.
macro_rules! unchanged {
    ($($type:ty),* $(,)?) => {
        $(impl $crate::previous::Old for $type {
            fn read(input: &mut $crate::wire::Input<'_>) -> Result<Self, $crate::wire::Unread> {
                $crate::wire::Wire::read(input)
            }
        })*
    };
}

use {old_enum, old_fields, unchanged, variant};

unchanged!(bool, i32, u32, u64, String, [u32; 3]);

impl<T: Old> Old for Option<T> {
    fn read(input: &mut Input<'_>) -> Result<Self, Unread> {
        Ok(if bool::read(input)? {
            Some(T::read(input)?)
        } else {
            None
        })
    }
}

impl<T: Old> Old for Vec<T> {
    fn read(input: &mut Input<'_>) -> Result<Self, Unread> {
        input.list(T::read)
    }
}
