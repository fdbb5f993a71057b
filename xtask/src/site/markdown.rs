//! A Markdown file of the repository as a part of a page.

use std::collections::BTreeMap;

use maud::{Markup, PreEscaped};
use pulldown_cmark::{CowStr, Event, HeadingLevel, LinkType, Options, Parser, Tag, TagEnd, html};

use super::{terminal, text};

/// What a file says.
pub struct Text {
    /// Its first heading.
    pub title: String,
    /// All of it, as HTML.
    pub body: Markup,
    /// What stands under each heading, in order.
    pub sections: Vec<Section>,
}

/// A heading with what stands under it, as plain text.
pub struct Section {
    /// The anchor of the heading.
    pub id: String,
    /// The heading's level, from 1.
    pub level: u8,
    /// The heading.
    pub title: String,
    /// The words until the next heading.
    pub words: String,
}

/// What the files around one are needed for.
pub trait Surroundings {
    /// Where a link to a file of the repository leads on the site.
    fn link(&mut self, target: &str) -> String;
    /// The text of a file that is shown in place of a link to it; nothing if it is not.
    fn shown(&mut self, target: &str) -> Option<String>;
}

/// Turns a file into HTML. `root` is where the site's root is from the page.
pub fn render(source: &str, root: &str, surroundings: &mut impl Surroundings) -> Text {
    let events: Vec<Event<'_>> = Parser::new_ext(source, Options::ENABLE_TABLES).collect();
    let sections = sections(&events);
    let mut ids = sections.iter().map(|section| section.id.clone());
    let mut written = Vec::new();
    let mut events = events.into_iter().peekable();
    let mut verbatim = 0;
    while let Some(event) = events.next() {
        match event {
            // The files have comments alone, which say what writes a part of them.
            Event::Html(_) | Event::InlineHtml(_) => {}
            Event::Start(Tag::Heading { level, .. }) => written.push(Event::Start(Tag::Heading {
                level,
                id: ids.next().map(CowStr::from),
                classes: Vec::new(),
                attrs: Vec::new(),
            })),
            Event::Start(Tag::Table(columns)) => {
                written.push(raw("<div class=\"wide\" tabindex=\"0\">"));
                written.push(Event::Start(Tag::Table(columns)));
            }
            Event::End(TagEnd::Table) => {
                written.push(Event::End(TagEnd::Table));
                written.push(raw("</div>"));
            }
            Event::Start(Tag::Link {
                link_type,
                dest_url,
                title,
                id,
            }) => {
                if let Some(shown) = surroundings.shown(&dest_url) {
                    for _ in events
                        .by_ref()
                        .take_while(|it| !matches!(it, Event::End(TagEnd::Link)))
                    {
                    }
                    replace_paragraph(&mut written, &terminal::session(&shown).into_string());
                    if matches!(events.peek(), Some(Event::End(TagEnd::Paragraph))) {
                        events.next();
                    }
                    continue;
                }
                verbatim += 1;
                let dest_url = match link_type {
                    LinkType::Email => dest_url,
                    _ => surroundings.link(&dest_url).into(),
                };
                written.push(Event::Start(Tag::Link {
                    link_type,
                    dest_url,
                    title,
                    id,
                }));
            }
            Event::End(TagEnd::Link) => {
                verbatim -= 1;
                written.push(Event::End(TagEnd::Link));
            }
            Event::Start(Tag::CodeBlock(_)) => {
                verbatim += 1;
                written.push(raw("<pre tabindex=\"0\"><code>"));
            }
            Event::End(TagEnd::CodeBlock) => {
                verbatim -= 1;
                written.push(raw("</code></pre>\n"));
            }
            Event::Text(words) if verbatim == 0 => {
                written.push(raw(
                    &text::with_links(&words, &format!("{root}en/")).into_string()
                ));
            }
            event => written.push(event),
        }
    }
    let mut body = String::new();
    html::push_html(&mut body, written.into_iter());
    Text {
        title: sections
            .first()
            .map(|section| section.title.clone())
            .unwrap_or_default(),
        body: PreEscaped(body),
        sections,
    }
}

fn raw(html: &str) -> Event<'static> {
    Event::InlineHtml(html.to_owned().into())
}

