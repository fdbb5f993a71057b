//! Tensors: what is known of the result of an operation.

use std::rc::Rc;

use rustc_hash::FxHashSet;

use super::event::Event;
use super::tensor::{Device, Elements, Tensor};
use crate::interp::reached::Reached;
use crate::interp::value::{CellId, Value};
use crate::site::Site;
use crate::syntax::ast::TextRange;
use crate::torch::{Cell, Interp};

/// How deep containers are searched.
const DEEPEST: usize = 6;

impl<'p> Interp<'p> {
    /// An unknown tensor.
    pub(crate) fn unknown_tensor(&mut self, made: Site) -> CellId {
        self.new_tensor(Device::Unknown, made)
    }

    /// A new tensor on a device.
    pub(crate) fn new_tensor(&mut self, device: Device, made: Site) -> CellId {
        let tensor = Tensor {
            device,
            elements: Elements::Unknown,
            pinned: match device {
                Device::Unknown => None,
                _ => Some(false),
            },
            requires_grad: false,
            leaf: true,
            history: None,
            ddp: None,
            parents: Rc::from([]),
            made,
            loops: Rc::clone(&self.loops.around),
            captured: self.graph_capture(),
            view_of: None,
            may_be: None,
            swapped: None,
            escaped: false,
            bytes: None,
            at_most: None,
            rank: None,
            depth: self.depth(),
            inference: false,
            arriving: None,
            in_flight: None,
            landed: 0,
            grad: None,
            answer: None,
        };
        self.heap.add(Cell::Extension(tensor))
    }

