//! Special methods: what Python calls on an object of the program when it is used like something built in.

use super::object::Kind;
use super::value::{CellId, Value};
use super::{Args, DEEPEST, Interp, Semantics};
use crate::syntax::ast::{CmpOp, Operator, TextRange};

/// How deep objects are turned into text.
const DEEPEST_TEXT: usize = 3;

impl<'p, L: Semantics> Interp<'p, L> {
    /// Calls a special method, if the value is an object of a class of the project that has it.
    pub(crate) fn special(
        &mut self,
        value: &Value<'p>,
        name: &str,
        args: Vec<Value<'p>>,
        range: TextRange,
    ) -> Option<Value<'p>> {
        let Value::Object(cell) = value else {
            return None;
        };
        let Kind::Instance(class) = self.heap.object(*cell)?.kind else {
            return None;
        };
        let method = self.class_attribute(class, name)?;
        if self.frames.len() >= DEEPEST {
            return Some(Value::Unknown);
        }
        Some(self.call(&method, Args::of(args).after(value.clone()), range))
    }

    /// The function that sets this attribute of an object, if it is a property with one.
    pub(super) fn setter(&self, object: &Value<'p>, name: &str) -> Option<Value<'p>> {
        let Value::Object(cell) = object else {
            return None;
        };
        match self.heap.object(*cell)?.kind {
            Kind::Instance(class) => self.class_attribute(class, &format!("{name}.setter")),
            _ => None,
        }
    }

    /// Python asks for the truth of a value: what it is known to be.
    pub(crate) fn truth_of(&mut self, value: &Value<'p>, range: TextRange) -> Option<bool> {
        L::truth_asked(self, value, range);
        let answer = self
            .special(value, "__bool__", Vec::new(), range)
            .or_else(|| self.special(value, "__len__", Vec::new(), range));
        match answer {
            Some(answer) => answer.truth(),
            None => value.truth(),
        }
    }

    /// A value is turned into text, and what is in it with it.
    pub(crate) fn formatted(&mut self, value: &Value<'p>, range: TextRange) {
        self.formatted_to(value, range, DEEPEST_TEXT);
    }

    fn formatted_to(&mut self, value: &Value<'p>, range: TextRange, depth: usize) {
        L::formatted(self, value, range);
        let Value::Object(cell) = value else {
            return;
        };
        for name in ["__format__", "__str__", "__repr__"] {
            let args = match name {
                "__format__" => vec![Value::Text(None)],
                _ => Vec::new(),
            };
            if self.special(value, name, args, range).is_some() {
                return;
            }
        }
        if depth > 0 {
            for part in self.shown_fields(*cell) {
                self.formatted_to(&part, range, depth - 1);
            }
        }
    }

    /// An element of an object.
    pub(super) fn element_of_object(
        &mut self,
        cell: CellId,
        index: &Value<'p>,
        range: TextRange,
    ) -> Value<'p> {
        match self.heap.object(cell).map(|it| it.kind.clone()) {
            Some(Kind::Library(_)) => L::element_of_object(self, cell, index, range),
            Some(Kind::Instance(_)) => {
                let object = Value::Object(cell);
                let given = self.special(&object, "__getitem__", vec![index.clone()], range);
                given.unwrap_or(Value::Unknown)
            }
            _ => Value::Unknown,
        }
    }

    /// `left op right`, where one is an object of the program.
    pub(super) fn binary_of_objects(
        &mut self,
        left: &Value<'p>,
        op: Operator,
        right: &Value<'p>,
        range: TextRange,
    ) -> Option<Value<'p>> {
        if !matches!((left, right), (Value::Object(_), _) | (_, Value::Object(_))) {
            return None;
        }
        let name = operator(op);
        self.special(left, &format!("__{name}__"), vec![right.clone()], range)
            .or_else(|| self.special(right, &format!("__r{name}__"), vec![left.clone()], range))
    }

    /// `left op right`, where `left` is an object of the program that compares itself.
    pub(super) fn compare_objects(
        &mut self,
        left: &Value<'p>,
        op: CmpOp,
        right: &Value<'p>,
        range: TextRange,
    ) -> Option<Value<'p>> {
        let name = match op {
            CmpOp::Eq => "__eq__",
            CmpOp::NotEq => "__ne__",
            CmpOp::Lt => "__lt__",
            CmpOp::LtE => "__le__",
            CmpOp::Gt => "__gt__",
            CmpOp::GtE => "__ge__",
            CmpOp::In | CmpOp::NotIn => {
                let found = self.special(right, "__contains__", vec![left.clone()], range)?;
                let is_in = self.truth_of(&found, range);
                return Some(Value::Bool(is_in.map(|it| it == (op == CmpOp::In))));
            }
            CmpOp::Is | CmpOp::IsNot => return None,
        };
        self.special(left, name, vec![right.clone()], range)
    }
}

/// The name of an operator in the names of special methods.
fn operator(op: Operator) -> &'static str {
    match op {
        Operator::Add => "add",
        Operator::Sub => "sub",
        Operator::Mult => "mul",
        Operator::MatMult => "matmul",
        Operator::Div => "truediv",
        Operator::Mod => "mod",
        Operator::Pow => "pow",
        Operator::LShift => "lshift",
        Operator::RShift => "rshift",
        Operator::BitOr => "or",
        Operator::BitXor => "xor",
        Operator::BitAnd => "and",
        Operator::FloorDiv => "floordiv",
    }
}
