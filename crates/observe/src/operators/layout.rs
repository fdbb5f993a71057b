//! Where PyTorch's objects keep what is read of them, found by looking.
//!
//! The agent calls operators whose arguments it knows, and each offset is where the known values are. An offset that is
//! not found, or found twice, ends the search: then operators are not observed.

use serde::Deserialize;

use super::abi::{self, SHARED_LENGTH, Texts};
use crate::memory::Memory;

/// How many words of an operator are searched; it lies on the stack, so there is something behind it.
const OPERATOR: usize = 80;
/// How many of a tensor (`sizeof(c10::TensorImpl)` is checked by PyTorch to be at most 208 bytes), of a storage, and of a list.
const TENSOR: usize = 26;
const STORAGE: usize = 8;
const LIST: usize = 8;

/// `c10::Device` of a tensor on the CPU: its type, and no index.
const CPU: u32 = 0xff00;
/// `c10::ScalarType::Float`.
const FLOAT32: u32 = 6;

/// The size of a `c10::IValue` in bytes: a payload and a tag.
pub const VALUE: usize = 16;

/// Where the tag lies in a `c10::IValue`.
pub const TAG: usize = 8;

/// The most dimensions that a tensor keeps in itself (`c10::SizesAndStrides`).
pub const INLINE_SIZES: usize = 5;

/// What the agent knows of the tensors that it calls operators with.
#[derive(Clone, Debug, Deserialize)]
pub struct Known {
    /// The address of the first tensor's `at::TensorImpl`.
    pub tensor: usize,
    /// That of another one.
    pub other: usize,
    /// That of a view of the first.
    pub view: usize,
    /// The address of the first one's `c10::StorageImpl`.
    pub storage: usize,
    /// The address of its data.
    pub data: usize,
    /// The size of its storage in bytes.
    pub bytes: usize,
    /// Its three sizes.
    pub sizes: Vec<usize>,
    /// Its three strides.
    pub strides: Vec<usize>,
    /// Where in the storage the view begins, in elements.
    pub offset: usize,
    /// The whole number that `add` is given behind the two tensors.
    pub integer: usize,
    /// The fraction that it is given the second time.
    pub float: f64,
    /// The text that `gelu` is given behind it.
    pub text: String,
    /// The only element of the list that `sum` is given behind the tensor.
    pub element: usize,
    /// The keys that the first tensor is dispatched by (`c10::DispatchKeySet`).
    pub keys: u64,
    /// The keys of tensors that are not what lies in their storage: sparse or quantized ones, views that conjugate, …
    pub odd: u64,
}

/// Where things lie in a `at::RecordFunction`, in bytes.
#[derive(Clone, Copy, Debug, Default)]
pub struct OperatorLayout {
    pub arguments: usize,
    pub results: usize,
}

/// The tags of values (`c10::IValue::Tag`).
#[derive(Clone, Copy, Debug, Default)]
pub struct Tags {
    pub tensor: u32,
    pub integer: u32,
    pub float: u32,
    pub boolean: u32,
    pub list: u32,
    pub none: u32,
    pub text: u32,
    pub complex: u32,
}

/// Where things lie in a tensor, its storage and a list, in bytes.
#[derive(Clone, Copy, Debug, Default)]
pub struct ObjectLayout {
    pub storage: usize,
    pub offset: usize,
    /// The number of dimensions, with the sizes or their address behind it.
    pub dimensions: usize,
    /// The dtype, behind the number of elements.
    pub dtype: usize,
    pub data: usize,
    /// The device, before the size in bytes.
    pub device: usize,
    pub bytes: usize,
    pub elements: usize,
    /// The keys that a tensor is dispatched by.
    pub keys: usize,
    /// Those of tensors that are not what lies in their storage.
    pub odd: u64,
}

/// All of it.
#[derive(Clone, Copy, Debug, Default)]
pub struct Layout {
    pub operator: OperatorLayout,
    pub tags: Tags,
    pub object: ObjectLayout,
}

/// The words at an address, as many as can be read.
fn words(memory: &impl Memory, address: usize, count: usize) -> Vec<usize> {
    let word = |index: usize| memory.number::<usize>(address.checked_add(8 * index)?);
    (0..count).map_while(word).collect()
}

/// The only place where a pattern begins, in bytes.
fn only(words: &[usize], matches: impl Fn(&[usize]) -> bool) -> Option<usize> {
    let mut found = (0..words.len()).filter(|index| matches(&words[*index..]));
    let first = found.next()?;
    found.next().is_none().then_some(8 * first)
}

fn tag_at(memory: &impl Memory, value: usize) -> Option<u32> {
    memory.number::<u32>(value.checked_add(TAG)?)
}

/// The longest text that is read: they are names of choices.
const LONGEST_TEXT: usize = 256;

