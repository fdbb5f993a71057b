//! Kernels that Python launches past PyTorch's operators, as the agent tells of them: they are recorded as operators are.

use std::cell::Cell;
use std::collections::BTreeMap;
use std::ffi::{CStr, CString};
use std::sync::atomic::Ordering;
use std::sync::{Mutex, PoisonError};

use cgsan_trace::{Argument, TRITON, TensorRecord};
use serde::Deserialize;
use serde::de::IgnoredAny;

use super::open::{self, Begun};
use super::{ON, STATE, follow};
use crate::state;

static NAMES: Names = Names::new(TRITON, c"triton::kernel");
/// So many names are kept, after which kernels have none of their own.
const MOST_NAMES: usize = 10_000;

/// The names of kernels, which live as long as the process.
pub(super) struct Names {
    namespace: &'static str,
    known: Mutex<BTreeMap<String, &'static CStr>>,
    /// What those are called beyond the limit.
    nameless: &'static CStr,
}

/// What names the first kernel of a thread until it has ended; operators have addresses, which are lower.
const FIRST: usize = usize::MAX;

/// Bits of what a kernel does through a pointer.
const READS: u8 = 1;
const WRITES: u8 = 2;

thread_local! {
    static NEXT: Cell<usize> = const { Cell::new(FIRST) };
}

/// A launch as the agent tells of it.
#[derive(Deserialize)]
struct Launch {
    name: String,
    arguments: Vec<Told>,
}

/// An argument of a launch.
#[derive(Deserialize)]
#[serde(untagged)]
enum Told {
    Absent(()),
    Bool(bool),
    Integer(i64),
    Float(f64),
    Tensor(TensorRecord),
    List(Vec<Told>),
    Other(IgnoredAny),
}

/// Whether launches are recorded just now.
pub fn are_taken() -> bool {
    STATE.load(Ordering::Relaxed) == ON && state::is_recording() && !follow::are_unrecorded()
}

/// A kernel is about to be launched in the calling thread. What names it until that has happened; 0 if it is not recorded.
pub fn begins(json: &str) -> u64 {
    if !are_taken() {
        return 0;
    }
    let Ok(Launch { name, arguments }) = serde_json::from_str(json) else {
        return 0;
    };
    let operator = fresh();
    open::begin(Begun {
        operator,
        name: NAMES.of(&name),
        arguments: arguments.into_iter().map(Told::argument).collect(),
        written: false,
        works: false,
    });
    operator as u64
}

/// It was launched. `known` has what it does through each of its pointers, in their order; `None` where that is not known.
pub fn ends(operator: u64, known: Option<&[u8]>) {
    ended(operator, |given| written(given, known));
}

/// It was launched, reads the tensors that it was given, and gave others, a list in JSON.
pub fn gave(operator: u64, json: &str) {
    let results: Vec<Told> = serde_json::from_str(json).unwrap_or_default();
    ended(operator, |_| {
        results.into_iter().map(Told::argument).collect()
    });
}

/// The end of a launch, with what it gives in return for its arguments.
fn ended(operator: u64, results: impl FnOnce(&[Argument]) -> Vec<Argument>) {
    let Some(ended) = usize::try_from(operator).ok().and_then(open::end) else {
        return;
    };
    if ended.begun.written || ended.outermost {
        let results = results(&ended.begun.arguments);
        state::with(|recorder| recorder.operator_ended(&ended.begun, results));
    }
}

/// The tensors that a kernel writes. Where nothing is known of one, it may do all.
fn written(arguments: &[Argument], known: Option<&[u8]>) -> Vec<Argument> {
    let mut tensors = Vec::new();
    open::tensors(arguments, &mut |tensor| tensors.push(tensor));
    let known = known.filter(|known| known.len() == tensors.len());
    let does = |place: usize| known.map_or(READS | WRITES, |known| known[place]);
    let written = tensors
        .into_iter()
        .enumerate()
        .filter_map(|(place, tensor)| {
            let does = does(place);
            match (does & READS != 0, does & WRITES != 0) {
                (_, false) => None,
                (false, true) => Some(Argument::Tensor(tensor.clone())),
                (true, true) => Some(Argument::Changed(tensor.clone())),
            }
        });
    written.collect()
}