    /// The device of what is computed from these.
    pub(crate) fn device_of(&self, values: &[Value<'p>]) -> Device {
        let mut device: Option<Device> = None;
        for value in values {
            let found = match value {
                Value::Extension(cell) => self.heap.tensor(*cell).map(|it| it.device),
                Value::Unknown => Some(Device::Unknown),
                Value::List(cell) => self.heap.list(*cell).and_then(|list| {
                    let tensors = list
                        .items
                        .iter()
                        .any(|it| matches!(it, Value::Extension(_)));
                    tensors.then(|| self.device_of(&list.items))
                }),
                _ => None,
            };
            if let Some(found) = found {
                device = Some(device.map_or(found, |it| it.with(found)));
            }
        }
        device.unwrap_or(Device::Unknown)
    }

    /// The tensor that is computed from these, without any rule being asked.
    pub(crate) fn derived(&mut self, values: &[Value<'p>], made: Site) -> Value<'p> {
        let device = self.device_of(values);
        let result = self.new_tensor(device, made);
        let mut requires_grad = false;
        let mut history = None;
        let mut ddp = None;
        for value in values {
            for cell in self.tensors_of(value) {
                let Some(tensor) = self.heap.tensor(cell) else {
                    continue;
                };
                requires_grad |= tensor.requires_grad;
                history = history.or(tensor.history);
                ddp = ddp.or(tensor.ddp);
            }
        }
        if requires_grad && self.flow.grad {
            let here = self.flow.captures.is_empty()
                && self.is_on_default_stream()
                && device == Device::Cuda;
            let parents = self.parents(values);
            self.note_accumulators(&parents);
            if let Some(tensor) = self.heap.tensor_mut(result) {
                tensor.requires_grad = true;
                tensor.leaf = false;
                tensor.history = history.or(here.then_some(made));
                tensor.ddp = ddp;
                tensor.parents = parents;
            }
        }
        Value::Extension(result)
    }

    /// Notes how many dimensions the result of an element-wise operation has, if that is known.
    pub(crate) fn broadcasts(&mut self, operands: &[Value<'p>], result: &Value<'p>) {
        let ranks = operands.iter().map(|it| match it {
            Value::Extension(cell) => self.heap.tensor(*cell)?.rank,
            Value::Number(_) | Value::Bool(_) => Some(0),
            _ => None,
        });
        let rank: Option<Vec<usize>> = ranks.collect();
        let rank = rank.and_then(|it| it.into_iter().max());
        self.has_rank(result, rank);
    }

    /// Notes how many dimensions a tensor has.
    pub(crate) fn has_rank(&mut self, value: &Value<'p>, rank: Option<usize>) {
        if let Value::Extension(cell) = value
            && let Some(tensor) = self.heap.tensor_mut(*cell)
        {
            tensor.rank = rank;
        }
    }

    /// An operation that changes its first operand.
    pub(crate) fn tensor_in_place(
        &mut self,
        target: &Value<'p>,
        values: &[Value<'p>],
        range: TextRange,
    ) -> Value<'p> {
        self.reads(values, range);
        let all: Vec<_> = std::iter::once(target).chain(values).cloned().collect();
        let site = self.at(range);
        let result = self.derived(&all, site);
        self.works(&all, self.device_of(&all), false, range);
        self.emit(Event::Written { target, range });
        if let (Value::Extension(cell), Value::Extension(result)) = (target, &result)
            && let Some(made) = self.heap.tensor(*result).cloned()
            && let Some(tensor) = self.heap.tensor_mut(*cell)
            && made.requires_grad
        {
            tensor.requires_grad = true;
            tensor.leaf = false;
            tensor.history = tensor.history.or(made.history);
            tensor.add_parents(&made.parents);
        }
        target.clone()
    }

    /// Asks the rules about work on the current stream.
    pub(crate) fn works(
        &mut self,
        values: &[Value<'p>],
        device: Device,
        allocates: bool,
        range: TextRange,
    ) {
        if device == Device::Host {
            return;
        }
        if allocates {
            self.makes_memory();
        }
        if let Some(id) = self.capture() {
            self.library.captures[id.0].operations += 1;
            if let Some(stream) = self.flow.stream
                && !self.library.captures[id.0].worked.contains(&stream)
            {
                self.library.captures[id.0].worked.push(stream);
            }
            self.note_inputs(values, range);
            if device == Device::Cuda {
                self.emit(Event::Works {
                    operands: values,
                    allocates,
                    range,
                });
                self.works_outside(self.at(range));
            }
        }
        self.advance_stream();
    }

    /// These are read: by an operation, or by the host.
    pub(crate) fn reads(&mut self, values: &[Value<'p>], range: TextRange) {
        if self.library.replays == 0 || !self.flow.captures.is_empty() {
            return;
        }
        for tensor in values
            .iter()
            .flat_map(|it| self.tensors_of(it))
            .collect::<Vec<_>>()
        {
            let root = self.heap.tensor(self.root(tensor));
            if root.is_some_and(|it| it.captured.is_some()) {
                self.emit(Event::OutputRead { tensor, range });
            }
        }
    }

    fn note_inputs(&mut self, values: &[Value<'p>], range: TextRange) {
        let Some(id) = self.graph_capture() else {
            return;
        };
        let site = self.at(range);
        for value in values {
            match value {
                Value::Extension(cell) => {
                    let root = self.root(*cell);
                    let inside = self
                        .heap
                        .tensor(root)
                        .is_some_and(|tensor| tensor.captured == Some(id));
                    let capture = &mut self.library.captures[id.0];
                    if inside {
                        capture.requests.read(root, capture.operations);
                    } else {
                        capture.inputs.entry(root).or_insert(site);
                    }
                }
                Value::List(cell) => {
                    let items = self
                        .heap
                        .list(*cell)
                        .map(|it| it.items.clone())
                        .unwrap_or_default();
                    self.note_inputs(&items, range);
                }
                _ => {}
            }
        }
    }

    /// The tensor whose memory a view shares.
    pub(crate) fn root(&self, cell: CellId) -> CellId {
        let mut root = cell;
        for _ in 0..DEEPEST {
            match self.heap.tensor(root).and_then(|it| it.view_of) {
                Some(next) => root = next,
                None => break,
            }
        }
        root
    }

    /// Whether two tensors may share memory.
    pub(crate) fn may_share(&self, one: CellId, other: CellId) -> bool {
        let others = self.memories(other);
        self.memories(one).iter().any(|it| others.contains(it))
    }

    /// The tensors in whose memory a tensor may lie.
    fn memories(&self, cell: CellId) -> Vec<CellId> {
        let mut found = Vec::new();
        let mut next = Some(cell);
        while let Some(cell) = next.filter(|_| found.len() < DEEPEST) {
            let root = self.root(cell);
            found.push(root);
            next = self.heap.tensor(root).and_then(|it| it.may_be);
        }
        found
    }

    /// Notes that the result of an operation may be the tensor itself, or share its memory.
    pub(crate) fn may_be_itself(&mut self, result: &Value<'p>, cell: CellId) {
        if let Value::Extension(result) = result
            && *result != cell
            && let Some(tensor) = self.heap.tensor_mut(*result)
        {
            tensor.may_be = Some(cell);
        }
    }

    /// A view of a tensor: another object, the same memory.
    pub(crate) fn view(&mut self, cell: CellId, range: TextRange) -> Value<'p> {
        let result = self.derived(&[Value::Extension(cell)], self.at(range));
        let original = self.heap.tensor(cell).cloned();
        if let (Value::Extension(view), Some(original)) = (&result, original)
            && let Some(tensor) = self.heap.tensor_mut(*view)
        {
            tensor.view_of = Some(cell);
            tensor.pinned = original.pinned;
            tensor.elements = original.elements;
            tensor.rank = None;
            tensor.captured = original.captured;
            tensor.bytes = original.bytes;
            tensor.at_most = original.at_most;
            tensor.escaped = original.escaped;
            tensor.inference = original.inference;
        }
        result
    }

    /// Notes that a tensor's elements are truth values.
    pub(crate) fn becomes_boolean(&mut self, value: &Value<'p>) {
        if let Value::Extension(cell) = value
            && let Some(tensor) = self.heap.tensor_mut(*cell)
        {
            tensor.elements = Elements::Bool;
        }
    }

    /// Notes that a tensor may be known to code that is not seen.
    pub(crate) fn tensor_escapes(&mut self, cell: CellId) {
        let root = self.root(cell);
        for cell in [cell, root] {
            if let Some(tensor) = self.heap.tensor_mut(cell) {
                tensor.escaped = true;
                // Parameters are taken to be known to code that is not seen anyhow.
                if tensor.requires_grad {
                    self.heap.forget(&Value::Extension(cell));
                }
            }
        }
    }

    /// Whether a tensor is among what was reached, or may be one that is.
    pub(crate) fn may_be_among(&self, reached: &Reached, tensor: CellId) -> bool {
        let mut open = vec![tensor];
        let mut seen = FxHashSet::default();
        while let Some(cell) = open.pop() {
            if reached.contains(cell) {
                return true;
            }
            if seen.insert(cell)
                && let Some(found) = self.heap.tensor(cell)
            {
                open.extend(found.parents.iter().copied());
            }
        }
        self.spend_cells(seen.len());
        false
    }
}
