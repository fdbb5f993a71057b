//! Modules: which classes are, what they hold, and what is inside those that were graphed.

use std::rc::Rc;

use super::object::Own;
use crate::interp::loops::UNROLLED;
use crate::interp::value::{CellId, LoopId, Value};
use crate::site::Site;
use crate::syntax::ast::TextRange;
use crate::torch::{Interp, Kind, arrays, names};

/// The field of what is inside a graphed callable, with what it is a part of.
pub(crate) const PART: &str = "<part>";

impl<'p> Interp<'p> {
    /// `object[index]`, of an object that is no instance of a class of the project.
    pub(crate) fn element_of_own(
        &mut self,
        cell: CellId,
        index: &Value<'p>,
        range: TextRange,
    ) -> Value<'p> {
        match self.heap.object(cell).map(|it| it.kind.clone()) {
            Some(Kind::Library(Own::Module(_, items))) => {
                match (items.as_slice(), index.as_integer()) {
                    ([Value::List(list)], _) => self.heap.any_item(*list).unwrap_or(Value::Unknown),
                    (items, Some(at)) => usize::try_from(at)
                        .ok()
                        .and_then(|at| items.get(at).cloned())
                        .unwrap_or(Value::Unknown),
                    _ => Value::Unknown,
                }
            }
            Some(Kind::Library(Own::Graphed(function, site))) => {
                self.element_of_graphed(cell, function, site)
            }
            Some(Kind::Library(Own::Array(..))) => arrays::element(self, cell, index, range),
            _ => Value::Unknown,
        }
    }

    /// What a loop over an object goes through.
    pub(crate) fn elements_of_own(&mut self, cell: CellId, id: LoopId) -> Vec<Value<'p>> {
        match self.heap.object(cell).map(|it| it.kind.clone()) {
            Some(Kind::Library(Own::Module(name, items)))
                if name.ends_with("ModuleList") || name.ends_with("Sequential") =>
            {
                self.elements_of_modules(&items, id)
            }
            Some(Kind::Library(Own::Graphed(function, site))) => {
                vec![self.element_of_graphed(cell, function, site)]
            }
            // What is done with the elements says whether they are read.
            Some(Kind::Library(Own::Array(..))) => vec![Value::Object(cell)],
            _ => vec![self.next_of_object(cell)],
        }
    }

    /// Something inside a graphed callable: what is hooked there is skipped by the graph.
    pub(crate) fn part_of_graphed(
        &mut self,
        whole: CellId,
        function: Value<'p>,
        site: Site,
    ) -> Value<'p> {
        let part = self.new_object(Kind::Library(Own::Graphed(function, site)), site);
        if let Value::Object(cell) = part
            && let Some(object) = self.heap.object_mut(cell)
        {
            object.fields.insert(Rc::from(PART), Value::Object(whole));
        }
        part
    }

    /// What a loop or an index gets out of a graphed callable: a part of it, if it is a `Sequential` or a part itself. Of a tuple
    /// of callables that is not known further, each is graphed by itself.
    fn element_of_graphed(&mut self, cell: CellId, function: Value<'p>, site: Site) -> Value<'p> {
        let is_part = self
            .heap
            .object(cell)
            .is_some_and(|it| it.fields.contains_key(PART));
        let is_sequence = self
            .module_name(&function)
            .is_some_and(|it| it.ends_with("Sequential"));
        if is_part || is_sequence {
            self.part_of_graphed(cell, function, site)
        } else {
            Value::Unknown
        }
    }

    /// The name of a module of PyTorch's.
    fn module_name(&self, value: &Value<'p>) -> Option<&str> {
        let Value::Object(cell) = value else {
            return None;
        };
        match &self.heap.object(*cell)?.kind {
            Kind::Library(Own::Module(name, _)) => Some(name),
            _ => None,
        }
    }

    /// Whether a class is an `nn.Module`.
    pub(crate) fn is_module_class(&self, class: CellId) -> bool {
        let (_, outside, _) = self.lineage(class);
        outside.iter().any(|name| names::is_module(name))
    }

    /// Whether a class may be an `nn.Module`: it is, or has bases from outside the project.
    pub(crate) fn may_be_module_class(&self, class: CellId) -> bool {
        let (_, outside, unknown) = self.lineage(class);
        unknown || !outside.is_empty()
    }

    /// How many parts a `Sequential` is known to have.
    pub(crate) fn parts_of_modules(&self, value: &Value<'p>) -> Option<usize> {
        let Value::Object(cell) = value else {
            return None;
        };
        match &self.heap.object(*cell)?.kind {
            Kind::Library(Own::Module(name, items)) if name.ends_with("Sequential") => {
                let is_part = |it: &Value<'p>| matches!(it, Value::Object(_));
                items.iter().all(is_part).then_some(items.len())
            }
            _ => None,
        }
    }

    fn elements_of_modules(&mut self, items: &[Value<'p>], id: LoopId) -> Vec<Value<'p>> {
        match items {
            [list @ Value::List(_)] => self.elements(list, id),
            [] => vec![Value::Unknown],
            items => items.iter().take(UNROLLED).cloned().collect(),
        }
    }
}
