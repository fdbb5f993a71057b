//! Operators: of numbers, of values of extension types, of containers.

use super::numbers::{self, Reading};
use super::value::{CellId, Number, Value};
use super::{Cell, Interp, Semantics, strings};
use crate::syntax::ast::{self, BoolOp, CmpOp, Expr, Operator, Ranged as _, TextRange, UnaryOp};

/// Elements of the longest list that is put together of others.
const LONGEST_LIST: usize = 1 << 14;

impl<'p, L: Semantics> Interp<'p, L> {
    pub(super) fn unary(&mut self, it: &'p ast::ExprUnaryOp) -> Value<'p> {
        let reading = match it.op {
            UnaryOp::Not => Reading::Zero,
            _ => Reading::Value,
        };
        let value = self.expression_for(&it.operand, reading);
        match (it.op, &value) {
            (UnaryOp::Not, _) => {
                let truth = self.truth_of(&value, it.operand.range());
                match &value {
                    Value::Number(number) if number.varies.is_some() => value,
                    Value::Momentary(value) => Value::Momentary(!value),
                    _ => Value::Bool(truth.map(|it| !it)),
                }
            }
            (UnaryOp::USub, Value::Number(number)) => Value::Number(Number {
                constant: number.constant.and_then(i64::checked_neg),
                fraction: None,
                most: None,
                varies: number.varies,
            }),
            (op, Value::Extension(_)) => L::unary(self, op, value, it.range()),
            _ => {
                L::operands_read(self, &[&value], it.range());
                value
            }
        }
    }

    pub(super) fn boolean(&mut self, it: &'p ast::ExprBoolOp) -> Value<'p> {
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

    pub(super) fn compare(&mut self, it: &'p ast::ExprCompare) -> Value<'p> {
        let mut left = self.expression_for(&it.left, numbers::compared(it));
        let mut result = Value::Bool(None);
        for (op, right) in it.ops.iter().zip(&it.comparators) {
            // `a < b < c` asks for the truth of `a < b` before it goes on.
            L::truth_asked(self, &result, it.range());
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
        let is_extension = |it: &Value<'p>| matches!(it, Value::Extension(_));
        match op {
            CmpOp::Is | CmpOp::IsNot => {
                Value::Bool(identity(left, right).map(|it| it == (op == CmpOp::Is)))
            }
            CmpOp::In | CmpOp::NotIn => {
                let is_in = self.contains(right, left);
                Value::Bool(is_in.map(|it| it == (op == CmpOp::In)))
            }
            _ if is_extension(left) || is_extension(right) => L::compared(self, left, right, range),
            _ => {
                L::operands_read(self, &[left, right], range);
                if let Some(varies) = left.varies().or(right.varies()) {
                    return Value::Number(Number::varying(varies));
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
    pub(super) fn contains(&self, container: &Value<'p>, value: &Value<'p>) -> Option<bool> {
        match container {
            // Functions that nobody called find what others left there.
            _ if self.functions.from_nowhere => None,
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
        let result = self.computed_of(left, op, right, range);
        if matches!(result, Value::Unknown) {
            self.heap.forget(left);
            self.heap.forget(right);
        }
        result
    }

    fn computed_of(
        &mut self,
        left: &Value<'p>,
        op: Operator,
        right: &Value<'p>,
        range: TextRange,
    ) -> Value<'p> {
        if let Some(result) = self.binary_of_objects(left, op, right, range) {
            return result;
        }
        L::operands_read(self, &[left, right], range);
        match (left, right) {
            (Value::Text(_), _) if op == Operator::Mod => {
                self.formatted(right, range);
                Value::Text(None)
            }
            (Value::Text(_) | Value::List(_), Value::Extension(_)) if op == Operator::Mult => {
                Value::Unknown
            }
            (Value::Extension(_), _) | (_, Value::Extension(_)) => {
                L::binary(self, left, op, right, range)
            }
            (Value::Number(a), Value::Number(b)) => {
                let constant = match (a.constant, b.constant) {
                    (Some(a), Some(b)) => arithmetic(op, a, b),
                    _ => None,
                };
                Value::Number(a.with(*b, constant, most_of(op, *a, *b)))
            }
            (Value::Text(_), _) if op == Operator::Add => strings::added(left, right),
            (Value::Text(_), _) => Value::Text(None),
            (Value::List(cell), Value::Number(number)) if op == Operator::Mult => {
                self.repeated(*cell, number.constant)
            }
            (Value::List(a), Value::List(b)) if op == Operator::Add => {
                let both = match (self.heap.list(*a), self.heap.list(*b)) {
                    (Some(a), Some(b))
                        if a.exact && b.exact && a.items.len() + b.items.len() <= LONGEST_LIST =>
                    {
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

    fn repeated(&mut self, cell: CellId, times: Option<i64>) -> Value<'p> {
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
}

/// Whether two values are the same object, if that is known.
fn identity<'p>(left: &Value<'p>, right: &Value<'p>) -> Option<bool> {
    match (left, right) {
        (Value::None, Value::None) => Some(true),
        (Value::Unknown, _) | (_, Value::Unknown) => None,
        (Value::None, _) | (_, Value::None) => Some(false),
        (Value::Bool(Some(a)), Value::Bool(Some(b))) => Some(a == b),
        // Members of an enumeration, which are known by their values.
        (Value::Text(Some(a)), Value::Text(Some(b))) => Some(a == b),
        _ => None,
    }
}

/// The most that `a op b` can be, where that is known of both.
fn most_of(op: Operator, a: Number, b: Number) -> Option<i64> {
    let other = match op {
        Operator::Add | Operator::Mult => b.at_most(),
        Operator::Sub | Operator::FloorDiv => b.constant,
        Operator::Mod => return b.at_most().map(|it| it - 1),
        _ => None,
    };
    arithmetic(op, a.at_most()?, other?)
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
