//! All that an operator is given and gives back, for those who compute it: more than a record of it needs.

use super::abi::{self, Running};
use super::layout::{INLINE_SIZES, Layout, TAG, VALUE, held_complex, held_text};
use crate::memory::Memory;

/// `c10::DeviceType`.
const CPU: u8 = 0;
const CUDA: u8 = 1;

/// More dimensions than any tensor has that an operator computes with.
const MOST_DIMENSIONS: usize = 64;
/// More values than any operator has as arguments or results.
const MOST_VALUES: usize = 256;
/// More elements than any list has that is handed to an operator, such as the parameters of a model.
const LONGEST_LIST: usize = 1 << 20;

/// A value that an operator is given, or gives back.
#[derive(Debug, PartialEq)]
pub enum Given {
    /// `None`, or an undefined tensor.
    Absent,
    /// A truth value.
    Bool(bool),
    /// A whole number.
    Integer(i64),
    /// A number with a fraction.
    Float(f64),
    /// A tensor whose elements lie in its storage as they are.
    Tensor(Tensor),
    /// A list, or a tuple.
    List(Vec<Given>),
    /// A tensor that keeps its elements in another way, as an object of Python's: an owned reference.
    Object(Object),
    /// A complex number: its real part and its imaginary one.
    Complex([f64; 2]),
    /// A text.
    Text(String),
    /// A generator, a device or anything else: what the value of PyTorch's holds, most often an address.
    Other(usize),
}

/// A tensor whose elements lie in a storage.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Tensor {
    /// The first byte of its storage; 0 where it is known by what it [held](Tensor::held).
    pub address: usize,
    /// The size of its storage in bytes.
    pub bytes: usize,
    /// Where in the storage it begins, in elements.
    pub offset: usize,
    /// Whether it lies in the memory of a GPU.
    pub on_gpu: bool,
    /// Its dtype, as PyTorch numbers them (`c10::ScalarType`).
    pub dtype: u8,
    /// Its sizes and then its strides, in elements, outermost dimension first.
    pub shape: Vec<i64>,
    /// What a tensor without dimensions held in the host's memory when the operator was called: such are Python's numbers.
    pub held: Option<[u8; 16]>,
}

/// An owned reference to an object of Python's.
#[derive(Debug, PartialEq)]
pub struct Object(std::ptr::NonNull<std::ffi::c_void>);

// SAFETY: a reference may be handed from thread to thread; it is used only by who holds the interpreter.
#[expect(unsafe_code, reason = "the object is Python's")]
unsafe impl Send for Object {}

impl Object {
    pub(super) fn new(object: std::ptr::NonNull<std::ffi::c_void>) -> Object {
        Object(object)
    }

    /// Where it lies.
    pub fn address(&self) -> *mut std::ffi::c_void {
        self.0.as_ptr()
    }

    /// Hands the reference over.
    pub fn into_raw(self) -> *mut std::ffi::c_void {
        self.0.as_ptr()
    }
}

/// Reads values by a layout.
pub struct Reader<'a, M> {
    pub layout: &'a Layout,
    pub memory: &'a M,
    /// Gives the calling thread the interpreter, if it can: `false` if it cannot.
    pub enter: &'a dyn Fn() -> bool,
}

