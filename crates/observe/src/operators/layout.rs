//! Where PyTorch's objects keep what is read of them, found by looking.
//!
//! The agent calls operators whose arguments it knows, and each offset is where the known values are. An offset that is
//! not found, or found twice, ends the search: then operators are not observed.

use serde::Deserialize;

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
    /// Where in the storage the view begins, in elements.
    pub offset: usize,
    /// The whole number that `add` is given behind the two tensors.
    pub integer: usize,
    /// The fraction that it is given the second time.
    pub float: f64,
    /// The only element of the list that `sum` is given behind the tensor.
    pub element: usize,
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

impl Layout {
    /// Finds out about tensors and their storages.
    pub fn learn_objects(&mut self, memory: &impl Memory, known: &Known) -> Option<()> {
        let tensor = words(memory, known.tensor, TENSOR);
        let view = words(memory, known.view, TENSOR);
        let storage = words(memory, known.storage, STORAGE);
        let sizes: Vec<usize> = std::iter::once(known.sizes.len())
            .chain(known.sizes.iter().copied())
            .collect();
        let object = &mut self.object;
        object.storage = only(&tensor, |at| at[0] == known.storage)?;
        object.dimensions = only(&tensor, |at| at.starts_with(&sizes))?;
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
    fn a_pattern_must_be_there_once() {
        let words = [1, 2, 3, 2];
        assert_eq!(only(&words, |at| at[0] == 3), Some(16));
        assert_eq!(only(&words, |at| at[0] == 2), None);
        assert_eq!(only(&words, |at| at[0] == 7), None);
    }
}
