//! Kernels that are launched past PyTorch's operators and past Triton: they are recorded as operators are, with the bytes of their
//! parameters taken for what they can be.

mod declared;
mod fields;
mod given;

use std::ffi::CStr;

pub use self::declared::{Type, parameters as declared_parameters};
pub use self::fields::Field;
pub use self::given::{Given, Known, follow};

use cgsan_trace::{Argument, FieldRecord, KERNEL, TensorRecord};

use super::kernels::{self, Names};
use super::open::{self, Begun};
use crate::state;

static NAMES: Names = Names::new(KERNEL, c"kernel::kernel");

/// A parameter of a kernel.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Parameter {
    /// Where it lies among all of them, in bytes.
    pub offset: usize,
    /// Its size in bytes.
    pub bytes: usize,
    /// What it is.
    pub kind: ParameterKind,
    /// What the kernel does through each word of it, in their order; what is behind the last one is not known.
    pub does: Vec<Does>,
    /// Of a structure, the numbers in it that the kernel uses, in their order, if that is known.
    pub fields: Option<Vec<Field>>,
}

/// What a parameter is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum ParameterKind {
    /// A whole number, or a pointer if it has the size of one.
    Integer,
    /// A number with a fraction.
    Float,
    /// A number of either kind, or a pointer.
    Word,
    /// A structure: of its words, those that are addresses are known, and the fields that the kernel uses as numbers.
    Structure,
}

/// What a kernel does through a pointer.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Does {
    /// It reads.
    pub reads: bool,
    /// It writes.
    pub writes: bool,
    /// It may do more than is known.
    pub more: bool,
}

/// A launch that is recorded.
#[derive(Debug)]
pub struct Launch {
    operator: usize,
    results: Vec<Argument>,
}

/// Addresses are in between; what is beyond is a number.
const ADDRESSES: std::ops::Range<u64> = 1 << 32..1 << 48;
const WORD: usize = 8;
/// Numbers with a fraction are in between, but for their signs: small whole numbers have bits that are smaller ones.
const LIKELY: std::ops::Range<f64> = 1e-20..1e20;
/// PyTorch has no type of this number.
const UNKNOWN_DTYPE: u8 = 255;

/// Whether a launch of the calling thread is to be recorded: nobody else records it.
pub fn is_taken() -> bool {
    kernels::are_taken() && open::is_none()
}

/// A kernel is about to be launched, with `given` in its parameters and `shape` of its grid and of its blocks.
pub fn begins(name: &CStr, parameters: &[Parameter], given: &[u8], shape: [[u32; 3]; 2]) -> Launch {
    let operator = kernels::fresh();
    let (mut arguments, results) = read(parameters, given);
    let shape = shape.into_iter().flatten();
    let shape = shape.map(|size| Argument::Integer(size.into()));
    arguments.push(Argument::List(shape.collect()));
    open::begin(Begun {
        operator,
        name: NAMES.of(&name.to_string_lossy()),
        arguments,
        written: false,
        works: false,
    });
    Launch { operator, results }
}

impl Launch {
    /// It was launched.
    pub fn ends(self) {
        let Some(ended) = open::end(self.operator) else {
            return;
        };
        state::with(|recorder| recorder.operator_ended(&ended.begun, self.results));
    }
}

/// A word that a kernel is given, as a C caller reads it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(C)]
pub struct Use {
    /// 0: anything, 1: a whole number, 2: a number with a fraction, 3: a pointer, 4: bytes of a structure that may be a number or not.
    kind: u32,
    /// What is done through the pointer: 1 reads, 2 writes, 4 more than is known.
    does: u32,
    /// The bits of the number, the address, or the bytes.
    value: u64,
    /// Of what lies in a structure: behind its first byte there, from 1; else 0.
    field: u32,
    /// Which parameter it is of.
    parameter: u32,
}

/// All words that a kernel is given, and what lies in structures behind those of their own: numbers, or bytes where it is not known
/// which are one.
pub fn uses(parameters: &[Parameter], given: &[u8]) -> Vec<Use> {
    let of_parameter = |(place, it): (usize, &Parameter)| {
        let words = it.words(given).into_iter().map(|word| (word, 0));
        let inside = it.fields(given).into_iter().chain(it.unknown(given));
        let all = words.chain(inside.map(|(offset, word)| (word, offset + 1)));
        all.map(|(word, field)| word.as_use(place, field))
            .collect::<Vec<_>>()
    };
    let parameters = parameters.iter().enumerate();
    parameters.flat_map(of_parameter).collect()
}

/// What a kernel is given, and what it does to it.
fn read(parameters: &[Parameter], given: &[u8]) -> (Vec<Argument>, Vec<Argument>) {
    let mut results = Vec::new();
    let mut argument = |parameter: &Parameter| {
        let words = parameter.words(given);
        results.extend(words.iter().filter_map(Word::result));
        let fields = parameter.fields(given);
        let mut words = words.iter().map(Word::argument);
        match parameter.kind {
            ParameterKind::Structure => {
                let fields = fields.iter().map(|(offset, word)| word.field(*offset));
                Argument::List(words.chain(fields).collect())
            }
            _ => words.next().unwrap_or(Argument::Other),
        }
    };
    let arguments = parameters.iter().map(&mut argument).collect();
    (arguments, results)
}

