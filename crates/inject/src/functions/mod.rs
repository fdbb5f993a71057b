//! The driver's functions that are watched.
//!
//! Numbers are those of `cupti_driver_cbid.h`, parameters those of `generated_cuda_meta.h`, both of CUDA 13.0. The headers
//! of CUDA 12.4 and 12.8 agree in all that they have.
#![expect(unsafe_code, reason = "reads the parameters that CUPTI describes")]

mod events;
mod graph_building;
mod graphs;
mod memory;
mod shape;
mod site;
mod streams;
mod work;

use cgsan_model::Call;

pub use graph_building::bodies;
pub use graphs::instantiation;
pub use site::{Site, stream_of};
pub use streams::{BEGIN_CAPTURE, EXCHANGE_MODE, EXTERNAL, mode_to_exchange};
pub use work::launched;

/// A watched function, with its variant for per-thread default streams if it has one.
#[derive(Clone, Copy, Debug)]
pub struct Function {
    /// The number that CUPTI has for it.
    pub id: u32,
    /// The number of the variant in which stream 0 is the calling thread's own (`_ptsz`, `_ptds`); 0 if there is none.
    pub own_stream_id: u32,
    /// Its name.
    pub name: &'static str,
    /// When it is watched.
    pub when: When,
    /// Reads the call from the parameters, at its end.
    pub read: fn(&Site) -> Call,
}

/// When a function is watched.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum When {
    /// Always: what it says is needed when a capture comes, and it is called seldom.
    Always,
    /// While something captures.
    Capturing,
    /// While something captures; and outside, where it shows the work before a capture, the first so many times.
    AtFirst,
    /// While something captures, and once something has: it can then be refused for what was captured.
    OnceCaptured,
}

/// Lists functions: when, number (and number of the variant for per-thread default streams), name, the structure of
/// its parameters, and the call.
macro_rules! functions {
    ($($when:ident $id:literal $(/ $own:literal)? $name:ident($site:tt, $parameters:tt: $shape:ty) => $call:expr;)*) => {
        &[$($crate::functions::Function {
            id: $id,
            own_stream_id: 0 $(+ $own)?,
            name: stringify!($name),
            when: $crate::functions::When::$when,
            read: |site| {
                // SAFETY: the header declares parameters of this shape for the function of this number.
                let parameters = unsafe { site.parameters::<$shape>() };
                let ($site, $parameters) = (site, &parameters);
                $call
            },
        }),*]
    };
}
use functions;

/// Every list.
const LISTS: [&[Function]; 6] = [
    streams::FUNCTIONS,
    events::FUNCTIONS,
    graphs::FUNCTIONS,
    graph_building::FUNCTIONS,
    memory::FUNCTIONS,
    work::FUNCTIONS,
];

/// All of them.
pub fn all() -> impl Iterator<Item = &'static Function> {
    LISTS.into_iter().flatten()
}

/// More than there are numbers.
const MOST: usize = 1024;

/// By number: the list and the place in it, plus one, and whether it is the variant for per-thread default streams.
const BY_ID: [(u8, u8, bool); MOST] = {
    let mut table = [(0, 0, false); MOST];
    let mut list = 0;
    while list < LISTS.len() {
        let mut at = 0;
        while at < LISTS[list].len() {
            let function = &LISTS[list][at];
            #[allow(clippy::cast_possible_truncation, reason = "no list has 255 functions")]
            let place = (list as u8, at as u8 + 1);
            table[function.id as usize] = (place.0, place.1, false);
            if function.own_stream_id != 0 {
                table[function.own_stream_id as usize] = (place.0, place.1, true);
            }
            at += 1;
        }
        list += 1;
    }
    table
};

/// The function of a number, and whether stream 0 means the calling thread's own in it.
#[inline]
pub fn find(id: u32) -> Option<(&'static Function, bool)> {
    static TABLE: [(u8, u8, bool); MOST] = BY_ID;
    let (list, place, own_stream) = *TABLE.get(id as usize)?;
    let function = &LISTS[list as usize][place.checked_sub(1)? as usize];
    Some((function, own_stream))
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn each_number_stands_for_one_function() {
        let mut seen = BTreeSet::new();
        for function in all() {
            for id in [function.id, function.own_stream_id] {
                assert!(id == 0 || seen.insert(id), "{id}: {}", function.name);
            }
            let (found, own_stream) = find(function.id).unwrap();
            assert_eq!((found.id, own_stream), (function.id, false));
        }
        assert!(find(0).is_none() && find(1023).is_none() && find(u32::MAX).is_none());
    }
}