impl Told {
    fn argument(self) -> Argument {
        match self {
            Self::Absent(()) => Argument::Absent,
            Self::Bool(value) => Argument::Bool(value),
            Self::Integer(value) => Argument::Integer(value),
            Self::Float(value) => Argument::Float(value),
            Self::Tensor(tensor) => Argument::Tensor(tensor),
            Self::List(elements) => {
                Argument::List(elements.into_iter().map(Self::argument).collect())
            }
            Self::Other(_) => Argument::Other,
        }
    }
}

impl Names {
    pub(super) const fn new(namespace: &'static str, nameless: &'static CStr) -> Names {
        Names {
            namespace,
            known: Mutex::new(BTreeMap::new()),
            nameless,
        }
    }

    /// A kernel's name with its namespace.
    pub(super) fn of(&self, name: &str) -> &'static CStr {
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = known.get(name) {
            return known;
        }
        match CString::new(format!("{}::{name}", self.namespace)) {
            Ok(text) if known.len() < MOST_NAMES => {
                // Never freed: what has begun refers to it, in whichever thread.
                let text: &'static CStr = Box::leak(text.into_boxed_c_str());
                known.insert(name.to_owned(), text);
                text
            }
            _ => self.nameless,
        }
    }
}

/// What names a kernel of this thread until it has ended.
pub(super) fn fresh() -> usize {
    NEXT.with(|next| next.replace(next.get().wrapping_sub(1)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn arguments(json: &str) -> Vec<Argument> {
        let launch: Launch = serde_json::from_str(json).unwrap();
        launch.arguments.into_iter().map(Told::argument).collect()
    }

    const TENSOR: &str =
        r#"{"address": 512, "bytes": 8, "offset": 1, "on_gpu": true, "dtype": 6, "sizes": [1]}"#;

    #[test]
    fn an_argument_is_what_it_was_told_as() {
        let json = format!(
            r#"{{"name": "k", "arguments": [null, true, -2, 0.5, {TENSOR}, [{TENSOR}, 3], {{}}]}}"#
        );
        let given = arguments(&json);
        let tensor = TensorRecord {
            address: 512,
            bytes: 8,
            offset: 1,
            on_gpu: true,
            dtype: 6,
            sizes: vec![1],
        };
        let wanted = [
            Argument::Absent,
            Argument::Bool(true),
            Argument::Integer(-2),
            Argument::Float(0.5),
            Argument::Tensor(tensor.clone()),
            Argument::List(vec![Argument::Tensor(tensor), Argument::Integer(3)]),
            Argument::Other,
        ];
        assert_eq!(given, wanted);
    }

    #[test]
    fn what_a_kernel_writes_are_its_results() {
        let json = format!(r#"{{"name": "k", "arguments": [{TENSOR}, 7, {TENSOR}, [{TENSOR}]]}}"#);
        let given = arguments(&json);
        let kinds = |known: Option<&[u8]>| {
            let results = written(&given, known);
            let changes = |it: &Argument| matches!(it, Argument::Changed(_));
            results.iter().map(changes).collect::<Vec<_>>()
        };
        assert_eq!(kinds(Some(&[READS, WRITES, READS | WRITES])), [false, true]);
        assert_eq!(kinds(Some(&[0, 0, 0])), [true; 0]);
        assert_eq!(kinds(None), [true; 3], "it may do all");
        assert_eq!(
            kinds(Some(&[READS])),
            [true; 3],
            "these are not its pointers"
        );
    }

    #[test]
    fn a_name_is_kept_once() {
        let name = NAMES.of("one_of_the_tests");
        assert_eq!(name, c"triton::one_of_the_tests");
        assert!(std::ptr::eq(name, NAMES.of("one_of_the_tests")));
        assert_eq!(NAMES.of("\0"), c"triton::kernel");
    }
}
