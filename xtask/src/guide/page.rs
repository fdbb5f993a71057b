//! What a page of the guide has to be run.

use pulldown_cmark::{CodeBlockKind, Event, Parser, Tag, TagEnd};

/// A page as a script.
#[derive(Debug, PartialEq, Eq)]
pub struct Page {
    /// In their order.
    pub steps: Vec<Step>,
}

/// A block of code that is a part of the script.
#[derive(Debug, PartialEq, Eq)]
pub enum Step {
    /// A file to write.
    File {
        /// Its name.
        name: String,
        /// Its text.
        content: String,
    },
    /// Commands to run.
    Commands(Vec<String>),
    /// Lines that the commands before it printed.
    Printed(Vec<String>),
}

impl Page {
    /// Reads a page.
    pub fn parse(source: &str) -> Page {
        let mut steps = Vec::new();
        let mut kind = None;
        let mut content = String::new();
        for event in Parser::new(source) {
            match event {
                Event::Start(Tag::CodeBlock(CodeBlockKind::Fenced(info))) => {
                    kind = Some(info.to_string());
                    content.clear();
                }
                Event::Text(text) if kind.is_some() => content.push_str(&text),
                Event::End(TagEnd::CodeBlock) => {
                    steps.extend(kind.take().and_then(|kind| step(&kind, &content)));
                }
                _ => {}
            }
        }
        Page { steps }
    }
}

fn step(kind: &str, content: &str) -> Option<Step> {
    let lines = || content.lines().map(str::to_owned).collect();
    match kind.split_once(' ').unwrap_or((kind, "")) {
        ("python", name) if !name.is_empty() => Some(Step::File {
            name: name.to_owned(),
            content: content.to_owned(),
        }),
        ("sh", _) => Some(Step::Commands(lines())),
        ("text", _) => Some(Step::Printed(lines())),
        _ => None,
    }
}

/// The first of these lines that the printed ones do not have, after the one before it. The end of a line may be left out.
pub fn missing<'a>(printed: &str, lines: &'a [String]) -> Option<&'a str> {
    let mut printed = printed.lines();
    lines
        .iter()
        .find(|line| !printed.any(|it| it.contains(line.as_str())))
        .map(String::as_str)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_are_steps() {
        let source =
            "a\n```python b.py\nc\n```\n```sh\nd\ne\n```\n```text\nf\n```\n```json\n{}\n```\n";
        let of = |text: &str| vec![text.to_owned()];
        assert_eq!(
            Page::parse(source).steps,
            [
                Step::File {
                    name: "b.py".to_owned(),
                    content: "c\n".to_owned()
                },
                Step::Commands(vec!["d".to_owned(), "e".to_owned()]),
                Step::Printed(of("f")),
            ]
        );
    }

    #[test]
    fn lines_are_looked_for_in_their_order() {
        let lines = |texts: [&str; 2]| texts.map(str::to_owned);
        assert_eq!(missing("a 1\nb\nc 2\n", &lines(["a", "c"])), None);
        assert_eq!(missing("a\nb\n", &lines(["b", "a"])), Some("a"));
    }
}