impl Parameter {
    /// Its bytes, if they are all there.
    fn bytes<'g>(&self, given: &'g [u8]) -> Option<&'g [u8]> {
        given.get(self.offset..self.offset.saturating_add(self.bytes))
    }

    /// What lies in it: of a structure, each word.
    fn words(&self, given: &[u8]) -> Vec<Word> {
        let Some(bytes) = self.bytes(given) else {
            return vec![Word::Other];
        };
        let pointer = |place: usize, word: &[u8]| {
            let does = self.does.get(place).copied().unwrap_or(Does::UNKNOWN);
            Word::pointer(whole(word), does)
        };
        match self.kind {
            ParameterKind::Float => vec![float(bytes)],
            ParameterKind::Integer if bytes.len() > WORD => vec![Word::Other],
            ParameterKind::Integer => {
                let number = Word::Integer(whole(bytes));
                let pointer = (bytes.len() == WORD).then(|| pointer(0, bytes));
                vec![pointer.flatten().unwrap_or(number)]
            }
            ParameterKind::Word => {
                let pointer = (bytes.len() == WORD).then(|| pointer(0, bytes));
                vec![pointer.flatten().unwrap_or_else(|| number(bytes))]
            }
            ParameterKind::Structure => {
                let words = bytes.chunks_exact(WORD).enumerate();
                words
                    .map(|(place, word)| pointer(place, word).unwrap_or(Word::Other))
                    .collect()
            }
        }
    }
}

/// What a word is taken for.
#[derive(Clone, Copy, Debug)]
enum Word {
    Pointer { address: u64, does: Does },
    Integer(i64),
    Float(f64),
    Bytes(u64),
    Other,
}

impl Word {
    /// A pointer, if it can be an address.
    fn pointer(word: i64, does: Does) -> Option<Word> {
        let address = word.cast_unsigned();
        let is_address = ADDRESSES.contains(&address);
        is_address.then_some(Word::Pointer { address, does })
    }

    fn argument(&self) -> Argument {
        match *self {
            Word::Pointer { address, .. } => Argument::Tensor(tensor_at(address)),
            Word::Integer(value) => Argument::Integer(value),
            Word::Float(value) => Argument::Float(value),
            Word::Bytes(_) | Word::Other => Argument::Other,
        }
    }

    fn result(&self) -> Option<Argument> {
        let Word::Pointer { address, does } = *self else {
            return None;
        };
        let tensor = tensor_at(address);
        match does {
            Does { more: true, .. } => Some(Argument::Used(tensor)),
            Does { writes: false, .. } => None,
            Does { reads: true, .. } => Some(Argument::Changed(tensor)),
            Does { .. } => Some(Argument::Tensor(tensor)),
        }
    }

    /// Of a number in a structure, what is recorded.
    fn field(&self, offset: usize) -> Argument {
        let (is_float, bits) = match *self {
            Word::Integer(value) => (false, value.cast_unsigned()),
            Word::Float(value) => (true, value.to_bits()),
            Word::Pointer { .. } | Word::Bytes(_) | Word::Other => return Argument::Other,
        };
        let offset = offset as u64;
        Argument::Field(FieldRecord {
            offset,
            is_float,
            bits,
        })
    }

    fn as_use(self, parameter: usize, field: usize) -> Use {
        let (kind, does, value) = match self {
            Word::Other => (0, 0, 0),
            Word::Integer(value) => (1, 0, value.cast_unsigned()),
            Word::Float(value) => (2, 0, value.to_bits()),
            Word::Pointer { address, does } => (3, does.bits(), address),
            Word::Bytes(bytes) => (4, 0, bytes),
        };
        // Parameters have 32,764 bytes at most.
        let small = |it: usize| u32::try_from(it).unwrap_or_default();
        Use {
            kind,
            does,
            value,
            field: small(field),
            parameter: small(parameter),
        }
    }
}

impl Does {
    /// It only reads.
    pub const READS: Does = Does {
        reads: true,
        writes: false,
        more: false,
    };

    /// It only writes.
    pub const WRITES: Does = Does {
        reads: false,
        writes: true,
        more: false,
    };

    /// It reads and writes.
    pub const BOTH: Does = Does {
        reads: true,
        writes: true,
        more: false,
    };

    /// Nothing is known.
    pub const UNKNOWN: Does = Does {
        reads: false,
        writes: false,
        more: true,
    };

    fn bits(self) -> u32 {
        u32::from(self.reads) | u32::from(self.writes) << 1 | u32::from(self.more) << 2
    }
}

/// What is known of a tensor that a pointer leads into.
fn tensor_at(address: u64) -> TensorRecord {
    TensorRecord {
        address,
        bytes: 0,
        offset: 0,
        on_gpu: true,
        dtype: UNKNOWN_DTYPE,
        sizes: Vec::new(),
    }
}

