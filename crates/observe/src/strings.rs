//! Strings, each written once.

use cgsan_trace::{Record, StringId};
use rustc_hash::FxHashMap;

use crate::writer::Writer;

/// The strings that the trace defines.
#[derive(Default)]
pub struct Strings {
    by_text: FxHashMap<Box<str>, StringId>,
    /// Where the text of a `&'static str` lies and how long it is: quicker than its contents, and as good.
    by_address: FxHashMap<(usize, usize), StringId>,
}

impl Strings {
    /// The id of a string, defining it at first sight.
    pub fn intern(&mut self, writer: &mut Writer, text: &str) -> StringId {
        if let Some(id) = self.by_text.get(text) {
            return *id;
        }
        let id = StringId(u32::try_from(self.by_text.len()).unwrap_or(u32::MAX));
        self.by_text.insert(text.into(), id);
        writer.append(Record::String {
            id,
            text: text.to_owned(),
        });
        id
    }

    /// The id of a string that lives as long as the process.
    #[inline]
    pub fn intern_static(&mut self, writer: &mut Writer, text: &'static str) -> StringId {
        let address = (text.as_ptr() as usize, text.len());
        if let Some(id) = self.by_address.get(&address) {
            return *id;
        }
        let id = self.intern(writer, text);
        self.by_address.insert(address, id);
        id
    }
}
