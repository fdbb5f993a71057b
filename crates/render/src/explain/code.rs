//! A result code of CUDA.

use cgsan_catalogue::{ErrorCode, Language, counted};

use super::sheet::{Sheet, page};
use super::words;
use crate::{Options, text};

/// All that is known about a result code.
pub fn code(code: &ErrorCode, language: Language, options: &Options) -> String {
    let sheet = Sheet::new(options, language);
    let words = sheet.words;
    let number = sheet
        .painter
        .error(&format!("{} {}:", words.error, code.code));
    let title = text::hang(code.text, sheet.width, 2);
    let header = format!(
        "{number} {}\n{}{}{}, {}",
        sheet.painter.strong(&title),
        words.name,
        words.colon,
        code.runtime,
        code.driver
    );
    let modes = code
        .entries()
        .map(|entry| sheet.line(&sheet.reference(entry)));
    let recorded = words::recorded(code.programs, code.calls, counted(), sheet.language);
    page([
        Some(header),
        sheet.prose(words.meaning, sheet.text(code.meaning)),
        sheet.section(words.modes, modes, "\n"),
        sheet.prose(words.recorded, &recorded),
    ])
}
