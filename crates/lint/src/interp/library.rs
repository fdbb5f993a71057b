//! What a library that programs are written for brings along: its values and what holds while it is used, as far as the
//! interpreter carries these from place to place.

use std::fmt::Debug;

use super::event::Event;
use super::object::Object;
use super::reach::Open;
use super::value::{CellId, Value};
use super::{Frame, Heap};
use crate::project::FileId;

/// The types of a library, and what is known of their values after two ways that the program may have taken.
pub(crate) trait Library: Copy + Debug + Default + 'static {
    /// What an object is that the library makes.
    type Object<'p>: Clone + Debug;

    /// What a value is that takes part in operators as the library says: of an extension type, as Python calls it.
    type Extension: Clone + Debug;

    /// What is known of an object beside its fields, be it of the library or of a class of the project.
    type About: Copy + Debug + Default;

    /// What is known of the program as a whole. Nothing of it is put back when another way is followed.
    type State<'p>: Debug;

    /// What holds from one statement to the next on the way that is followed, apart from values.
    type Flow: Clone + Debug;

    /// What is noted of a function while it is followed.
    type Frame: Debug + Default;

    /// What is to be done when a context of the library is left.
    type Exit<'p>: Debug;

    /// What happens in a program: what the language does, and what the library does.
    type Event<'e, 'p: 'e>: From<Event<'e, 'p>>;

    /// What holds where a program begins.
    fn begin<'p>(heap: &mut Heap<'p, Self>, file: FileId) -> (Self::State<'p>, Self::Flow);

    /// What holds where a function begins that nobody was seen to call.
    fn begin_uncalled() -> Self::Flow;

    /// A function has returned: what was noted of it is its caller's.
    fn frame_left<'p>(left: &mut Frame<'p, Self>, around: &mut Frame<'p, Self>);

    /// What is known of a value that is as the one or as the other says.
    fn join_extensions(left: &Self::Extension, right: &Self::Extension) -> Self::Extension;

    /// What is known of what is one of two values of extension types.
    fn join_references<'p>(heap: &mut Heap<'p, Self>, left: CellId, right: CellId) -> Value<'p>;

    /// What is known of an object that is as the one or as the other says.
    fn join_objects<'p>(
        heap: &mut Heap<'p, Self>,
        left: Self::Object<'p>,
        right: Self::Object<'p>,
    ) -> Self::Object<'p>;

    /// The same of what is known beside its fields.
    fn join_about(left: Self::About, right: Self::About) -> Self::About;

    /// What is one of two objects, where more is known of that than that it is an object.
    fn join_unlike<'p>(heap: &mut Heap<'p, Self>, left: CellId, right: CellId)
    -> Option<Value<'p>>;

    /// A context that is one of two, where both are to be followed as a statement enters it.
    fn either_context<'p>(
        heap: &Heap<'p, Self>,
        left: &Value<'p>,
        right: &Value<'p>,
    ) -> Option<Object<'p, Self>>;

    /// What is done with an object of the library may not be seen from here on.
    fn lose(heap: &mut Heap<'_, Self>, object: CellId);

    /// What an object of the library refers to.
    fn parts_of_object<'p>(object: &Self::Object<'p>, open: &mut Open<'p>);

    /// What a value of an extension type refers to.
    fn parts_of_extension(value: &Self::Extension, open: &mut Open<'_>);
}
