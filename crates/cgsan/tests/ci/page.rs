//! Pages in Markdown, read as GitHub reads them.

use pulldown_cmark::{Event, Options, Parser, Tag};

/// The markup that cgsan writes itself.
const OWN: [&str; 3] = ["<details>\n", "</details>\n", "<summary>"];

/// Fails if a page has other markup than tables, code, lists, and blocks to unfold.
pub fn check(page: &str) {
    let (mut tables, mut opened) = (0, 0);
    for event in Parser::new_ext(page, Options::ENABLE_TABLES | Options::ENABLE_MATH) {
        match event {
            Event::Html(html) => {
                assert!(OWN.iter().any(|it| html.starts_with(it)), "{html}");
                let signs = html.matches('<').count();
                assert_eq!(
                    signs,
                    if html.starts_with("<summary>") { 2 } else { 1 },
                    "{html}"
                );
                opened += usize::from(&*html == "<details>\n");
            }
            Event::InlineHtml(html) => panic!("{html}"),
            Event::InlineMath(text) | Event::DisplayMath(text) => panic!("{text}"),
            Event::Start(Tag::Link { dest_url, .. } | Tag::Image { dest_url, .. }) => {
                panic!("{dest_url}")
            }
            Event::Start(Tag::Table(columns)) => {
                assert_eq!(columns.len(), 4);
                tables += 1;
            }
            Event::Start(Tag::Heading { level, .. }) => assert_eq!(level as u8, 2),
            _ => {}
        }
    }
    assert_eq!((tables, opened), (1, 1), "{page}");
}

#[test]
fn a_report_is_a_table_and_a_block_to_unfold() {
    check(&super::report("markdown"));
}
