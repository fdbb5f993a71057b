//! Classes of the project and their objects.

use std::rc::Rc;

use rustc_hash::FxHashMap;

use super::object::{Kind, Object};
use super::value::{CellId, Class, FunctionKind, Number, Value};
use super::{Args, Cell, Frame, Interp, Semantics};
use crate::site::Site;
use crate::syntax::ast::{self, TextRange};

impl<'p, L: Semantics> Interp<'p, L> {
    pub(super) fn define_class(&mut self, def: &'p ast::StmtClassDef) {
        let Some(frame) = self.frames.last() else {
            return;
        };
        let (file, around) = (frame.file, frame.scope);
        let bases: Vec<Value<'p>> = def
            .arguments
            .iter()
            .flat_map(|it| it.args.iter())
            .map(|it| self.expression(it))
            .collect();
        let scope = self
            .heap
            .add(Cell::Scope(FxHashMap::default(), Some(around)));
        let class = self.heap.next();
        for base in &bases {
            if let Value::Class(base) = base {
                self.derived.entry(*base).or_default().push(class);
            }
        }
        let class = self.heap.add(Cell::Class(Class {
            def,
            bases,
            scope,
            is_dataclass: false,
        }));
        let mut frame = Frame::module(file, def.name.as_str(), scope, None, 0);
        frame.class = Some(class);
        self.frames.push(frame);
        self.block(&def.body);
        self.frames.pop();
        let value = self.decorate_class(def, class);
        self.set_name(def.name.as_str(), value);
    }

    /// Whether a scope is the body of the class that is being defined.
    pub(super) fn is_class_scope(&self, scope: CellId) -> bool {
        self.frames
            .last()
            .and_then(|frame| self.heap.class(frame.class?))
            .is_some_and(|class| class.scope == scope)
    }

    pub(super) fn object_attribute(
        &mut self,
        cell: CellId,
        name: &str,
        range: TextRange,
    ) -> Value<'p> {
        let Some(object) = self.heap.object(cell) else {
            return Value::Unknown;
        };
        if let Some(value) = object.fields.get(name) {
            return value.clone();
        }
        let itself = Value::Object(cell);
        match object.kind.clone() {
            Kind::Instance(class) => match self.class_attribute(class, name) {
                Some(value) => self.bound(value, itself, class, range),
                None if L::has_methods(self, class) => {
                    Value::Native(Rc::new((itself, name.to_owned())))
                }
                None => {
                    if let Some(part) = self.inherited(cell) {
                        return self.object_attribute(part, name, range);
                    }
                    let name = Value::text(name);
                    let given = self.special(&itself, "__getattr__", vec![name], range);
                    given.unwrap_or(Value::Unknown)
                }
            },
            Kind::Super(class, object) => self.attribute_of_super(class, object, name, range),
            _ => match L::object_attribute(self, cell, name, range) {
                Some(value) => value,
                None => Value::Native(Rc::new((itself, name.to_owned()))),
            },
        }
    }

    pub(super) fn bound(
        &mut self,
        value: Value<'p>,
        object: Value<'p>,
        class: CellId,
        range: TextRange,
    ) -> Value<'p> {
        let Value::Function(function) = &value else {
            return value;
        };
        match function.kind {
            FunctionKind::Static => value,
            FunctionKind::Class => Value::Method(Rc::new((Value::Class(class), value))),
            FunctionKind::Plain => Value::Method(Rc::new((object, value))),
            FunctionKind::Property => {
                self.call_function(&Rc::clone(function), Args::of(vec![object]), range)
            }
        }
    }

    /// A new object, made here.
    pub(crate) fn new_object(&mut self, kind: Kind<'p, L>, made: Site) -> Value<'p> {
        let loops = Rc::clone(&self.loops.around);
        Value::Object(self.heap.add(Cell::Object(Object {
            kind,
            fields: FxHashMap::default(),
            made,
            loops,
            about: L::About::default(),
            open: false,
        })))
    }

    pub(super) fn instantiate(
        &mut self,
        class: CellId,
        args: &Args<'p>,
        range: TextRange,
    ) -> Value<'p> {
        let site = self.site(range);
        let object = self.new_object(Kind::Instance(class), site);
        if let Value::Object(cell) = &object {
            L::made(self, *cell, class);
        }
        if let Some(Value::Function(init)) = self.class_attribute(class, "__init__") {
            let args = args.after(object.clone());
            self.call_function(&init, args, range);
        } else if self.is_record(class) {
            self.fill_record(&object, class, args, range);
        } else {
            // Classes that others make keep what they are given under the names of their fields.
            for (name, value) in &args.named {
                self.set_attribute(&object, name, value.clone());
            }
            for value in &args.positional {
                self.escape(value);
            }
            if let Value::Object(cell) = object {
                self.inherit(cell, args, range);
            }
        }
        object
    }

    /// An object of a class that nobody made here. What its constructor sets may have been set anew since.
    pub(super) fn instance_from_nowhere(&mut self, class: CellId) -> Value<'p> {
        let Some(def) = self.heap.class(class).map(|class| class.def) else {
            return Value::Unknown;
        };
        let site = Site {
            file: self
                .frames
                .last()
                .map_or(self.first_file(), |frame| frame.file),
            range: def.name.range,
        };
        let object = self.new_object(Kind::Instance(class), site);
        self.forget_overridden(&object, class);
        if let Some(Value::Function(init)) = self.class_attribute(class, "__init__") {
            let visited = self.functions.visited.insert(init.code.address());
            self.call_from_nowhere(&init, Some(object.clone()));
            if !visited {
                self.functions.visited.insert(init.code.address());
            }
        }
        let Value::Object(cell) = &object else {
            return object;
        };
        let mut containers = Vec::new();
        if let Some(object) = self.heap.object_mut(*cell) {
            object.open = true;
            for value in object.fields.values_mut() {
                *value = match &value {
                    Value::Dict(_) | Value::List(_) => {
                        containers.push(value.clone());
                        continue;
                    }
                    Value::None => Value::Unknown,
                    Value::Bool(_) => Value::Bool(None),
                    Value::Number(_) => Value::Number(Number::default()),
                    Value::Text(_) => Value::Text(None),
                    _ => continue,
                };
            }
        }
        for container in containers {
            self.heap.forget_elements(&container);
        }
        object
    }

    /// An object of which nobody knows the class may be of one that overrides methods of this one.
    fn forget_overridden(&mut self, object: &Value<'p>, class: CellId) {
        let Value::Object(cell) = object else { return };
        let overridden = self.overridden(class);
        if let Some(object) = self.heap.object_mut(*cell) {
            let unknown = overridden
                .into_iter()
                .map(|it| (Rc::from(it), Value::Unknown));
            object.fields.extend(unknown);
        }
    }

    fn first_file(&self) -> crate::project::FileId {
        self.modules.keys().min().copied().unwrap_or_default()
    }

    pub(super) fn call_instance(
        &mut self,
        cell: CellId,
        class: CellId,
        args: &Args<'p>,
        range: TextRange,
    ) -> Value<'p> {
        match self.class_attribute(class, "__call__") {
            Some(method) => self.call(&method, args.after(Value::Object(cell)), range),
            None => self.call_unknown(args),
        }
    }
}
