//! What the program has registered to be called later, by others than itself.

use super::value::Value;
use super::{Args, Event, Frame, Interp, Semantics};
use crate::project::FileId;
use crate::site::Site;

/// What is registered.
#[derive(Debug, Default)]
pub(crate) struct Registered<'p> {
    /// What signals call, by their names.
    pub(crate) signals: Vec<(Value<'p>, Value<'p>)>,
    /// What `atexit` will call.
    pub(crate) at_exit: Vec<(Value<'p>, Vec<Value<'p>>, Site)>,
}

impl<L: Semantics> Interp<'_, L> {
    /// Follows what was registered in a file, to be called later.
    pub(super) fn enter_registered(&mut self, file: FileId, body: impl FnOnce(&mut Self)) {
        let Some(scope) = self.modules.get(&file).copied() else {
            return;
        };
        self.frames
            .push(Frame::module(file, "<module>", scope, None, 0));
        body(self);
        self.frames.pop();
    }

    /// What the end of the program has to say.
    pub(super) fn end_of_program(&mut self) {
        L::program_ends(self);
        for (function, args, site) in std::mem::take(&mut self.registered.at_exit)
            .into_iter()
            .rev()
        {
            self.enter_registered(site.file, |it| {
                it.call(&function, Args::of(args), site.range);
            });
        }
        self.emit(Event::ProgramEnds);
    }
}