/// The text of C++'s at an address.
pub fn held_text(memory: &impl Memory, at: usize) -> Option<String> {
    let begin: usize = memory.number(at)?;
    let length: usize = memory.number(match abi::texts() {
        Texts::Long => at.checked_add(8)?,
        Texts::Shared => begin.checked_sub(SHARED_LENGTH)?,
    })?;
    let mut bytes = vec![0; length.min(LONGEST_TEXT)];
    memory.bytes(begin, &mut bytes)?;
    Some(String::from_utf8_lossy(&bytes).into_owned())
}

/// The complex number at an address: its real part and its imaginary one.
pub fn held_complex(memory: &impl Memory, at: usize) -> Option<[f64; 2]> {
    let part = |at: usize| memory.number::<u64>(at).map(f64::from_bits);
    Some([part(at)?, part(at.checked_add(8)?)?])
}

impl Layout {
    /// Finds out about tensors and their storages.
    pub fn learn_objects(&mut self, memory: &impl Memory, known: &Known) -> Option<()> {
        let mut tensor = words(memory, known.tensor, TENSOR);
        let view = words(memory, known.view, TENSOR);
        // They are the last in a tensor (`c10/core/TensorImpl.h`): what follows is somebody else's.
        let keys = tensor.iter().position(|word| *word as u64 == known.keys)?;
        tensor.truncate(keys + 1);
        let storage = words(memory, known.storage, STORAGE);
        let sizes: Vec<usize> = std::iter::once(known.sizes.len())
            .chain(known.sizes.iter().copied())
            .collect();
        let object = &mut self.object;
        object.storage = only(&tensor, |at| at[0] == known.storage)?;
        object.keys = 8 * keys;
        object.odd = known.odd;
        object.dimensions = only(&tensor, |at| at.starts_with(&sizes))?;
        // Behind them lie the strides.
        let strides = tensor.get(object.dimensions / 8 + 1 + INLINE_SIZES..)?;
        if !strides.starts_with(&known.strides) {
            return None;
        }
        let both: Vec<(usize, usize)> = tensor.iter().copied().zip(view).collect();
        let mut differing = (0..both.len()).filter(|index| both[*index] == (0, known.offset));
        object.offset = 8 * differing.next()?;
        if differing.next().is_some() {
            return None;
        }
        // An allocator of the CPU keeps the address twice: as the data, and as what is to be freed.
        object.data = 8 * storage.iter().position(|word| *word == known.data)?;
        object.bytes = only(&storage, |at| at[0] == known.bytes)?;
        object.device = object.bytes.checked_sub(8)?;
        let elements: usize = known.sizes.iter().product();
        object.dtype = 8 + only(&tensor, |at| at[0] == elements)?;
        let device: u32 = memory.number(known.storage + object.device)?;
        let dtype: u32 = memory.number(known.tensor + object.dtype)?;
        let as_expected = device & 0xffff == CPU && dtype & 0xffff == FLOAT32;
        as_expected.then_some(())
    }

    /// Finds the arguments of `add(tensor, other, alpha=integer)` at its beginning.
    pub fn learn_arguments(
        &mut self,
        memory: &impl Memory,
        known: &Known,
        operator: usize,
    ) -> Option<()> {
        let is_array = |at: &[usize]| {
            let [begin, 3, ..] = *at else { return false };
            memory.number::<usize>(begin) == Some(known.tensor)
                && memory.number::<usize>(begin.wrapping_add(VALUE)) == Some(known.other)
                && memory.number::<usize>(begin.wrapping_add(2 * VALUE)) == Some(known.integer)
        };
        let words = words(memory, operator, OPERATOR);
        self.operator.arguments = only(&words, is_array)?;
        let begin = words[self.operator.arguments / 8];
        self.tags.tensor = tag_at(memory, begin)?;
        self.tags.integer = tag_at(memory, begin + 2 * VALUE)?;
        (self.tags.tensor != self.tags.integer).then_some(())
    }

    /// Finds the tag of numbers with a fraction in `add(tensor, other, alpha=float)`.
    pub fn learn_float(
        &mut self,
        memory: &impl Memory,
        known: &Known,
        operator: usize,
    ) -> Option<()> {
        let begin: usize = memory.number(operator + self.operator.arguments)?;
        let bits: u64 = memory.number(begin + 2 * VALUE)?;
        self.tags.float = tag_at(memory, begin + 2 * VALUE)?;
        (bits == known.float.to_bits() && self.tags.float != self.tags.integer).then_some(())
    }

