//! What a command wrote to a terminal, as HTML: its styles become elements with classes.

use maud::{Markup, html};

/// What begins a sequence that styles text, and what ends it.
const BEGIN: &str = "\u{1b}[";
const END: char = 'm';

/// The names of the eight colours, in the order of their numbers.
const COLOURS: [&str; 8] = [
    "black", "red", "green", "yellow", "blue", "magenta", "cyan", "white",
];

/// A session, with the commands that were typed emphasised.
pub fn session(text: &str) -> Markup {
    html! {
        pre.terminal tabindex="0" {
            code {
                @for line in text.lines() {
                    @if let Some(command) = line.strip_prefix("$ ") {
                        span.prompt { "$ " } strong { (command) }
                    } @else {
                        (styled(line))
                    }
                    "\n"
                }
            }
        }
    }
}

/// A line whose sequences set colours, bold and dim letters. Others are left out.
fn styled(line: &str) -> Markup {
    let mut parts = line.split(BEGIN);
    let plain = parts.next().unwrap_or_default();
    let mut style = Style::default();
    let mut spans = Vec::new();
    for part in parts {
        let (codes, text) = part.split_once(END).unwrap_or((part, ""));
        for code in codes.split(';') {
            style.set(code.parse().unwrap_or(0));
        }
        if !text.is_empty() {
            spans.push((style.classes(), text));
        }
    }
    html! {
        (plain)
        @for (classes, text) in &spans {
            @if classes.is_empty() { (text) } @else { span class=(classes) { (text) } }
        }
    }
}

/// How letters look.
#[derive(Clone, Copy, Default)]
struct Style {
    bold: bool,
    dim: bool,
    colour: Option<&'static str>,
}

impl Style {
    /// Changes the style as ECMA-48 says for a parameter of "select graphic rendition".
    fn set(&mut self, code: usize) {
        match code {
            0 => *self = Style::default(),
            1 => self.bold = true,
            2 => self.dim = true,
            22 => (self.bold, self.dim) = (false, false),
            30..=37 => self.colour = Some(COLOURS[code - 30]),
            90..=97 => self.colour = Some(COLOURS[code - 90]),
            39 => self.colour = None,
            _ => {}
        }
    }

    fn classes(self) -> String {
        let classes = [
            self.bold.then_some("bold"),
            self.dim.then_some("dim"),
            self.colour,
        ];
        classes.into_iter().flatten().collect::<Vec<_>>().join(" ")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn styles_become_classes() {
        let line = "a \u{1b}[1m\u{1b}[91merror\u{1b}[0m: <b>\u{1b}[2;36mc\u{1b}[22md\u{1b}[39me";
        assert_eq!(
            styled(line).into_string(),
            "a <span class=\"bold red\">error</span>: &lt;b&gt;<span class=\"dim cyan\">c</span>\
             <span class=\"cyan\">d</span>e"
        );
    }

    #[test]
    fn a_command_is_told_from_what_it_wrote() {
        assert_eq!(
            session("$ cgsan env\nok").into_string(),
            "<pre class=\"terminal\" tabindex=\"0\"><code><span class=\"prompt\">$ </span>\
             <strong>cgsan env</strong>\nok\n</code></pre>"
        );
    }
}