impl<M: Memory> Reader<'_, M> {
    /// The arguments of an operator at its beginning.
    pub fn arguments(&self, operator: Running) -> Vec<Given> {
        let at = operator.address() + self.layout.operator.arguments;
        let begin = self.memory.number::<usize>(at).unwrap_or(0);
        let count = self.memory.number::<usize>(at + 8).unwrap_or(0);
        self.array(begin, count.min(MOST_VALUES))
    }

    /// The results of an operator at its end.
    pub fn results(&self, operator: Running) -> Vec<Given> {
        let (begin, count) = self.vector(operator.address() + self.layout.operator.results);
        self.array(begin, count.min(MOST_VALUES))
    }

    /// Where the tensors among its results lie, and none for each other result; of lists, the elements.
    pub fn result_places(&self, operator: Running) -> Vec<Option<usize>> {
        let (begin, count) = self.vector(operator.address() + self.layout.operator.results);
        self.places(begin, count.min(MOST_VALUES))
    }

    fn places(&self, begin: usize, count: usize) -> Vec<Option<usize>> {
        let tags = &self.layout.tags;
        let place = |index: usize| {
            let at = begin + VALUE * index;
            let tag = self.memory.number::<u32>(at + TAG);
            let word = self.memory.number::<usize>(at).unwrap_or(0);
            if tag == Some(tags.list) && word != 0 {
                let (begin, count) = self.vector(word + self.layout.object.elements);
                return self.places(begin, count.min(LONGEST_LIST));
            }
            let is_there = tag == Some(tags.tensor) && !is_undefined(word);
            vec![is_there.then_some(at)]
        };
        (0..count).flat_map(place).collect()
    }

    fn vector(&self, at: usize) -> (usize, usize) {
        let begin = self.memory.number::<usize>(at).unwrap_or(0);
        let end = self.memory.number::<usize>(at + 8).unwrap_or(0);
        (begin, end.saturating_sub(begin) / VALUE)
    }

    fn array(&self, begin: usize, count: usize) -> Vec<Given> {
        if begin == 0 {
            return Vec::new();
        }
        (0..count)
            .map(|index| self.value(begin + VALUE * index))
            .collect()
    }

    fn value(&self, at: usize) -> Given {
        let tags = &self.layout.tags;
        let Some(tag) = self.memory.number::<u32>(at + TAG) else {
            return Given::Absent;
        };
        let word = self.memory.number::<usize>(at).unwrap_or(0);
        match tag {
            _ if tag == tags.tensor && is_undefined(word) => Given::Absent,
            _ if tag == tags.tensor => self
                .tensor(word)
                .map_or_else(|| self.object(at), Given::Tensor),
            _ if tag == tags.integer => Given::Integer(word.cast_signed() as i64),
            _ if tag == tags.float => Given::Float(f64::from_bits(word as u64)),
            _ if tag == tags.boolean => Given::Bool(word & 0xff != 0),
            _ if tag == tags.none => Given::Absent,
            _ if tag == tags.list && word != 0 => {
                let (begin, count) = self.vector(word + self.layout.object.elements);
                Given::List(self.array(begin, count.min(LONGEST_LIST)))
            }
            _ if tag == tags.text && word != 0 => {
                let at = word + self.layout.object.elements;
                held_text(self.memory, at).map_or(Given::Absent, Given::Text)
            }
            _ if tag == tags.complex && word != 0 => {
                let at = word + self.layout.object.elements;
                held_complex(self.memory, at).map_or(Given::Absent, Given::Complex)
            }
            _ => Given::Other(word),
        }
    }

    fn object(&self, at: usize) -> Given {
        if !(self.enter)() {
            return Given::Absent;
        }
        // SAFETY: a value that is a tensor begins with it, and `enter` gave this thread the interpreter.
        #[expect(unsafe_code, reason = "a tensor is wrapped in an object")]
        let object = unsafe { abi::object(at) };
        object.map_or(Given::Absent, |it| Given::Object(Object::new(it)))
    }

    /// A tensor whose elements lie in its storage as they are; `None` for one that keeps them in other ways.
    fn tensor(&self, tensor: usize) -> Option<Tensor> {
        let (memory, object) = (self.memory, &self.layout.object);
        let keys: u64 = memory.number(tensor + object.keys)?;
        let storage: usize = memory.number(tensor + object.storage)?;
        if keys & object.odd != 0 || storage == 0 {
            return None;
        }
        let address: usize = memory.number(storage + object.data)?;
        let device: u8 = memory.number(storage + object.device)?;
        let dimensions: usize = memory.number(tensor + object.dimensions)?;
        if !matches!(device, CPU | CUDA) || dimensions > MOST_DIMENSIONS {
            return None;
        }
        let inline = tensor + object.dimensions + 8;
        let (sizes, strides) = if dimensions <= INLINE_SIZES {
            (inline, inline + 8 * INLINE_SIZES)
        } else {
            let sizes: usize = memory.number(inline)?;
            (sizes, sizes + 8 * dimensions)
        };
        let number = |at: usize| memory.number::<i64>(at);
        let shape = (0..dimensions)
            .map(|index| number(sizes + 8 * index))
            .chain((0..dimensions).map(|index| number(strides + 8 * index)))
            .collect::<Option<Vec<i64>>>()?;
        let dtype: u8 = memory.number(tensor + object.dtype)?;
        let offset: usize = memory.number(tensor + object.offset)?;
        let bytes: usize = memory.number(storage + object.bytes)?;
        let held = (device == CPU && dimensions == 0)
            .then(|| self.held(address, bytes, offset, dtype))
            .flatten();
        Some(Tensor {
            // A number of Python's lies elsewhere at each call, and is known by what it held.
            address: if held.is_some() { 0 } else { address },
            bytes,
            offset,
            on_gpu: device == CUDA,
            dtype,
            shape,
            held,
        })
    }

    /// The bytes of the only element of a tensor.
    fn held(&self, address: usize, bytes: usize, offset: usize, dtype: u8) -> Option<[u8; 16]> {
        let size = usize::from(cgsan_trace::element_bytes(dtype)?);
        let start = offset.checked_mul(size)?;
        if start.checked_add(size)? > bytes {
            return None;
        }
        let mut held = [0; 16];
        self.memory
            .bytes(address.checked_add(start)?, &mut held[..size])?;
        Some(held)
    }
}

/// Whether a tensor is undefined, as what a mask leaves out of a backward pass is: there is one such object.
fn is_undefined(tensor: usize) -> bool {
    tensor == 0 || abi::functions().is_some_and(|it| it.undefined == Some(tensor))
}
