//! Numbers in structures that kernels are given by value. Which bytes of a structure are one, its size does not tell: gaps between its
//! fields hold anything, and may hold something else at each launch. So it must be known that the kernel uses them as a number.

use super::{Parameter, ParameterKind, WORD, Word, float, number, whole};

/// A number in a structure, as a kernel loads it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Field {
    /// Its first byte in the structure.
    pub offset: usize,
    /// Its size: 1, 2, 4 or 8 bytes.
    pub bytes: usize,
    /// What it is.
    pub kind: ParameterKind,
}

impl Parameter {
    /// The numbers in a structure, each with its first byte there.
    pub(super) fn fields(&self, given: &[u8]) -> Vec<(usize, Word)> {
        let Some(bytes) = self.bytes(given) else {
            return Vec::new();
        };
        let fields = self.fields.iter().flatten();
        fields
            .filter_map(|it| Some((it.offset, it.number(bytes)?)))
            .collect()
    }

    /// Of a structure of which it is not known where numbers are, what is no address, word by word.
    pub(super) fn unknown(&self, given: &[u8]) -> Vec<(usize, Word)> {
        let is_unknown = self.kind == ParameterKind::Structure && self.fields.is_none();
        let bytes = self.bytes(given).filter(|_| is_unknown);
        let words = bytes.unwrap_or_default().chunks(WORD).enumerate();
        let words = words.map(|(place, bytes)| (place * WORD, whole(bytes)));
        let others = words.filter(|(_, it)| Word::pointer(*it, super::Does::UNKNOWN).is_none());
        others
            .map(|(offset, it)| (offset, Word::Bytes(it.cast_unsigned())))
            .collect()
    }
}

impl Field {
    /// The number in the bytes of its structure. Of what can be an address it is 0, as where there is none: pointers are compared by
    /// what lies there.
    fn number(self, structure: &[u8]) -> Option<Word> {
        let bytes = structure.get(self.offset..self.offset.checked_add(self.bytes)?)?;
        let is_address =
            self.bytes == WORD && Word::pointer(whole(bytes), super::Does::UNKNOWN).is_some();
        Some(match self.kind {
            ParameterKind::Float if self.bytes >= WORD / 2 => float(bytes),
            _ if is_address => Word::Integer(0),
            ParameterKind::Word if self.bytes >= WORD / 2 => number(bytes),
            _ => Word::Integer(whole(bytes)),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::super::{read, uses};
    use super::*;
    use cgsan_trace::{Argument, FieldRecord};

    fn structure(fields: &[(usize, usize, ParameterKind)]) -> Parameter {
        let field = |&(offset, bytes, kind): &(usize, usize, ParameterKind)| Field {
            offset,
            bytes,
            kind,
        };
        Parameter {
            offset: 8,
            bytes: 24,
            kind: ParameterKind::Structure,
            does: Vec::new(),
            fields: Some(fields.iter().map(field).collect()),
        }
    }

    fn given(address: u64) -> Vec<u8> {
        let mut given = vec![0; 8];
        given.extend(address.to_le_bytes());
        given.extend((-3_i32).to_le_bytes());
        given.extend(0.5_f32.to_le_bytes());
        given.extend([7, 0xcc, 0xcc, 0xcc, 0xcc, 0xcc, 0xcc, 0xcc]);
        given
    }

    const FIELDS: [(usize, usize, ParameterKind); 4] = [
        (0, 8, ParameterKind::Word),
        (8, 4, ParameterKind::Integer),
        (12, 4, ParameterKind::Word),
        (16, 1, ParameterKind::Integer),
    ];

    #[test]
    fn fields_are_the_numbers_that_a_kernel_uses() {
        let (arguments, _) = read(&[structure(&FIELDS)], &given(0x7f00_0000_0200));
        let [Argument::List(words)] = arguments.as_slice() else {
            panic!("{arguments:?}");
        };
        let field = |offset, is_float, bits| {
            Argument::Field(FieldRecord {
                offset,
                is_float,
                bits,
            })
        };
        assert!(matches!(words[0], Argument::Tensor(_)));
        let wanted = [
            field(0, false, 0),
            field(8, false, (-3_i64).cast_unsigned()),
            field(12, true, 0.5_f64.to_bits()),
            field(16, false, 7),
        ];
        assert_eq!(words[3..], wanted);
    }

    #[test]
    fn a_pointer_that_is_null_is_no_other_number() {
        let parameters = [structure(&FIELDS)];
        let fields = |address| {
            let mut words = uses(&parameters, &given(address));
            words.split_off(3)
        };
        assert_eq!(fields(0), fields(0x7f00_0000_0200));
        let places = fields(0).into_iter().map(|it| (it.parameter, it.field));
        assert_eq!(
            places.collect::<Vec<_>>(),
            [(0, 1), (0, 9), (0, 13), (0, 17)]
        );
    }

    #[test]
    fn where_numbers_are_not_known_all_bytes_but_addresses_are_told() {
        let mut parameter = structure(&[]);
        parameter.fields = None;
        let told = |parameter| uses(&[parameter], &given(0x7f00_0000_0200));
        let bytes = |it: Vec<super::super::Use>| -> Vec<(u32, u64)> {
            let bytes = it.into_iter().filter(|it| it.kind == 4);
            bytes.map(|it| (it.field, it.value)).collect()
        };
        let half = u64::from(0.5_f32.to_bits()) << 32;
        assert_eq!(
            bytes(told(parameter)),
            [(9, half | 0xffff_fffd), (17, 0xcccc_cccc_cccc_cc07)]
        );
        assert_eq!(bytes(told(structure(&FIELDS))), []);
    }

    #[test]
    fn what_does_not_lie_in_the_structure_is_left_out() {
        let (arguments, _) = read(&[structure(&[(24, 4, ParameterKind::Integer)])], &given(0));
        assert!(matches!(&arguments[..], [Argument::List(words)] if words.len() == 3));
    }
}