    /// Finds the tags of `sum(tensor, [element], True, None)`, and where a list keeps its elements.
    pub fn learn_list(
        &mut self,
        memory: &impl Memory,
        known: &Known,
        operator: usize,
    ) -> Option<()> {
        let begin: usize = memory.number(operator + self.operator.arguments)?;
        let list: usize = memory.number(begin + VALUE)?;
        let boolean: u8 = memory.number(begin + 2 * VALUE)?;
        self.tags.list = tag_at(memory, begin + VALUE)?;
        self.tags.boolean = tag_at(memory, begin + 2 * VALUE)?;
        self.tags.none = tag_at(memory, begin + 3 * VALUE)?;
        let is_vector = |at: &[usize]| {
            let [first, end, ..] = *at else { return false };
            end.checked_sub(first) == Some(VALUE)
                && memory.number::<usize>(first) == Some(known.element)
                && tag_at(memory, first) == Some(self.tags.integer)
        };
        self.object.elements = only(&words(memory, list, LIST), is_vector)?;
        (boolean == 1).then_some(())
    }

    /// Finds the tag of the text in `gelu(tensor, approximate=text)`, which lies where lists keep their elements.
    pub fn learn_text(
        &mut self,
        memory: &impl Memory,
        known: &Known,
        operator: usize,
    ) -> Option<()> {
        let begin: usize = memory.number(operator + self.operator.arguments)?;
        let text: usize = memory.number(begin + VALUE)?;
        self.tags.text = tag_at(memory, begin + VALUE)?;
        let held = held_text(memory, text.checked_add(self.object.elements)?)?;
        (held == known.text).then_some(())
    }

    /// Finds the tag of `float` times the square root of -1 in `add(tensor, other, alpha=…)`.
    pub fn learn_complex(
        &mut self,
        memory: &impl Memory,
        known: &Known,
        operator: usize,
    ) -> Option<()> {
        let begin: usize = memory.number(operator + self.operator.arguments)?;
        let number: usize = memory.number(begin + 2 * VALUE)?;
        self.tags.complex = tag_at(memory, begin + 2 * VALUE)?;
        let [real, imaginary] = held_complex(memory, number.checked_add(self.object.elements)?)?;
        (real == 0.0 && imaginary.to_bits() == known.float.to_bits()).then_some(())
    }

    /// Finds the result of `add` at its end.
    pub fn learn_results(&mut self, memory: &impl Memory, operator: usize) -> Option<()> {
        let is_vector = |at: &[usize]| {
            let [first, end, room, ..] = *at else {
                return false;
            };
            end.checked_sub(first) == Some(VALUE)
                && room >= end
                && tag_at(memory, first) == Some(self.tags.tensor)
        };
        // The arguments are gone by now; what is left of them must not be taken for the results.
        let behind = self.operator.arguments + 16;
        let words = words(memory, operator + behind, OPERATOR);
        self.operator.results = behind + only(&words, is_vector)?;
        Some(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_lies_behind_a_tensor_is_not_taken_for_a_part_of_it() {
        const KEYS: usize = 0x1_2345;
        let storage: [usize; STORAGE] = [0, 1, 0x5000, 0, 0x5000, CPU as usize, 420, 0];
        let of = |sizes: [usize; 3], offset: usize, behind: [usize; 3]| {
            let [first, second, third] = sizes;
            let elements = first * second * third;
            let mut words = vec![9, 1, storage.as_ptr() as usize, 0, 0, 0, 0, 0];
            words.extend([3, first, second, third, 0, 0, 35, 7, 1, 0, 0]);
            words.extend([offset, elements, FLOAT32 as usize, KEYS]);
            words.extend(behind);
            words
        };
        // Beside the tensor lies its data, which is 0, and beside the view a list that begins with the number that is its offset.
        let tensor = of([3, 5, 7], 0, [0, 0, 0]);
        let view = of([2, 5, 7], 35, [0x31, 35, 7]);
        let known = Known {
            tensor: tensor.as_ptr() as usize,
            other: 0,
            view: view.as_ptr() as usize,
            storage: storage.as_ptr() as usize,
            data: 0x5000,
            bytes: 420,
            sizes: vec![3, 5, 7],
            strides: vec![35, 7, 1],
            offset: 35,
            integer: 0,
            float: 0.0,
            text: String::new(),
            element: 0,
            keys: KEYS as u64,
            odd: 0,
        };
        let memory = crate::memory::Checked::open().expect("the memory of this process");
        let mut layout = Layout::default();
        assert_eq!(layout.learn_objects(&memory, &known), Some(()));
        assert_eq!((layout.object.offset, layout.object.keys), (8 * 19, 8 * 22));
    }

    #[test]
    fn a_pattern_must_be_there_once() {
        let words = [1, 2, 3, 2];
        assert_eq!(only(&words, |at| at[0] == 3), Some(16));
        assert_eq!(only(&words, |at| at[0] == 2), None);
        assert_eq!(only(&words, |at| at[0] == 7), None);
    }
}
