//! Computing beneath what PyTorch does above an operator's kernel: the agent goes there, and leaves. That takes longer than many an
//! operator, so what is computed in a row goes there once.

use std::cell::RefCell;
use std::sync::OnceLock;

use super::interpreter::Inside;
use crate::ffi::python::{Object, Python, Uncompiled};

/// A function of the agent's that goes beneath, and returns what leaves.
static ENTER: OnceLock<Object> = OnceLock::new();

thread_local! {
    static ROW: RefCell<Row> = const { RefCell::new(Row::None) };
}

/// Whether the thread computes in a row.
#[derive(Default)]
enum Row {
    /// One by one.
    #[default]
    None,
    /// Nothing was computed yet, or not since it waited.
    Begun,
    Beneath(#[expect(dead_code, reason = "is there to be dropped")] Beneath),
}

/// The calling thread is beneath, and has the interpreter, until this is dropped.
///
/// Who has taken the interpreter last gives it back first: nobody in this thread had it since this was made and has it still when
/// this is dropped.
struct Beneath {
    leave: Option<Object>,
    uncompiled: Option<Uncompiled>,
    python: Python,
    /// The interpreter waits for it before it ends.
    _inside: Inside,
}

/// Goes beneath with this function of the agent's from now on.
pub fn enter_with(function: Object) {
    // The first one stays.
    let _ = ENTER.set(function);
}

/// Does what may compute values one after another.
pub fn in_a_row<R>(run: impl FnOnce() -> R) -> R {
    struct Ends;
    impl Drop for Ends {
        fn drop(&mut self) {
            set(Row::None);
        }
    }
    let _ends = (state() == State::None).then(|| {
        set(Row::Begun);
        Ends
    });
    run()
}

/// The thread is about to wait for others, who may need the interpreter.
pub fn pause() {
    if state() == State::Beneath {
        set(Row::Begun);
    }
}

/// Calls what computes values in its turn, which may be one of a row. Only for who is [inside](Inside).
pub fn in_turn<R>(call: impl FnOnce(&Python) -> R) -> Option<R> {
    if state() == State::Begun
        && let Some(entered) = Beneath::enter()
    {
        set(Row::Beneath(entered));
    }
    at_once(|| Some(call(&Python::enter()?)))
}

/// Calls what computes values. Only for who is [inside](Inside).
pub fn at_once<R>(call: impl FnOnce() -> R) -> R {
    // It is left when the call is over.
    let _alone = match state() {
        State::Beneath => None,
        State::None | State::Begun => Beneath::enter(),
    };
    call()
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum State {
    None,
    Begun,
    Beneath,
}

/// That of the calling thread; one that ends has no row.
fn state() -> State {
    let look = |row: &RefCell<Row>| match *row.borrow() {
        Row::None => State::None,
        Row::Begun => State::Begun,
        Row::Beneath(_) => State::Beneath,
    };
    ROW.try_with(look).unwrap_or(State::None)
}

fn set(row: Row) {
    // What was there calls Python when it is dropped, and so not under the borrow.
    drop(ROW.try_with(|it| it.replace(row)));
}

impl Beneath {
    fn enter() -> Option<Beneath> {
        let function = ENTER.get()?;
        let inside = Inside::again();
        let python = Python::enter()?;
        let uncompiled = python.uncompiled();
        Some(Beneath {
            leave: python.call_as_it_is(function, []),
            uncompiled: Some(uncompiled),
            python,
            _inside: inside,
        })
    }
}

impl Drop for Beneath {
    fn drop(&mut self) {
        if let Some(leave) = self.leave.take() {
            self.python
                .call_as_it_is(&leave, [(); 3].map(|()| self.python.none()));
        }
        drop(self.uncompiled.take());
    }
}
