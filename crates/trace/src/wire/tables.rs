//! The forms in which the tables of this folder are written.

/// Gives the variants of an enum their tags: `tag = Variant { fields in the order of the file };`. A variant without a
/// line does not compile, nor do two of one tag. With `enum`, it cannot grow; with `growing`, its length is written before
/// it, and it may get new last fields.
macro_rules! tagged {
    (enum $type:ident { $($lines:tt)* }) => {
        tagged! { @lines $type { $($lines)* } }

        impl $crate::wire::Wire for $type {
            fn write(&self, out: &mut Vec<u8>) {
                $crate::wire::Tagged::write_tagged(self, out);
            }

            fn read(input: &mut $crate::wire::Input<'_>) -> Result<Self, $crate::wire::Unread> {
                $crate::wire::Tagged::read_tagged(input)
            }
        }
    };
    (growing $type:ident { $($lines:tt)* }) => {
        tagged! { @lines $type { $($lines)* } }

        impl $crate::wire::Wire for $type {
            fn write(&self, out: &mut Vec<u8>) {
                $crate::wire::values::write_block(out, |out| {
                    $crate::wire::Tagged::write_tagged(self, out);
                });
            }

            fn read(input: &mut $crate::wire::Input<'_>) -> Result<Self, $crate::wire::Unread> {
                $crate::wire::Tagged::read_tagged(&mut input.block()?)
            }
        }
    };
    (@lines $type:ident { $(
        $tag:literal = $variant:ident $(( $($item:ident),* ))? $({ $($field:ident),* })?;
    )* }) => {
        impl $crate::wire::Tagged for $type {
            #[cfg(test)]
            const TAGS: &'static [u32] = &[$($tag),*];

            fn write_tagged(&self, out: &mut Vec<u8>) {
                use $crate::wire::Wire;
                match self {
                    $($type::$variant $(( $($item),* ))? $({ $($field),* })? => {
                        u32::write(&$tag, out);
                        $($( $item.write(out); )*)?
                        $($( $field.write(out); )*)?
                    })*
                }
            }

            fn read_tagged(
                input: &mut $crate::wire::Input<'_>,
            ) -> Result<Self, $crate::wire::Unread> {
                use $crate::wire::Wire;
                Ok(match u32::read(input)? {
                    $($tag => $type::$variant
                        $(( $({ let $item = Wire::read(input)?; $item }),* ))?
                        $({ $($field: Wire::read(input)?),* })?,)*
                    _ => return Err($crate::wire::Unread::Unknown),
                })
            }
        }
    };
}

/// Writes a struct as its fields, in the order that is given here.
macro_rules! fields {
    ($type:ident { $($field:ident),* $(,)? }) => {
        impl $crate::wire::Wire for $type {
            fn write(&self, out: &mut Vec<u8>) {
                let $type { $($field),* } = self;
                $( $crate::wire::Wire::write($field, out); )*
            }

            fn read(input: &mut $crate::wire::Input<'_>) -> Result<Self, $crate::wire::Unread> {
                Ok($type { $($field: $crate::wire::Wire::read(input)?),* })
            }
        }
    };
}

/// Writes structs of one unnamed field as that field.
macro_rules! newtypes {
    ($($type:ident),* $(,)?) => {
        $(impl $crate::wire::Wire for $type {
            fn write(&self, out: &mut Vec<u8>) {
                self.0.write(out);
            }

            fn read(input: &mut $crate::wire::Input<'_>) -> Result<Self, $crate::wire::Unread> {
                Ok($type($crate::wire::Wire::read(input)?))
            }
        })*
    };
}

pub(crate) use {fields, newtypes, tagged};