/// Puts a block in place of the paragraph that has just begun.
fn replace_paragraph(written: &mut Vec<Event<'_>>, block: &str) {
    if matches!(written.last(), Some(Event::Start(Tag::Paragraph))) {
        written.pop();
    }
    written.push(raw(block));
}

/// The headings, each with an anchor of its own and the words under it.
fn sections(events: &[Event<'_>]) -> Vec<Section> {
    let mut seen: BTreeMap<String, usize> = BTreeMap::new();
    let mut sections: Vec<Section> = Vec::new();
    let mut in_heading = false;
    for event in events {
        match event {
            Event::Start(Tag::Heading { level, .. }) => {
                in_heading = true;
                sections.push(Section {
                    id: String::new(),
                    level: level_number(*level),
                    title: String::new(),
                    words: String::new(),
                });
            }
            Event::End(TagEnd::Heading(_)) => {
                in_heading = false;
                if let Some(section) = sections.last_mut() {
                    section.id = anchor(&section.title, &mut seen);
                }
            }
            Event::Text(words) | Event::Code(words) => {
                if let Some(section) = sections.last_mut() {
                    let place = if in_heading {
                        &mut section.title
                    } else {
                        &mut section.words
                    };
                    place.push_str(words);
                }
            }
            Event::SoftBreak
            | Event::HardBreak
            | Event::End(
                TagEnd::Paragraph | TagEnd::Item | TagEnd::TableCell | TagEnd::CodeBlock,
            ) => {
                if let Some(section) = sections.last_mut() {
                    section.words.push(' ');
                }
            }
            _ => {}
        }
    }
    sections
}

fn level_number(level: HeadingLevel) -> u8 {
    match level {
        HeadingLevel::H1 => 1,
        HeadingLevel::H2 => 2,
        HeadingLevel::H3 => 3,
        HeadingLevel::H4 => 4,
        HeadingLevel::H5 => 5,
        HeadingLevel::H6 => 6,
    }
}

/// The anchor of a heading, as GitHub makes it, so that links in the files work in both places.
fn anchor(title: &str, seen: &mut BTreeMap<String, usize>) -> String {
    let plain: String = title
        .to_lowercase()
        .chars()
        .filter_map(|c| match c {
            ' ' => Some('-'),
            c if c.is_alphanumeric() || c == '-' || c == '_' => Some(c),
            _ => None,
        })
        .collect();
    let count = seen.entry(plain.clone()).or_default();
    *count += 1;
    match *count {
        1 => plain,
        count => format!("{plain}-{}", count - 1),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Alone;

    impl Surroundings for Alone {
        fn link(&mut self, target: &str) -> String {
            format!("{target}!")
        }

        fn shown(&mut self, target: &str) -> Option<String> {
            (target == "a.ansi").then(|| "$ x".to_owned())
        }
    }

    fn html(source: &str) -> String {
        render(source, "../", &mut Alone).body.into_string()
    }

    #[test]
    fn headings_have_the_anchors_of_github() {
        let text = render("# A `b`: c\n\nd\n\n## E\n## E\n", "", &mut Alone);
        let ids: Vec<&str> = text.sections.iter().map(|it| it.id.as_str()).collect();
        assert_eq!(ids, ["a-b-c", "e", "e-1"]);
        assert_eq!(
            (text.title.as_str(), text.sections[0].words.trim()),
            ("A b: c", "d")
        );
        assert!(text.body.into_string().contains("<h2 id=\"e-1\">"));
    }

    #[test]
    fn links_are_asked_for_and_ids_become_links() {
        assert_eq!(
            html("[a CG101](b.md) CG102 `CG103`"),
            "<p><a href=\"b.md!\">a CG101</a> <a href=\"../en/CG102.html\">CG102</a> <code>CG103</code></p>\n"
        );
    }

    #[test]
    fn comments_are_left_out_and_code_is_escaped() {
        assert_eq!(
            html("<!-- a -->\n```sh\nb < c CG101\n```\n"),
            "<pre tabindex=\"0\"><code>b &lt; c CG101\n</code></pre>\n"
        );
    }

    #[test]
    fn a_session_is_shown_in_place_of_its_link() {
        let shown = html("[a session](a.ansi)\n");
        assert!(shown.starts_with("<pre class=\"terminal\""), "{shown}");
        assert!(!shown.contains("<p>"), "{shown}");
    }
}
