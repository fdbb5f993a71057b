//! What a code object says of itself.

use crate::layout::Layout;
use crate::memory::Memory;
use crate::text;
use crate::walk::Frame;

/// What a code object says of itself.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CodeText {
    /// The file, as the code object names it.
    pub file: String,
    /// The function's qualified name.
    pub function: String,
    /// The function's first line.
    pub first_line: u32,
}

/// The text of the code object of a frame.
pub fn code_text(memory: &impl Memory, layout: &Layout, frame: Frame) -> Option<CodeText> {
    let text = |offset| text::read(memory, layout, memory.pointer(frame.code, offset)?);
    Some(CodeText {
        file: text(layout.file)?,
        function: text(layout.function)?,
        first_line: memory.number(frame.code.checked_add(layout.first_line)?)?,
    })
}
