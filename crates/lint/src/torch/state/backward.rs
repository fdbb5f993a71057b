//! What a backward pass runs of the program: hooks, and the `backward` of its `torch.autograd.Function`s.

use std::collections::BTreeMap;
use std::rc::Rc;

use rustc_hash::FxHashSet;

use super::hooks::When;
use super::tensor::{Device, Tensor};
use crate::interp::Args;
use crate::interp::value::{CellId, Value};
use crate::site::Site;
use crate::syntax::ast::TextRange;
use crate::torch::Interp;

/// What runs when a backward pass comes to a tensor.
#[derive(Clone, Debug)]
pub(crate) struct Node<'p> {
    tensor: CellId,
    runs: Runs<'p>,
}

/// How many tensors a tensor is known to be made of.
const MOST_PARENTS: usize = 32;

/// What runs there.
#[derive(Clone, Debug)]
enum Runs<'p> {
    /// The hook of a handle; of a module's output, with the module.
    Hook(CellId, Option<CellId>),
    /// The `backward` of a `torch.autograd.Function`, with the context of its call.
    Function(Value<'p>, Value<'p>),
}

impl<'p> Interp<'p> {
    /// Registers a hook on a tensor: its handle.
    pub(crate) fn hook_tensor(
        &mut self,
        tensor: CellId,
        when: When,
        args: &Args<'p>,
        range: TextRange,
    ) -> Value<'p> {
        let Some(handle) = self.new_hook(when, args, range) else {
            return Value::Unknown;
        };
        let runs = Runs::Hook(handle, None);
        self.library.backward_nodes.push(Node { tensor, runs });
        Value::Object(handle)
    }

    /// The `backward` of a function runs when a backward pass comes to this tensor.
    pub(crate) fn differentiates(
        &mut self,
        tensor: CellId,
        backward: Value<'p>,
        context: Value<'p>,
    ) {
        let runs = Runs::Function(backward, context);
        self.library.backward_nodes.push(Node { tensor, runs });
    }

    /// Follows what a backward pass from these tensors runs.
    pub(crate) fn run_backward(&mut self, outputs: &Value<'p>, range: TextRange) {
        if self.library.backward_nodes.is_empty() {
            return;
        }
        let reached = self.differentiated(outputs);
        let nodes: Vec<_> = self
            .library
            .backward_nodes
            .iter()
            .rev()
            .filter(|node| self.is_reached(node.tensor, &reached))
            .cloned()
            .collect();
        let grad = std::mem::replace(&mut self.flow.grad, false);
        for node in nodes {
            self.run_node(&node, range);
        }
        self.flow.grad = grad;
    }

    /// Whether a backward pass comes to a tensor, or to one that it stands for.
    fn is_reached(&self, cell: CellId, reached: &FxHashSet<CellId>) -> bool {
        let one_of = |tensor: &Tensor| {
            let all = tensor.parents.iter();
            tensor.leaf && all.clone().any(|it| *it == cell || reached.contains(it))
        };
        reached.contains(&cell) || !reached.is_empty() && self.heap.tensor(cell).is_some_and(one_of)
    }

    /// A tensor stands for these, or for some that are not known.
    pub(crate) fn stands_for(&mut self, cell: CellId, mut parts: Vec<CellId>) {
        parts.retain(|it| *it != cell);
        if parts.is_empty() {
            parts.push(cell);
        }
        parts.truncate(MOST_PARENTS);
        if let Some(tensor) = self.heap.tensor_mut(cell) {
            tensor.parents = parts.into();
        }
    }

    fn run_node(&mut self, node: &Node<'p>, range: TextRange) {
        let device = self
            .heap
            .tensor(node.tensor)
            .map_or(Device::Unknown, |it| it.device);
        let site = self.site(range);
        let gradient = Value::Extension(self.new_tensor(device, site));
        match &node.runs {
            Runs::Hook(handle, module) => {
                let Some(hook) = self.hook(*handle) else {
                    return;
                };
                let args = match (module, hook.when) {
                    (Some(module), _) => {
                        let inputs = self.new_list(vec![gradient.clone()], false);
                        let outputs = self.new_list(vec![gradient], false);
                        vec![Value::Object(*module), inputs, outputs]
                    }
                    (None, When::AccumulatedGradient) => vec![Value::Extension(node.tensor)],
                    (None, _) => vec![gradient],
                };
                self.call_hook(&hook, args, range);
            }
            Runs::Function(backward, context) => {
                let args = Args::of(vec![context.clone(), gradient]);
                self.call(backward, args, range);
            }
        }
    }

    /// The tensors that a backward pass from `outputs` comes to.
    pub(crate) fn differentiated(&self, outputs: &Value<'p>) -> FxHashSet<CellId> {
        let mut open = self.tensors_of(outputs);
        let mut reached = FxHashSet::default();
        while let Some(next) = open.pop() {
            let Some(tensor) = self.heap.tensor(next) else {
                continue;
            };
            if tensor.requires_grad && reached.insert(next) {
                open.extend(tensor.parents.iter().copied());
            }
        }
        self.spend_cells(reached.len());
        reached
    }

    /// A capture uses these in an operation that a backward pass goes through. Their gradient accumulators are those of
    /// before, where something that was made before the capture still leads to them.
    pub(super) fn note_accumulators(&mut self, parents: &[CellId]) {
        let Some(id) = self.graph_capture() else {
            return;
        };
        let is_leaf = |it: &CellId| self.heap.tensor(*it).is_some_and(|it| it.leaf);
        if self.library.captures[id.0].accumulators.is_none() && parents.iter().any(is_leaf) {
            self.library.captures[id.0].accumulators = Some(self.kept_accumulators());
        }
    }

    /// The leaves to which something leads that the program refers to and that was made on the default stream, and where
    /// that was made.
    fn kept_accumulators(&self) -> BTreeMap<CellId, Site> {
        let mut keepers: Vec<(CellId, Site)> = self
            .referred_to()
            .iter()
            .filter_map(|cell| {
                let tensor = self.heap.tensor(cell)?;
                let is_outside = tensor.captured.is_none() && tensor.requires_grad && !tensor.leaf;
                tensor.history.filter(|_| is_outside)?;
                Some((cell, tensor.made))
            })
            .collect();
        keepers.sort_unstable_by_key(|it| it.0);
        let mut kept = BTreeMap::new();
        for (keeper, made) in keepers {
            for cell in self.differentiated(&Value::Extension(keeper)) {
                if self.heap.tensor(cell).is_some_and(|it| it.leaf) {
                    kept.entry(cell).or_insert(made);
                }
            }
        }
        kept
    }

    /// What keeps the gradient accumulators of the default stream alive that a captured backward pass comes to, if there is
    /// anything.
    pub(crate) fn keeps_accumulators(
        &self,
        outputs: &Value<'p>,
        inputs: Option<&Value<'p>>,
    ) -> Option<Site> {
        let id = self.graph_capture()?;
        let kept = self.library.captures[id.0].accumulators.as_ref()?;
        if kept.is_empty() {
            return None;
        }
        let reached = self.differentiated(outputs);
        let wanted = inputs.map(|it| self.tensors_of(it));
        let is_wanted = |cell: &CellId| wanted.as_ref().is_none_or(|it| it.contains(cell));
        kept.iter()
            .find(|(leaf, _)| reached.contains(leaf) && is_wanted(leaf))
            .map(|(_, made)| *made)
    }

    /// Whether a backward pass for the gradients of `inputs` alone certainly runs no node of the default stream: those
    /// that it comes to do not lead to them.
    pub(crate) fn misses_default_stream(&self, outputs: &Value<'p>, inputs: &Value<'p>) -> bool {
        let known = match inputs {
            Value::Extension(_) => true,
            Value::List(list) => self.heap.list(*list).is_some_and(|list| {
                list.exact
                    && list
                        .items
                        .iter()
                        .all(|it| matches!(it, Value::Extension(_)))
            }),
            _ => false,
        };
        if !known {
            return false;
        }
        let mut needed: FxHashSet<CellId> = self.tensors_of(inputs).into_iter().collect();
        let mut reached: Vec<_> = self.differentiated(outputs).into_iter().collect();
        // What a tensor is made of is older.
        reached.sort_unstable();
        reached.into_iter().all(|cell| {
            let Some(tensor) = self.heap.tensor(cell) else {
                return true;
            };
            let leads_there = tensor.parents.iter().any(|it| needed.contains(it));
            if !leads_there && !needed.contains(&cell) {
                return true;
            }
            needed.insert(cell);
            let is_own = |it: &CellId| {
                let parent = self.heap.tensor(*it);
                parent.is_none_or(|parent| parent.history != tensor.history)
            };
            tensor.history.is_none() || !tensor.parents.iter().all(is_own)
        })
    }

    /// The tensors that a value is or holds.
    pub(crate) fn tensors_of(&self, value: &Value<'p>) -> Vec<CellId> {
        match value {
            Value::Extension(cell) => vec![*cell],
            Value::List(cell) => self
                .heap
                .list(*cell)
                .into_iter()
                .flat_map(|list| &list.items)
                .filter_map(|it| match it {
                    Value::Extension(cell) => Some(*cell),
                    _ => None,
                })
                .collect(),
            _ => Vec::new(),
        }
    }

    /// Those of the operands through which a gradient flows.
    pub(super) fn parents(&self, operands: &[Value<'p>]) -> Rc<[CellId]> {
        operands
            .iter()
            .flat_map(|it| self.tensors_of(it))
            .filter(|cell| self.heap.tensor(*cell).is_some_and(|it| it.requires_grad))
            .take(MOST_PARENTS)
            .collect()
    }
}

impl Tensor {
    /// A backward pass goes on to these, too.
    pub(super) fn add_parents(&mut self, others: &Rc<[CellId]>) {
        if self.parents == *others {
            return;
        }
        let new = others.iter().filter(|it| !self.parents.contains(it));
        let all = self.parents.iter().chain(new).take(MOST_PARENTS);
        self.parents = all.copied().collect();
    }
}
