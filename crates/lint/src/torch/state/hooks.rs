//! Hooks: what modules, tensors and optimizers call by themselves.

use std::rc::Rc;

use super::event::Event;
use super::object::Own;
use crate::interp::Args;
use crate::interp::value::{CellId, Value};
use crate::site::Site;
use crate::syntax::ast::TextRange;
use crate::torch::{Cell, Interp, Kind};

/// When a hook is called.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum When {
    /// Before a module's `forward`, or an optimizer's step.
    Before,
    /// After it.
    After,
    /// When the gradient of a tensor is there.
    Gradient,
    /// When it was added to `.grad`.
    AccumulatedGradient,
}

/// A hook that was registered.
#[derive(Clone, Debug)]
pub(crate) struct Hook<'p> {
    pub(crate) when: When,
    pub(super) callback: Value<'p>,
    /// Whether it wants the arguments with names, too.
    with_named: bool,
    /// How many unknown conditions led to its registration.
    doubt: u32,
}

/// The field of an object that has its hooks.
const HOOKS: &str = "<hooks>";
/// The field of a hook that was removed, or may have been.
pub(super) const REMOVED: &str = "<removed>";

impl<'p> Interp<'p> {
    /// The hook that a call registers, not yet on anything: its handle.
    pub(super) fn new_hook(
        &mut self,
        when: When,
        args: &Args<'p>,
        range: TextRange,
    ) -> Option<CellId> {
        let hook = Hook {
            when,
            callback: args.get(0, "hook")?.clone(),
            with_named: args.name("with_kwargs").and_then(Value::truth) == Some(true),
            doubt: self.doubt(),
        };
        let site = self.site(range);
        self.new_object(Kind::Library(Own::Hook(Rc::new(hook))), site)
            .cell()
    }

    /// Registers a hook on an object: its handle.
    pub(crate) fn hook_object(
        &mut self,
        object: CellId,
        when: When,
        args: &Args<'p>,
        range: TextRange,
    ) -> Value<'p> {
        let Some(handle) = self.new_hook(when, args, range) else {
            return Value::Unknown;
        };
        let known = self.heap.object(object);
        let known = known.and_then(|it| it.fields.get(HOOKS));
        let list = match known {
            Some(list) => list.clone(),
            None => self.new_list(Vec::new(), false),
        };
        if let Value::List(list) = &list
            && let Cell::List(list) = self.heap.edit(*list)
        {
            list.items.push(Value::Object(handle));
        }
        if let Some(object) = self.heap.object_mut(object) {
            object.fields.insert(Rc::from(HOOKS), list);
        }
        Value::Object(handle)
    }

    /// `handle.remove()`.
    pub(crate) fn remove_hook(&mut self, handle: CellId) {
        if let Some(object) = self.heap.object_mut(handle) {
            let removed = Value::Bool(Some(true));
            object.fields.insert(Rc::from(REMOVED), removed);
        }
    }

    /// The hooks of an object, by their handles.
    fn hooks_of(&self, object: CellId) -> Vec<CellId> {
        let hooks = self.heap.object(object).and_then(|it| it.fields.get(HOOKS));
        let Some(Value::List(list)) = hooks else {
            return Vec::new();
        };
        let handles = self.heap.list(*list).into_iter().flat_map(|it| &it.items);
        handles
            .filter_map(|handle| match handle {
                Value::Object(handle) => Some(*handle),
                _ => None,
            })
            .collect()
    }

    /// Where an object got a hook that its calls certainly run.
    pub(crate) fn hook_of_calls(&self, object: CellId) -> Option<Site> {
        let is_run = |it: &CellId| {
            self.hook(*it)
                .is_some_and(|it| matches!(it.when, When::Before | When::After) && it.doubt == 0)
        };
        let handle = self.hooks_of(object).into_iter().find(is_run)?;
        Some(self.heap.object(handle)?.made)
    }

    /// The hook of a handle, if it was not removed.
    pub(super) fn hook(&self, handle: CellId) -> Option<Rc<Hook<'p>>> {
        let object = self.heap.object(handle)?;
        match &object.kind {
            Kind::Library(Own::Hook(hook)) if !object.fields.contains_key(REMOVED) => {
                Some(Rc::clone(hook))
            }
            _ => None,
        }
    }

    /// Calls a hook.
    pub(super) fn call_hook(
        &mut self,
        hook: &Hook<'p>,
        args: Vec<Value<'p>>,
        range: TextRange,
    ) -> Value<'p> {
        let call = |it: &mut Self| it.call(&hook.callback, Args::of(args), range);
        if hook.doubt > 0 {
            self.in_doubt(call)
        } else {
            call(self)
        }
    }

    /// Follows what an object does when it is called, and the hooks around it.
    pub(crate) fn with_hooks(
        &mut self,
        object: CellId,
        mut args: Args<'p>,
        range: TextRange,
        body: impl FnOnce(&mut Self, Args<'p>) -> Value<'p>,
    ) -> Value<'p> {
        self.emit(Event::ModuleCalled { module: object });
        let itself = Value::Object(object);
        let before = self.hooks_of(object);
        for hook in before
            .iter()
            .filter_map(|it| self.hook(*it))
            .collect::<Vec<_>>()
        {
            if hook.when == When::Before {
                let passed = self.passed(&itself, &hook, &args);
                let changed = self.call_hook(&hook, passed, range);
                self.change_arguments(&mut args, changed);
            }
        }
        let mut result = body(self, args.clone());
        for handle in self.hooks_of(object) {
            let Some(hook) = self.hook(handle) else {
                continue;
            };
            if hook.when == When::After {
                let mut passed = self.passed(&itself, &hook, &args);
                passed.push(result.clone());
                let changed = self.call_hook(&hook, passed, range);
                if matches!(
                    changed,
                    Value::Extension(_) | Value::List(_) | Value::Dict(_)
                ) {
                    result = changed;
                }
            }
        }
        result
    }

    /// What is passed to a hook: the object, the arguments of its call, and those with names if it wants them.
    fn passed(&mut self, object: &Value<'p>, hook: &Hook<'p>, args: &Args<'p>) -> Vec<Value<'p>> {
        let positional = self.new_list(args.positional.clone(), !args.open);
        let mut passed = vec![object.clone(), positional];
        if hook.with_named {
            let named = args.named.iter().cloned().collect();
            passed.push(Value::Dict(self.heap.add(Cell::Dict(named))));
        }
        passed
    }

    /// What a hook before a call gives takes the place of the call's arguments.
    fn change_arguments(&mut self, args: &mut Args<'p>, changed: Value<'p>) {
        match changed {
            Value::Extension(_) => args.positional = vec![changed],
            Value::List(list) => match self.heap.list(list) {
                Some(list) if list.exact => args.positional.clone_from(&list.items),
                _ => args.open = true,
            },
            _ => {}
        }
    }
}
