//! Objects of the project's classes that are made from PyTorch's or Python's own: the part of them that is theirs.

use std::rc::Rc;

use super::object::Kind;
use super::value::{CellId, Value};
use super::{Args, Interp};
use crate::syntax::ast::TextRange;

/// The field of an object that holds this part.
const INHERITED: &str = "<inherited>";

/// The classes whose part is followed, beside modules, threads and optimizers.
const FOLLOWED: [&str; 13] = [
    "contextlib.AsyncExitStack",
    "contextlib.ExitStack",
    "torch.amp.autocast",
    "torch.autocast",
    "torch.autograd.graph.saved_tensors_hooks",
    "torch.cuda.CUDAGraph",
    "torch.cuda.Event",
    "torch.cuda.Stream",
    "torch.cuda.StreamContext",
    "torch.cuda.graph",
    "torch.enable_grad",
    "torch.inference_mode",
    "torch.no_grad",
];

impl<'p> Interp<'p> {
    /// `super().__init__(...)` of a class from outside, or its own constructor where the project's class has none.
    pub(super) fn inherit(&mut self, object: CellId, args: &Args<'p>, range: TextRange) {
        let Some(Kind::Instance(class)) = self.heap.object(object).map(|it| it.kind.clone()) else {
            return;
        };
        let (_, outside, _) = self.lineage(class);
        let Some(base) = outside.into_iter().find(|it| is_followed(it)) else {
            return;
        };
        let part = self.semantics.call(self, &base, args, range);
        if let (Value::Object(_), Some(object)) = (&part, self.heap.object_mut(object)) {
            object.fields.insert(Rc::from(INHERITED), part);
        }
    }

    /// The part of an object that a class from outside made.
    pub(super) fn inherited(&self, object: CellId) -> Option<CellId> {
        match self.heap.object(object)?.fields.get(INHERITED)? {
            Value::Object(part) => Some(*part),
            _ => None,
        }
    }

    /// Arguments as functions from outside see them.
    pub(super) fn as_inherited(&self, mut args: Args<'p>) -> Args<'p> {
        let named = args.named.iter_mut().map(|(_, value)| value);
        for value in args.positional.iter_mut().chain(named) {
            if let Value::Object(cell) = value
                && let Some(part) = self.inherited(*cell)
            {
                *value = Value::Object(part);
            }
        }
        args
    }
}

fn is_followed(base: &str) -> bool {
    let is_optimizer = base.strip_prefix("torch.optim.").is_some_and(|name| {
        name != "Optimizer" && name.starts_with(|it: char| it.is_ascii_uppercase())
    });
    is_optimizer || FOLLOWED.contains(&base)
}
