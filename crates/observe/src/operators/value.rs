//! Values that operators are given, read in place.

use cgsan_trace::{Argument, TensorRecord};

use super::host_results;
use super::layout::{INLINE_SIZES, Layout, TAG, VALUE};
use crate::memory::Memory;

/// How many elements of a list are read: foreach operators are given one for each parameter of a model.
const LONGEST_LIST: usize = 512;

/// How many sizes of a tensor are read.
const MOST_DIMENSIONS: usize = 8;

/// `c10::DeviceType`.
const CPU: u8 = 0;
const CUDA: u8 = 1;

/// `c10::ScalarType`.
const INT32: u8 = 3;
const INT64: u8 = 4;
const FLOAT32: u8 = 6;
const FLOAT64: u8 = 7;
const BOOL: u8 = 11;

/// The most values that an operator has as arguments or results.
const MOST_VALUES: usize = 128;

/// Reads values by a layout.
#[derive(Clone, Copy)]
pub struct Values<'a, M> {
    pub layout: &'a Layout,
    pub memory: &'a M,
}

impl<M: Memory> Values<'_, M> {
    /// The arguments of an operator at its beginning.
    pub fn arguments(&self, operator: usize) -> Vec<Argument> {
        let (begin, count) = self.given(operator);
        self.array(begin, count, true)
    }

    /// Where the arguments of an operator begin, and how many there are.
    fn given(&self, operator: usize) -> (usize, usize) {
        let at = operator + self.layout.operator.arguments;
        let begin = self.memory.number::<usize>(at).unwrap_or(0);
        let count = self.memory.number::<usize>(at + 8).unwrap_or(0);
        (begin, count.min(MOST_VALUES))
    }

    /// The payload of an argument of an operator at its beginning, whatever it is.
    pub fn word(&self, operator: usize, index: usize) -> Option<usize> {
        let (begin, _) = self.given(operator);
        (begin != 0)
            .then(|| self.memory.number(begin + VALUE * index))
            .flatten()
    }

    /// An element of a tensor in the host's memory that an operator changes in place is a place, and no number: `host[i] = 1.0`.
    pub fn keep_element(&self, operator: usize, arguments: &mut [Argument]) {
        let Some(first) = arguments.first_mut() else {
            return;
        };
        let is_number = matches!(
            first,
            Argument::Bool(_) | Argument::Integer(_) | Argument::Float(_)
        );
        let (begin, _) = self.given(operator);
        if !is_number
            || begin == 0
            || self.memory.number::<u32>(begin + TAG) != Some(self.layout.tags.tensor)
        {
            return;
        }
        let word = self.memory.number::<usize>(begin).unwrap_or(0);
        if let Some((tensor, _)) = self.tensor(word).filter(|(it, _)| !it.is_whole_storage()) {
            *first = Argument::Tensor(tensor);
        }
    }

    /// The results of an operator at its end.
    pub fn results(&self, operator: usize) -> Vec<Argument> {
        let at = operator + self.layout.operator.results;
        let (begin, count) = self.vector(at);
        self.array(begin, count.min(MOST_VALUES), true)
    }

    /// Where the objects of the storages lie of the tensors that an operator is given, those in lists included.
    pub fn storages(&self, operator: usize) -> Vec<usize> {
        let (begin, count) = self.given(operator);
        let mut storages = Vec::new();
        self.add_storages(begin, count, true, &mut storages);
        storages
    }

    fn add_storages(&self, begin: usize, count: usize, with_lists: bool, to: &mut Vec<usize>) {
        for at in (0..count).map(|index| begin + VALUE * index) {
            let (tags, object) = (&self.layout.tags, &self.layout.object);
            let tag = self.memory.number::<u32>(at + TAG).unwrap_or(0);
            let word = self.memory.number::<usize>(at).unwrap_or(0);
            if begin == 0 || word == 0 {
                continue;
            }
            if tag == tags.tensor {
                to.extend(self.memory.number::<usize>(word + object.storage));
            } else if tag == tags.list && with_lists {
                let (begin, count) = self.vector(word + object.elements);
                self.add_storages(begin, count.min(LONGEST_LIST), false, to);
            }
        }
    }

    /// Where the values of a `std::vector` of them begin, and how many there are.
    fn vector(&self, at: usize) -> (usize, usize) {
        let begin = self.memory.number::<usize>(at).unwrap_or(0);
        let end = self.memory.number::<usize>(at + 8).unwrap_or(0);
        (begin, end.saturating_sub(begin) / VALUE)
    }

    fn array(&self, begin: usize, count: usize, with_lists: bool) -> Vec<Argument> {
        if begin == 0 {
            return Vec::new();
        }
        (0..count)
            .map(|index| self.value(begin + VALUE * index, with_lists))
            .collect()
    }

    fn value(&self, at: usize, with_lists: bool) -> Argument {
        let tags = &self.layout.tags;
        let Some(tag) = self.memory.number::<u32>(at + TAG) else {
            return Argument::Other;
        };
        let word = self.memory.number::<usize>(at).unwrap_or(0);
        match tag {
            _ if tag == tags.tensor => self
                .tensor(word)
                .map_or(Argument::Absent, |(tensor, on_host)| {
                    self.number_or_tensor(tensor, on_host)
                }),
            _ if tag == tags.integer => Argument::Integer(word.cast_signed() as i64),
            _ if tag == tags.float => Argument::Float(f64::from_bits(word as u64)),
            _ if tag == tags.boolean => Argument::Bool(word & 0xff != 0),
            _ if tag == tags.none => Argument::Absent,
            _ if tag == tags.list && with_lists && word != 0 => {
                let (begin, count) = self.vector(word + self.layout.object.elements);
                Argument::List(self.array(begin, count.min(LONGEST_LIST), false))
            }
            _ => Argument::Other,
        }
    }

    /// A tensor; or the number that it is, if it has no dimensions and lies in the host's memory, where no graph writes: so most
    /// operators are given Python's numbers.
    fn number_or_tensor(&self, tensor: TensorRecord, on_host: bool) -> Argument {
        let is_number = on_host
            && tensor.sizes.is_empty()
            && !host_results::touches(tensor.address, tensor.bytes);
        let number = is_number.then(|| self.number(&tensor));
        number.flatten().unwrap_or(Argument::Tensor(tensor))
    }

    /// The element of a tensor in the host's memory.
    fn number(&self, tensor: &TensorRecord) -> Option<Argument> {
        let size: u64 = match tensor.dtype {
            BOOL => 1,
            INT32 | FLOAT32 => 4,
            INT64 | FLOAT64 => 8,
            _ => return None,
        };
        let start = tensor.offset.checked_mul(size)?;
        if start.checked_add(size)? > tensor.bytes {
            return None;
        }
        let at = usize::try_from(tensor.address.checked_add(start)?).ok()?;
        let memory = self.memory;
        Some(match tensor.dtype {
            BOOL => Argument::Bool(memory.number::<u8>(at)? != 0),
            INT32 => Argument::Integer(memory.number::<i32>(at)?.into()),
            INT64 => Argument::Integer(memory.number::<u64>(at)?.cast_signed()),
            FLOAT32 => Argument::Float(f32::from_bits(memory.number(at)?).into()),
            _ => Argument::Float(f64::from_bits(memory.number(at)?)),
        })
    }

    /// A tensor with memory, and whether that is the host's; `None` for one that is undefined, fake, or keeps its elements in other ways.
    fn tensor(&self, tensor: usize) -> Option<(TensorRecord, bool)> {
        let (memory, object) = (self.memory, &self.layout.object);
        let storage: usize = memory.number(tensor.checked_add(object.storage)?)?;
        if storage == 0 {
            return None;
        }
        let data: usize = memory.number(storage + object.data)?;
        if data == 0 {
            return None;
        }
        let bytes: usize = memory.number(storage + object.bytes)?;
        let offset: usize = memory.number(tensor + object.offset)?;
        let dimensions: usize = memory.number(tensor + object.dimensions)?;
        let inline = tensor + object.dimensions + 8;
        let sizes = if dimensions <= INLINE_SIZES {
            inline
        } else {
            memory.number(inline)?
        };
        let size = |index: usize| memory.number::<u64>(sizes + 8 * index);
        let device: u8 = memory.number(storage + object.device)?;
        let record = TensorRecord {
            address: data as u64,
            bytes: bytes as u64,
            offset: offset as u64,
            on_gpu: device == CUDA,
            dtype: memory.number(tensor + object.dtype)?,
            sizes: (0..dimensions.min(MOST_DIMENSIONS))
                .filter_map(size)
                .collect(),
        };
        Some((record, device == CPU))
    }
}
