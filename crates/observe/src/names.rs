//! The names of the kernels that were launched.
//!
//! A forked child starts its trace anew and needs them again. A thread of the parent may have been anywhere when the
//! fork happened, so they are kept in a list that is whole at every moment.
#![expect(unsafe_code, reason = "calls the C++ runtime")]

use std::ptr;
use std::sync::atomic::{AtomicPtr, Ordering};

use cgsan_model::FunctionId;

static LAST: AtomicPtr<Named> = AtomicPtr::new(ptr::null_mut());

struct Named {
    function: FunctionId,
    name: Box<str>,
    earlier: *const Named,
}

/// Adds a name.
pub fn remember(function: FunctionId, name: &str) {
    let named = Box::into_raw(Box::new(Named {
        function,
        name: name.into(),
        earlier: ptr::null(),
    }));
    let mut last = LAST.load(Ordering::Acquire);
    loop {
        // SAFETY: nobody else knows this entry yet.
        unsafe { (*named).earlier = last };
        match LAST.compare_exchange_weak(last, named, Ordering::AcqRel, Ordering::Acquire) {
            Ok(_) => return,
            Err(now) => last = now,
        }
    }
}

/// All names, the latest first.
pub fn all() -> impl Iterator<Item = (FunctionId, &'static str)> {
    // SAFETY: an entry never changes once it is in the list, and is never freed.
    let entry = |entry: *const Named| unsafe { entry.as_ref() };
    std::iter::successors(
        entry(LAST.load(Ordering::Acquire)),
        move |named: &&Named| entry(named.earlier),
    )
    .map(|named: &'static Named| (named.function, &*named.name))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_name_is_remembered() {
        std::thread::scope(|scope| {
            for thread in 0..4 {
                scope.spawn(move || {
                    for kernel in 0..100 {
                        remember(
                            FunctionId(thread * 100 + kernel),
                            &format!("k{thread}_{kernel}"),
                        );
                    }
                });
            }
        });
        let mut names: Vec<_> = all().collect();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), 400);
        assert_eq!(names[101], (FunctionId(101), "k1_1"));
    }
}
