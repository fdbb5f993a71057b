//! Process groups among the arguments of operators: objects that C++ wraps anew for each call, around an address that the agent
//! has told.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

use cgsan_trace::Argument;

use crate::memory::{Checked, Memory};

/// How operators on process groups begin.
pub(super) const NAMESPACE: &[u8] = b"c10d::";

/// How many words of a wrapper are searched for where it keeps the object (`c10::ivalue::Object`).
const WRAPPER: usize = 24;

/// The size of a value, which a wrapper's only slot is.
const VALUE: usize = 16;

/// The addresses of the groups of this process.
static GROUPS: Mutex<Vec<u64>> = Mutex::new(Vec::new());

/// Where in a wrapper its slots begin, plus one; 0 while that is not known.
static SLOTS: AtomicUsize = AtomicUsize::new(0);

/// A group was made.
pub fn add(address: u64) {
    let mut groups = GROUPS.lock().unwrap_or_else(PoisonError::into_inner);
    if address != 0 && !groups.contains(&address) {
        groups.push(address);
    }
}

/// Names the groups among the arguments of an operator on them. `value` is the word of each argument.
pub fn name(operator: &[u8], arguments: &mut [Argument], value: impl Fn(usize) -> Option<usize>) {
    if !operator.starts_with(NAMESPACE) {
        return;
    }
    let groups = GROUPS.lock().unwrap_or_else(PoisonError::into_inner);
    if groups.is_empty() {
        return;
    }
    // Nothing is known of what these words are, so they are not followed but through the kernel.
    let Ok(memory) = Checked::open() else { return };
    for (index, argument) in arguments.iter_mut().enumerate() {
        if *argument == Argument::Other
            && let Some(group) = value(index).and_then(|word| group_in(&memory, word, &groups))
        {
            *argument = Argument::Object(group);
        }
    }
}

/// The group that a wrapper is around.
fn group_in(memory: &impl Memory, wrapper: usize, groups: &[u64]) -> Option<u64> {
    let slot = |offset: usize| {
        let at = wrapper.checked_add(offset)?;
        let begin = memory.pointer(at, 0)?;
        let end = memory.pointer(at, 8)?;
        if end.checked_sub(begin) != Some(VALUE) {
            return None;
        }
        let object: u64 = memory.number(begin)?;
        groups.contains(&object).then_some(object)
    };
    if let Some(known) = SLOTS.load(Ordering::Relaxed).checked_sub(1) {
        return slot(known);
    }
    let (offset, group) = (0..WRAPPER).find_map(|word| Some((8 * word, slot(8 * word)?)))?;
    SLOTS.store(offset + 1, Ordering::Relaxed);
    Some(group)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_group_is_found_in_what_is_wrapped_around_it() {
        let group = 0x5500_0000_0100_u64;
        let slots = [group, 22];
        let begin = slots.as_ptr() as usize;
        let wrapper = [7, 1, 0, 0, 0, 0, begin, begin + VALUE, begin + VALUE];
        let word = wrapper.as_ptr() as usize;
        let mut arguments = [Argument::Other, Argument::Bool(true), Argument::Other];
        let words = [word, 1, 3];
        name(b"c10d::barrier", &mut arguments, |index| {
            words.get(index).copied()
        });
        assert_eq!(arguments[0], Argument::Other, "the group is not known yet");
        add(group);
        name(b"aten::add", &mut arguments, |index| {
            words.get(index).copied()
        });
        assert_eq!(arguments[0], Argument::Other, "it has no groups");
        for _ in 0..2 {
            let mut arguments = arguments.clone();
            name(b"c10d::barrier", &mut arguments, |index| {
                words.get(index).copied()
            });
            assert_eq!(arguments[0], Argument::Object(group));
            assert_eq!(arguments[2], Argument::Other);
        }
    }
}
