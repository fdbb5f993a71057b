//! The few styles beside those of the snippets.

use anstyle::{AnsiColor, Effects, Style};

/// Paints text, or leaves it plain.
#[derive(Clone, Copy)]
pub struct Painter {
    color: bool,
}

impl Painter {
    pub fn new(color: bool) -> Self {
        Painter { color }
    }

    /// What matters most on its line.
    pub fn strong(self, text: &str) -> String {
        self.paint(Style::new().effects(Effects::BOLD), text)
    }

    /// What may be skipped.
    pub fn dim(self, text: &str) -> String {
        self.paint(Style::new().effects(Effects::DIMMED), text)
    }

    /// The word `error` and ids.
    pub fn error(self, text: &str) -> String {
        self.paint(
            AnsiColor::BrightRed.on_default().effects(Effects::BOLD),
            text,
        )
    }

    /// The word `note`, and code.
    pub fn note(self, text: &str) -> String {
        self.paint(AnsiColor::BrightGreen.on_default(), text)
    }

    /// Headings.
    pub fn heading(self, text: &str) -> String {
        self.paint(
            AnsiColor::BrightCyan.on_default().effects(Effects::BOLD),
            text,
        )
    }

    /// Each line is painted by itself, so that a margin drawn between them keeps its own style.
    fn paint(self, style: Style, text: &str) -> String {
        if !self.color {
            return text.to_owned();
        }
        let lines: Vec<String> = text
            .split('\n')
            .map(|line| format!("{style}{line}{style:#}"))
            .collect();
        lines.join("\n")
    }
}
