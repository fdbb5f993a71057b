//! Dataclasses and named tuples: classes whose objects are made of their fields.

use super::object::Kind;
use super::value::{CellId, Value};
use super::{Args, Cell, Interp, Semantics};
use crate::syntax::ast::{self, Expr, Ranged as _, Stmt, TextRange};

/// What makes a class one of these.
const NAMED_TUPLE: &str = "typing.NamedTuple";

impl<'p, L: Semantics> Interp<'p, L> {
    /// Whether a class is a dataclass or a named tuple.
    pub(super) fn is_record(&self, class: CellId) -> bool {
        let is_dataclass = |it: &CellId| self.heap.class(*it).is_some_and(|it| it.is_dataclass);
        self.lineage(class).0.iter().any(is_dataclass) || self.is_made_from(class, NAMED_TUPLE)
    }

    /// The names of its fields, in order, those of its bases first.
    fn fields(&self, class: CellId) -> Vec<&'p str> {
        let mut fields = Vec::new();
        for class in self.lineage(class).0.into_iter().rev() {
            let Some(def) = self.heap.class(class).map(|it| it.def) else {
                continue;
            };
            for name in def.body.iter().filter_map(field) {
                if !fields.contains(&name) {
                    fields.push(name);
                }
            }
        }
        fields
    }

    /// Gives the fields of a new object their values: what is passed, or else their defaults.
    pub(super) fn fill_record(
        &mut self,
        object: &Value<'p>,
        class: CellId,
        args: &Args<'p>,
        range: TextRange,
    ) {
        let mut positional = args.positional.iter();
        for name in self.fields(class) {
            let default = self.class_attribute(class, name);
            let value = match (positional.next().or_else(|| args.name(name)), default) {
                (Some(value), _) => value.clone(),
                (None, _) if args.open => Value::Unknown,
                (None, Some(default)) => self.default_of_field(default, range),
                (None, None) => Value::Unknown,
            };
            self.set_attribute(object, name, value);
        }
        self.special(object, "__post_init__", Vec::new(), range);
    }

    fn default_of_field(&mut self, default: Value<'p>, range: TextRange) -> Value<'p> {
        let kind = match default {
            Value::Object(cell) => self.heap.object(cell).map(|it| it.kind.clone()),
            _ => None,
        };
        match kind {
            Some(Kind::Field(made_by, true)) => self.call(&made_by, Args::default(), range),
            Some(Kind::Field(value, false)) => value,
            _ => default,
        }
    }

    /// What the text of an object shows of it: the fields of a dataclass or a named tuple.
    pub(super) fn shown_fields(&self, cell: CellId) -> Vec<Value<'p>> {
        let Some(object) = self.heap.object(cell) else {
            return Vec::new();
        };
        let Kind::Instance(class) = object.kind else {
            return Vec::new();
        };
        if !self.is_record(class) {
            return Vec::new();
        }
        let fields = self.fields(class).into_iter();
        fields
            .filter_map(|name| object.fields.get(name).cloned())
            .collect()
    }

    /// The elements of a named tuple.
    pub(super) fn elements_of_tuple(&self, cell: CellId, class: CellId) -> Option<Vec<Value<'p>>> {
        self.is_made_from(class, NAMED_TUPLE)
            .then(|| self.shown_fields(cell))
    }

    /// Applies the decorators of a class: the dataclass that it becomes, or what the program's own make of it.
    pub(super) fn decorate_class(
        &mut self,
        def: &'p ast::StmtClassDef,
        class: CellId,
    ) -> Value<'p> {
        let mut value = Value::Class(class);
        for decorator in def.decorator_list.iter().rev() {
            let function = self.expression(&decorator.expression);
            match &function {
                Value::External(name) if &**name == DATACLASS => {
                    if let Cell::Class(class) = self.heap.edit(class) {
                        class.is_dataclass = true;
                    }
                }
                Value::Function(_) | Value::Method(_) => {
                    let given =
                        self.call(&function, Args::of(vec![value.clone()]), decorator.range());
                    if !matches!(given, Value::Unknown | Value::None) {
                        value = given;
                    }
                }
                _ => {}
            }
        }
        value
    }
}

/// The decorator that makes dataclasses, also where it was called with options.
pub(crate) const DATACLASS: &str = "dataclasses.dataclass";

/// The name of the field that a statement of a class's body declares.
fn field(statement: &Stmt) -> Option<&str> {
    let Stmt::AnnAssign(it) = statement else {
        return None;
    };
    let annotation = match &*it.annotation {
        Expr::Subscript(it) => &*it.value,
        other => other,
    };
    let is_shared = match annotation {
        Expr::Name(name) => name.id.as_str() == "ClassVar",
        Expr::Attribute(it) => it.attr.as_str() == "ClassVar",
        _ => false,
    };
    let name = it.target.as_name_expr()?.id.as_str();
    (!is_shared).then_some(name)
}
