//! What the catalogue knows, as text: an entry, a result code, the candidates for a text.

mod candidates;
mod code;
mod json;
mod page;
mod sheet;
mod words;

pub use candidates::{candidates, elsewhere};
pub use code::code;
pub use json::{FoundBy, candidates_json};
pub use page::{entry, entry_in_short, list};