/// Bytes as a whole number with a sign.
fn whole(bytes: &[u8]) -> i64 {
    let mut word = [0; WORD];
    word[..bytes.len()].copy_from_slice(bytes);
    let unused = 8 * (WORD - bytes.len());
    i64::from_le_bytes(word) << unused >> unused
}

/// Bytes as the number that they are likely to be: each number has one form, so that equal ones are equal.
fn number(bytes: &[u8]) -> Word {
    match float(bytes) {
        Word::Float(value) if LIKELY.contains(&value.abs()) => Word::Float(value),
        _ => Word::Integer(whole(bytes)),
    }
}

fn float(bytes: &[u8]) -> Word {
    match *bytes {
        [a, b, c, d] => Word::Float(f32::from_le_bytes([a, b, c, d]).into()),
        _ => bytes
            .try_into()
            .map_or(Word::Other, |bytes| Word::Float(f64::from_le_bytes(bytes))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parameter(offset: usize, bytes: usize, kind: ParameterKind, does: &[Does]) -> Parameter {
        Parameter {
            offset,
            bytes,
            kind,
            does: does.to_vec(),
            fields: None,
        }
    }

    /// Addresses among arguments or results, each with the letter of what it is.
    fn pointers(arguments: &[Argument]) -> Vec<(char, u64)> {
        let mut found = Vec::new();
        for argument in arguments {
            match argument {
                Argument::Tensor(it) => found.push(('t', it.address)),
                Argument::Changed(it) => found.push(('c', it.address)),
                Argument::Used(it) => found.push(('u', it.address)),
                Argument::List(elements) => found.extend(pointers(elements)),
                _ => {}
            }
        }
        found
    }

    #[test]
    fn words_that_can_be_addresses_are_pointers_and_others_numbers() {
        let parameters = [
            parameter(0, 8, ParameterKind::Integer, &[Does::READS]),
            parameter(8, 8, ParameterKind::Integer, &[Does::WRITES]),
            parameter(16, 8, ParameterKind::Integer, &[]),
            parameter(24, 4, ParameterKind::Float, &[]),
            parameter(28, 4, ParameterKind::Integer, &[]),
            parameter(32, 8, ParameterKind::Integer, &[]),
        ];
        let mut given = Vec::new();
        for address in [0x7f00_0000_0200_u64, 0x7f00_0000_0400, 0x7f00_0000_0600] {
            given.extend(address.to_le_bytes());
        }
        given.extend(0.5_f32.to_le_bytes());
        given.extend((-3_i32).to_le_bytes());
        given.extend(5_u64.to_le_bytes());
        let (arguments, results) = read(&parameters, &given);
        assert_eq!(
            arguments[3..],
            [
                Argument::Float(0.5),
                Argument::Integer(-3),
                Argument::Integer(5)
            ]
        );
        assert_eq!(pointers(&arguments).len(), 3);
        assert_eq!(
            pointers(&results),
            [('t', 0x7f00_0000_0400), ('u', 0x7f00_0000_0600)],
            "one is only read"
        );
        let uses = uses(&parameters, &given);
        let told: Vec<_> = uses.iter().map(|it| (it.kind, it.does)).collect();
        assert_eq!(told, [(3, 1), (3, 2), (3, 4), (2, 0), (1, 0), (1, 0)]);
    }

    #[test]
    fn a_word_is_the_number_that_it_is_likely_to_be() {
        let of = |bytes: &[u8]| {
            let parameters = [parameter(0, bytes.len(), ParameterKind::Word, &[])];
            read(&parameters, bytes).0.remove(0)
        };
        for number in [0, 1, -1, 4096, i32::MIN] {
            assert_eq!(of(&number.to_le_bytes()), Argument::Integer(number.into()));
            let long = i64::from(number);
            assert_eq!(of(&long.to_le_bytes()), Argument::Integer(long));
        }
        assert_eq!(of(&0.5_f32.to_le_bytes()), Argument::Float(0.5));
        assert_eq!(of(&(-3e9_f64).to_le_bytes()), Argument::Float(-3e9));
        let address = 0x7f00_0000_0200_u64;
        assert_eq!(pointers(&[of(&address.to_le_bytes())]), [('t', address)]);
    }

    #[test]
    fn pointers_in_a_structure_are_used() {
        let parameters = [parameter(0, 24, ParameterKind::Structure, &[])];
        let mut given = 7_u64.to_le_bytes().to_vec();
        given.extend(0x7f00_0000_0200_u64.to_le_bytes());
        given.extend([1, 0, 0, 0, 0, 0, 0, 0]);
        let (arguments, results) = read(&parameters, &given);
        assert_eq!(pointers(&arguments), [('t', 0x7f00_0000_0200)]);
        assert_eq!(pointers(&results), [('u', 0x7f00_0000_0200)]);
        let (arguments, _) = read(&parameters, &given[..16]);
        let unknown = [Argument::List(vec![Argument::Other])];
        assert_eq!(arguments, unknown, "it is not all there");
    }
}
