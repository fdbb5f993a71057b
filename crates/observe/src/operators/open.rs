//! The operators that the calling thread is inside of.
//!
//! An operator is written to the trace when the first thing happens inside it that is worth a record, so that views and
//! wrappers cost little.

use super::groups;
use std::cell::RefCell;
use std::ffi::CStr;

use cgsan_trace::{Argument, TensorRecord};

/// An operator that has begun.
#[derive(Debug)]
pub struct Begun {
    /// What names it until it ends.
    pub operator: usize,
    /// Its name.
    pub name: &'static CStr,
    /// What it was given.
    pub arguments: Vec<Argument>,
    /// Whether its beginning is in the trace.
    pub written: bool,
    /// Whether it enqueued work of a capture itself.
    pub works: bool,
}

impl Begun {
    /// Whether it is an operator of a process group, whatever memory its tensors lie in.
    pub fn is_of_group(&self) -> bool {
        self.name.to_bytes().starts_with(groups::NAMESPACE)
    }

    /// Where the storages begin that it gave new contents, if it was given them: what it was to write its results to. PyTorch's
    /// in-place operators, whose names end like that, go on with what is there.
    pub fn overwritten(&self, results: &[Argument]) -> Vec<u64> {
        let mut found = Vec::new();
        if !self.name.to_bytes().ends_with(b"_") {
            tensors(results, &mut |it| found.push(it.address));
        }
        found
    }
}

/// An operator that has ended.
pub struct Ended {
    /// Its beginning.
    pub begun: Begun,
    /// Whether no other operator called it.
    pub outermost: bool,
}

thread_local! {
    static OPEN: RefCell<Vec<Begun>> = const { RefCell::new(Vec::new()) };
}

/// The operator that copies into a tensor that there is.
const COPY: &CStr = c"aten::copy_";

/// Deeper calls than this are not noted: composite operators call a handful, recursion through Python could call any number.
const DEEPEST: usize = 64;

/// An operator begins on the calling thread.
pub fn begin(begun: Begun) {
    let _ = OPEN.try_with(|open| {
        let Ok(mut open) = open.try_borrow_mut() else {
            return;
        };
        if open.len() < DEEPEST {
            open.push(begun);
        }
    });
}

/// An operator ends. What began inside it and was never seen to end is forgotten.
pub fn end(operator: usize) -> Option<Ended> {
    OPEN.try_with(|open| {
        let mut open = open.try_borrow_mut().ok()?;
        let at = open.iter().rposition(|begun| begun.operator == operator)?;
        let begun = open.swap_remove(at);
        open.truncate(at);
        Some(Ended {
            begun,
            outermost: at == 0,
        })
    })
    .ok()
    .flatten()
}

/// Hands the operators that are open and not in the trace to `write`, outermost first.
pub fn unwritten(mut write: impl FnMut(&mut Begun)) {
    let _ = OPEN.try_with(|open| {
        let Ok(mut open) = open.try_borrow_mut() else {
            return;
        };
        for begun in open.iter_mut().filter(|begun| !begun.written) {
            write(begun);
            begun.written = true;
        }
    });
}

/// Whether the calling thread is inside of no operator.
pub fn is_none() -> bool {
    let is_none = |open: &RefCell<Vec<Begun>>| open.try_borrow().is_ok_and(|it| it.is_empty());
    OPEN.try_with(is_none).unwrap_or(false)
}

/// Whether an operator is open and not in the trace that was given such arguments.
pub fn any_unwritten(mut is: impl FnMut(&[Argument]) -> bool) -> bool {
    OPEN.try_with(|open| {
        let open = open.try_borrow().ok()?;
        let mut unwritten = open.iter().filter(|begun| !begun.written);
        Some(unwritten.any(|begun| is(&begun.arguments)))
    })
    .ok()
    .flatten()
    .unwrap_or(false)
}

/// Notes that the innermost open operator enqueued work of a capture.
pub fn innermost_works() {
    let _ = OPEN.try_with(|open| {
        if let Ok(mut open) = open.try_borrow_mut()
            && let Some(begun) = open.last_mut()
        {
            begun.works = true;
        }
    });
}

/// The storages that the innermost open operator was given.
pub fn innermost_storages(mut see: impl FnMut(u64, u64)) {
    let _ = OPEN.try_with(|open| {
        let Ok(open) = open.try_borrow() else { return };
        if let Some(begun) = open.last() {
            tensors(&begun.arguments, &mut |it| see(it.address, it.bytes));
        }
    });
}

/// The storage that the innermost open operator copies into, if it is a copy into a tensor that there is.
pub fn innermost_copied_into() -> Option<(u64, u64)> {
    OPEN.try_with(|open| {
        let open = open.try_borrow().ok()?;
        let begun = open.last().filter(|begun| begun.name == COPY)?;
        match begun.arguments.first()? {
            Argument::Tensor(tensor) => Some((tensor.address, tensor.bytes)),
            _ => None,
        }
    })
    .ok()
    .flatten()
}

/// Goes through the tensors among arguments, those in lists included.
pub fn tensors<'a>(arguments: &'a [Argument], see: &mut impl FnMut(&'a TensorRecord)) {
    for argument in arguments {
        match argument {
            Argument::Tensor(tensor) => see(tensor),
            Argument::List(elements) => tensors(elements, see),
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn begun(operator: usize) -> Begun {
        Begun {
            operator,
            name: c"aten::add",
            arguments: Vec::new(),
            written: false,
            works: false,
        }
    }

    #[test]
    fn operators_end_innermost_first_and_are_written_once() {
        begin(begun(1));
        begin(begun(2));
        let mut written = Vec::new();
        unwritten(|it| written.push(it.operator));
        unwritten(|it| written.push(it.operator));
        assert_eq!(written, [1, 2]);
        let inner = end(2).unwrap();
        assert!(inner.begun.written && !inner.outermost);
        assert!(end(1).unwrap().outermost);
        assert!(end(1).is_none());
    }

    #[test]
    fn what_never_ended_is_forgotten_with_what_called_it() {
        begin(begun(1));
        begin(begun(2));
        assert!(end(1).unwrap().outermost);
        assert!(end(2).is_none());
    }
}
