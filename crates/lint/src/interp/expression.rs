//! Expressions.

use std::rc::Rc;

use rustc_hash::FxHashMap;

use super::lazy::Lazy;
use super::value::{Form, FunctionKind, List, Number, Site, Value};
use super::{Cell, DEEPEST_EXPRESSION, Interp};
use crate::rules;
use crate::rules::held_numbers::Use;
use crate::syntax::ast::{self, BoolOp, CmpOp, Expr, Operator, Ranged as _, TextRange, UnaryOp};
use crate::torch;

impl<'p> Interp<'p> {
    /// The value of an expression.
    pub(crate) fn expression(&mut self, expression: &'p Expr) -> Value<'p> {
        if !self.spend() || self.nesting >= DEEPEST_EXPRESSION {
            return Value::Unknown;
        }
        self.nesting += 1;
        let value = self.follow(expression);
        self.nesting -= 1;
        value
    }

    fn follow(&mut self, expression: &'p Expr) -> Value<'p> {
        match expression {
            Expr::Name(name) => self.name(name.id.as_str()),
            Expr::Attribute(it) => {
                let object = self.expression(&it.value);
                self.attribute(&object, it.attr.as_str(), it.range())
            }
            Expr::Call(it) => self.call_expression(it),
            Expr::Subscript(it) => self.subscript(it),
            Expr::BinOp(it) => {
                let left = self.expression(&it.left);
                let right = self.expression(&it.right);
                match (&left, &right) {
                    (Value::Tensor(_), Value::Number(_)) => {
                        rules::held_numbers::used(self, &it.right, Use::Computes, it.range());
                    }
                    (Value::Number(_), Value::Tensor(_)) => {
                        rules::held_numbers::used(self, &it.left, Use::Computes, it.range());
                    }
                    _ => {}
                }
                self.binary(&left, it.op, &right, it.range())
            }
            Expr::UnaryOp(it) => self.unary(it),
            Expr::BoolOp(it) => self.boolean(it),
            Expr::Compare(it) => self.compare(it),
            Expr::If(it) => self.choice(it),
            Expr::Named(it) => {
                let value = self.expression(&it.value);
                self.assign(&it.target, value.clone());
                value
            }
            Expr::Lambda(it) => self.lambda(it),
            Expr::NumberLiteral(it) => Value::Number(Number {
                constant: match &it.value {
                    ast::Number::Int(value) => value.as_i64(),
                    _ => None,
                },
                varies: None,
            }),
            Expr::BooleanLiteral(it) => Value::Bool(Some(it.value)),
            Expr::NoneLiteral(_) => Value::None,
            Expr::EllipsisLiteral(_) => Value::External(Rc::from("Ellipsis")),
            Expr::StringLiteral(it) => Value::text(it.value.to_str()),
            Expr::FString(it) => {
                for element in it.value.elements() {
                    if let ast::InterpolatedStringElement::Interpolation(part) = element {
                        let value = self.expression(&part.expression);
                        self.formatted(&value, part.range());
                    }
                }
                Value::Text(None)
            }
            Expr::List(it) => self.list_of(&it.elts, Form::List),
            Expr::Tuple(it) => self.list_of(&it.elts, Form::Other),
            Expr::Set(it) => self.list_of(&it.elts, Form::Set),
            Expr::Dict(it) => self.dict(it),
            Expr::ListComp(it) => self.collection(&it.elt, &it.generators, Form::List),
            Expr::SetComp(it) => self.collection(&it.elt, &it.generators, Form::Set),
            Expr::Generator(it) => self.generator(it),
            Expr::DictComp(it) => {
                if let Some(key) = &it.key {
                    self.comprehension(key, &it.generators);
                }
                let values = self.comprehension(&it.value, &it.generators);
                let any = match values {
                    Value::List(cell) => self.heap.any_item(cell),
                    _ => None,
                };
                let items = any.map(|any| (Rc::from(""), any)).into_iter().collect();
                Value::Dict(self.heap.add(Cell::Dict(items)))
            }
            Expr::Starred(it) => {
                self.expression(&it.value);
                Value::Unknown
            }
            Expr::Slice(it) => {
                let part = |interp: &mut Self, part: Option<&'p Expr>| {
                    part.map_or(Value::None, |it| interp.expression(it))
                };
                let lower = part(self, it.lower.as_deref());
                let upper = part(self, it.upper.as_deref());
                let step = part(self, it.step.as_deref());
                Value::Slice(Rc::new([lower, upper, step]))
            }
            Expr::Await(it) => self.expression(&it.value),
            Expr::Yield(it) => {
                let value = it
                    .value
                    .as_ref()
                    .map_or(Value::None, |it| self.expression(it));
                self.yields(value);
                Value::Unknown
            }
            Expr::YieldFrom(it) => {
                let value = self.expression(&it.value);
                self.yields_from(&value, it.range());
                Value::Unknown
            }
            _ => Value::Unknown,
        }
    }

    /// `one if test else other`.
    fn choice(&mut self, it: &'p ast::ExprIf) -> Value<'p> {
        let known = self.condition(&it.test);
        rules::capture_aware::choice(self, it);
        match known {
            Some(true) => self.expression(&it.body),
            Some(false) => self.expression(&it.orelse),
            None => {
                rules::control_flow::depends_on(self, &it.test);
                let alternates = self.last_condition.varies().is_some();
                let both = |interp: &mut Self| {
                    let one = interp.expression(&it.body);
                    let other = interp.expression(&it.orelse);
                    interp.heap.join(one, other)
                };
                if alternates {
                    both(self)
                } else {
                    self.in_doubt(both)
                }
            }
        }
    }

    /// Follows a condition, and tells what it is known to be. Python asks a tensor for its truth here.
    pub(super) fn condition(&mut self, test: &'p Expr) -> Option<bool> {
        let value = self.expression(test);
        let truth = self.truth_of(&value, test.range());
        self.last_condition = value;
        truth
    }

    fn unary(&mut self, it: &'p ast::ExprUnaryOp) -> Value<'p> {
        let value = self.expression(&it.operand);
        match (it.op, &value) {
            (UnaryOp::Not, _) => {
                let truth = self.truth_of(&value, it.operand.range());
                match &value {
                    Value::Number(number) if number.varies.is_some() => value,
                    Value::Capturing(value) => Value::Capturing(!value),
                    _ => Value::Bool(truth.map(|it| !it)),
                }
            }
            (UnaryOp::USub, Value::Number(number)) => Value::Number(Number {
                constant: number.constant.and_then(i64::checked_neg),
                varies: number.varies,
            }),
            (op, Value::Tensor(_)) => {
                let operands = [value];
                let result = self.tensor_operation(&operands, it.range());
                self.broadcasts(&operands, &result);
                let same = if op == UnaryOp::Invert {
                    Operator::BitXor
                } else {
                    Operator::Sub
                };
                self.computed(same, &operands, &result);
                result
            }
            _ => value,
        }
    }

    fn boolean(&mut self, it: &'p ast::ExprBoolOp) -> Value<'p> {
        let mut result: Option<Value<'p>> = None;
        let (last, first) = it
            .values
            .split_last()
            .map_or((None, &[][..]), |(a, b)| (Some(a), b));
        for part in first {
            let value = self.operand(part, result.is_some());
            let truth = self.truth_of(&value, part.range());
            let decided = match it.op {
                BoolOp::And => truth == Some(false),
                BoolOp::Or => truth == Some(true),
            };
            if decided {
                return match result {
                    // An operand before it may already have decided otherwise.
                    Some(_) if it.op == BoolOp::And => Value::Bool(Some(false)),
                    Some(_) => Value::Bool(None),
                    None => value,
                };
            }
            if truth.is_none() {
                result = Some(match result.take() {
                    Some(earlier) if earlier.varies().is_some() => earlier,
                    _ => value,
                });
            }
        }
        let value = last.map_or(Value::Unknown, |it| self.operand(it, result.is_some()));
        match result {
            None => value,
            Some(earlier) if earlier.varies().is_some() => earlier,
            Some(_) if value.varies().is_some() => value,
            Some(_) if it.op == BoolOp::And && value.truth() == Some(false) => {
                Value::Bool(Some(false))
            }
            Some(earlier) if it.op == BoolOp::Or => match earlier {
                Value::None => value,
                other => self.heap.join(other, value),
            },
            Some(_) => Value::Bool(None),
        }
    }

    /// An operand of `and` or `or`, which an undecided one before it may leave out.
    fn operand(&mut self, expression: &'p Expr, in_doubt: bool) -> Value<'p> {
        if in_doubt {
            self.in_doubt(|it| it.expression(expression))
        } else {
            self.expression(expression)
        }
    }

    fn compare(&mut self, it: &'p ast::ExprCompare) -> Value<'p> {
        let mut left = self.expression(&it.left);
        let mut result = Value::Bool(None);
        for (op, right) in it.ops.iter().zip(&it.comparators) {
            // `a < b < c` asks for the truth of `a < b` before it goes on.
            rules::waits::truth(self, &result, it.range());
            let right = self.expression(right);
            result = self.compare_two(&left, *op, &right, it.range());
            left = right;
        }
        if it.ops.len() > 1 {
            return Value::Bool(None);
        }
        result
    }

    pub(super) fn compare_two(
        &mut self,
        left: &Value<'p>,
        op: CmpOp,
        right: &Value<'p>,
        range: TextRange,
    ) -> Value<'p> {
        if let Some(result) = self.compare_objects(left, op, right, range) {
            return result;
        }
        let is_tensor = |it: &Value<'p>| matches!(it, Value::Tensor(_));
        if let (Value::List(_), Value::List(_)) = (left, right)
            && !matches!(op, CmpOp::Is | CmpOp::IsNot)
        {
            torch::comparisons::compared(self, left, right, range);
        }
        match op {
            CmpOp::Is | CmpOp::IsNot => {
                Value::Bool(identity(left, right).map(|it| it == (op == CmpOp::Is)))
            }
            CmpOp::In | CmpOp::NotIn => {
                torch::comparisons::contained(self, left, right, range);
                let is_in = self.contains(right, left);
                Value::Bool(is_in.map(|it| it == (op == CmpOp::In)))
            }
            _ if is_tensor(left) || is_tensor(right) => {
                let operands = [left.clone(), right.clone()];
                let result = self.tensor_operation(&operands, range);
                self.broadcasts(&operands, &result);
                self.becomes_boolean(&result);
                result
            }
            _ => {
                if let Some(varies) = left.varies().or(right.varies()) {
                    return Value::Number(Number {
                        constant: None,
                        varies: Some(varies),
                    });
                }
                let known = match (left, right) {
                    (Value::Text(Some(a)), Value::Text(Some(b))) => match op {
                        CmpOp::Eq => Some(a == b),
                        CmpOp::NotEq => Some(a != b),
                        _ => None,
                    },
                    (Value::Number(a), Value::Number(b)) => match (a.constant, b.constant) {
                        (Some(a), Some(b)) => Some(match op {
                            CmpOp::Eq => a == b,
                            CmpOp::NotEq => a != b,
                            CmpOp::Lt => a < b,
                            CmpOp::LtE => a <= b,
                            CmpOp::Gt => a > b,
                            _ => a >= b,
                        }),
                        _ => None,
                    },
                    _ => None,
                };
                Value::Bool(known)
            }
        }
    }

    /// Whether a container has something in it, or under it as a key, if that is known.
    fn contains(&self, container: &Value<'p>, value: &Value<'p>) -> Option<bool> {
        match container {
            // Functions that nobody called find what others left there.
            _ if self.from_nowhere => None,
            Value::Dict(cell) => match (self.heap.get(*cell), value.as_text()) {
                (Cell::Dict(items), _) if items.is_empty() => Some(false),
                (Cell::Dict(items), Some(key)) if items.contains_key(key) => Some(true),
                (Cell::Dict(items), Some(_)) if !items.contains_key("") => Some(false),
                _ => None,
            },
            Value::List(cell) => {
                let list = self.heap.list(*cell)?;
                (list.exact && list.items.is_empty()).then_some(false)
            }
            _ => None,
        }
    }

    /// The value of `left op right`.
    pub(super) fn binary(
        &mut self,
        left: &Value<'p>,
        op: Operator,
        right: &Value<'p>,
        range: TextRange,
    ) -> Value<'p> {
        if let Some(result) = self.binary_of_objects(left, op, right, range) {
            return result;
        }
        match (left, right) {
            (Value::Text(_), _) if op == Operator::Mod => {
                self.formatted(right, range);
                Value::Text(None)
            }
            (Value::Text(_) | Value::List(_), Value::Tensor(_)) if op == Operator::Mult => {
                rules::waits::indexes_on_host(self, right, range);
                Value::Unknown
            }
            (Value::Tensor(_), _) | (_, Value::Tensor(_)) => {
                let operands = [left.clone(), right.clone()];
                if op == Operator::MatMult {
                    rules::libraries::called(self, "@", &operands, range);
                    rules::autocast::called(self, "@", &operands);
                }
                let result = self.tensor_operation(&operands, range);
                if op != Operator::MatMult {
                    self.note_size(&operands, &result);
                    self.broadcasts(&operands, &result);
                    self.computed(op, &operands, &result);
                }
                result
            }
            (Value::Number(a), Value::Number(b)) => {
                let constant = match (a.constant, b.constant) {
                    (Some(a), Some(b)) => arithmetic(op, a, b),
                    _ => None,
                };
                Value::Number(a.with(*b, constant))
            }
            (Value::Text(_), _) => Value::Text(None),
            (Value::List(cell), Value::Number(number)) if op == Operator::Mult => {
                self.repeated(*cell, number.constant)
            }
            (Value::List(a), Value::List(b)) if op == Operator::Add => {
                let both = match (self.heap.list(*a), self.heap.list(*b)) {
                    (Some(a), Some(b)) if a.exact && b.exact => {
                        Some(a.items.iter().chain(&b.items).cloned().collect())
                    }
                    _ => None,
                };
                match both {
                    Some(items) => self.new_list(items, true),
                    None => Value::Unknown,
                }
            }
            _ => Value::Unknown,
        }
    }

    fn repeated(&mut self, cell: super::value::CellId, times: Option<i64>) -> Value<'p> {
        let items = self
            .heap
            .list(cell)
            .map(|list| list.items.clone())
            .unwrap_or_default();
        match times.and_then(|it| usize::try_from(it).ok()) {
            Some(times) if times * items.len() <= 64 => {
                let all = items
                    .iter()
                    .cycle()
                    .take(times * items.len())
                    .cloned()
                    .collect();
                self.new_list(all, true)
            }
            _ => self.new_list(items, false),
        }
    }

    fn subscript(&mut self, it: &'p ast::ExprSubscript) -> Value<'p> {
        let container = self.expression(&it.value);
        let index = self.expression(&it.slice);
        if matches!(container, Value::List(_) | Value::Text(_)) {
            rules::waits::indexes_on_host(self, &index, it.range());
        }
        match &container {
            Value::Tensor(_) => {
                rules::held_numbers::sliced(self, &it.slice);
                torch::indexing::read(self, &container, &index, it.range())
            }
            Value::List(cell) => {
                let Some(list) = self.heap.list(*cell) else {
                    return Value::Unknown;
                };
                let length = i64::try_from(list.items.len()).unwrap_or(i64::MAX);
                let at = index
                    .as_integer()
                    .map(|at| if at < 0 { at + length } else { at })
                    .and_then(|at| usize::try_from(at).ok());
                match at {
                    Some(at) if list.exact => list.items.get(at).cloned().unwrap_or(Value::Unknown),
                    _ if matches!(index, Value::Slice(_)) => {
                        let items = list.items.clone();
                        self.new_list(items, false)
                    }
                    _ => self.heap.any_item(*cell).unwrap_or(Value::Unknown),
                }
            }
            Value::Dict(cell) => {
                let Cell::Dict(items) = self.heap.get(*cell) else {
                    return Value::Unknown;
                };
                let key = index.as_text().unwrap_or_default();
                items
                    .get(key)
                    .or_else(|| items.get(""))
                    .cloned()
                    .unwrap_or(Value::Unknown)
            }
            Value::Object(cell) => self.element_of_object(*cell, &index, it.range()),
            _ => Value::Unknown,
        }
    }

    /// An attribute of a value.
    pub(crate) fn attribute(
        &mut self,
        object: &Value<'p>,
        name: &str,
        range: TextRange,
    ) -> Value<'p> {
        match object {
            Value::External(module) => torch::names::attribute(module, name),
            Value::Module(file) => self.module_attribute(*file, name),
            Value::Object(cell) => self.object_attribute(*cell, name, range),
            Value::Class(cell) => match self.class_attribute(*cell, name) {
                Some(Value::Function(function)) if function.kind == FunctionKind::Class => {
                    Value::Method(Rc::new((object.clone(), Value::Function(function))))
                }
                None if name == "apply" && torch::autograd::is_function(self, *cell) => {
                    Value::Native(Rc::new((object.clone(), name.to_owned())))
                }
                value => value.unwrap_or(Value::Unknown),
            },
            Value::Tensor(cell) => torch::methods::attribute(self, *cell, name, range),
            // Of what `topk`, `sort` and their kin give.
            Value::List(cell) if matches!(name, "indices" | "values") => {
                self.heap.any_item(*cell).unwrap_or(Value::Unknown)
            }
            Value::List(_) | Value::Dict(_) | Value::Text(_) => {
                Value::Native(Rc::new((object.clone(), name.to_owned())))
            }
            _ => Value::Unknown,
        }
    }

    fn list_of(&mut self, elements: &'p [Expr], form: Form) -> Value<'p> {
        let exact = !elements.iter().any(Expr::is_starred_expr);
        let items = elements.iter().map(|it| self.expression(it)).collect();
        let list = self.new_list(items, exact);
        self.formed(list, form)
    }

    /// A new list.
    pub(crate) fn new_list(&mut self, items: Vec<Value<'p>>, exact: bool) -> Value<'p> {
        let loops = Rc::clone(&self.flow.loops);
        Value::List(self.heap.add(Cell::List(List {
            items,
            exact,
            form: Form::Other,
            loops,
        })))
    }

    /// The same list, known to be of that form.
    pub(crate) fn formed(&mut self, list: Value<'p>, form: Form) -> Value<'p> {
        if let Value::List(cell) = &list
            && let Cell::List(list) = self.heap.edit(*cell)
        {
            list.form = form;
        }
        list
    }

    fn dict(&mut self, it: &'p ast::ExprDict) -> Value<'p> {
        let mut items: FxHashMap<Rc<str>, Value<'p>> = FxHashMap::default();
        for item in &it.items {
            let key = item.key.as_ref().map(|key| self.expression(key));
            let value = self.expression(&item.value);
            let key: Rc<str> = key
                .as_ref()
                .and_then(Value::as_text)
                .unwrap_or_default()
                .into();
            items.insert(key, value);
        }
        Value::Dict(self.heap.add(Cell::Dict(items)))
    }

    /// A comprehension that keeps its elements.
    fn collection(
        &mut self,
        element: &'p Expr,
        generators: &'p [ast::Comprehension],
        form: Form,
    ) -> Value<'p> {
        let inside = self.next_loop_id();
        let list = self.comprehension(element, generators);
        rules::outputs::collected(self, &list, element, inside);
        self.formed(list, form)
    }

    fn comprehension(
        &mut self,
        element: &'p Expr,
        generators: &'p [ast::Comprehension],
    ) -> Value<'p> {
        self.comprehension_over(element, generators, None)
    }

    /// A generator expression: what its first `for` goes through is made at once, and the rest later.
    fn generator(&mut self, it: &'p ast::ExprGenerator) -> Value<'p> {
        let (Some(first), Some(scope)) = (
            it.generators.first(),
            self.frames.last().map(|frame| frame.scope),
        ) else {
            return Value::Unknown;
        };
        let first = self.expression(&first.iter);
        self.new_lazy(Lazy::Expression(it, scope, first), it.range())
    }

    /// A comprehension; `first` is what its first `for` goes through, if that was made before.
    pub(super) fn comprehension_over(
        &mut self,
        element: &'p Expr,
        generators: &'p [ast::Comprehension],
        first_iterated: Option<Value<'p>>,
    ) -> Value<'p> {
        let Some((first, rest)) = generators.split_first() else {
            return Value::Unknown;
        };
        let Some(scope) = self.frames.last().map(|frame| frame.scope) else {
            return Value::Unknown;
        };
        let inner = self
            .heap
            .add(Cell::Scope(FxHashMap::default(), Some(scope)));
        self.set_scope(inner);
        let iterated = first_iterated.unwrap_or_else(|| self.expression(&first.iter));
        let iterated = self.iterated(&iterated, first.iter.range());
        let id = self.new_loop();
        let (elements, exact) = self.comprehended(&iterated, &first.iter, id);
        let around = self.enter_loop(id);
        let mut items = Vec::new();
        for value in elements {
            self.assign(&first.target, value);
            let mut filtered = false;
            for test in &first.ifs {
                filtered |= self.condition(test) == Some(false);
            }
            if filtered {
                continue;
            }
            if rest.is_empty() {
                items.push(self.expression(element));
            } else if let Value::List(inner) = self.comprehension(element, rest) {
                items.extend(self.heap.any_item(inner));
            }
        }
        self.flow.loops = around;
        self.set_scope(scope);
        self.new_list(items, exact && first.ifs.is_empty() && rest.is_empty())
    }

    /// The values that a comprehension goes through, and whether these are all.
    fn comprehended(
        &mut self,
        iterated: &Value<'p>,
        iter: &'p Expr,
        id: super::value::LoopId,
    ) -> (Vec<Value<'p>>, bool) {
        if let Some(count) = self.known_range(iter) {
            return ((0..count).map(Value::integer).collect(), true);
        }
        if let Value::List(cell) = iterated
            && let Some(list) = self.heap.list(*cell)
            && list.exact
            && list.items.len() <= 64
        {
            return (list.items.clone(), true);
        }
        let elements = self.elements(iterated, id);
        let exact = self.parts_of_modules(iterated) == Some(elements.len());
        (elements, exact)
    }

    /// The length of `range(n)`, if it is a small constant.
    fn known_range(&mut self, iter: &'p Expr) -> Option<i64> {
        let call = iter.as_call_expr()?;
        if call.func.as_name_expr()?.id.as_str() != "range" || call.arguments.args.len() != 1 {
            return None;
        }
        let count = self.expression(call.arguments.args.first()?).as_integer()?;
        (0..=64).contains(&count).then_some(count)
    }

    fn set_scope(&mut self, scope: super::value::CellId) {
        if let Some(frame) = self.frames.last_mut() {
            frame.scope = scope;
        }
    }

    /// The site of a range.
    pub(crate) fn at(&self, range: TextRange) -> Site {
        self.site(range)
    }
}

/// Whether two values are the same object, if that is known.
fn identity<'p>(left: &Value<'p>, right: &Value<'p>) -> Option<bool> {
    match (left, right) {
        (Value::None, Value::None) => Some(true),
        (Value::Unknown, _) | (_, Value::Unknown) => None,
        (Value::None, _) | (_, Value::None) => Some(false),
        (Value::Bool(Some(a)), Value::Bool(Some(b))) => Some(a == b),
        _ => None,
    }
}

/// `a op b`, for what can be computed.
pub(super) fn arithmetic(op: Operator, a: i64, b: i64) -> Option<i64> {
    match op {
        Operator::Add => a.checked_add(b),
        Operator::Sub => a.checked_sub(b),
        Operator::Mult => a.checked_mul(b),
        Operator::FloorDiv if b > 0 => Some(a.div_euclid(b)),
        Operator::Mod if b > 0 => Some(a.rem_euclid(b)),
        Operator::LShift if (0..62).contains(&b) => a.checked_mul(1 << b),
        Operator::RShift if (0..63).contains(&b) => Some(a >> b),
        Operator::Pow => u32::try_from(b).ok().and_then(|b| a.checked_pow(b)),
        _ => None,
    }
}
