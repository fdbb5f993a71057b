//! The columns that `docs/export.md` lists are those that there are.

use std::fmt::Write as _;
use std::fs;
use std::path::Path;

use cgsan_export::{TABLES, VERSION, columns};

#[test]
fn every_column_is_documented() {
    let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/export.md");
    let page = fs::read_to_string(page).expect("the page");
    let mut all = columns().to_vec();
    // Those that say whose a row is are listed once.
    let owner: Vec<_> = all[0].drain(..5).collect();
    for table in &mut all[1..] {
        let begin: Vec<&str> = table.drain(..5).map(|column| column.name).collect();
        assert!(begin.iter().eq(owner.iter().map(|it| &it.name)));
    }
    let names = ["Every table".to_owned()].into_iter();
    let names = names.chain(TABLES.map(|name| format!("`{name}`")));
    for (name, columns) in names.zip(std::iter::once(owner).chain(all)) {
        let mut section = format!("### {name}\n");
        let (_, documented) = page.split_once(&section).expect("a section");
        section += "\n| column | type | what |\n|---|---|---|\n";
        for column in columns {
            let kind = column.kind.name();
            let _ = writeln!(section, "| `{}` | {kind} | {} |", column.name, column.what);
        }
        let documented = documented.split("\n### ").next().unwrap_or_default();
        let documented = documented.split("\n## ").next().unwrap_or_default();
        let rows: Vec<&str> = documented
            .lines()
            .filter(|it| it.starts_with('|'))
            .collect();
        let wanted: Vec<&str> = section.lines().filter(|it| it.starts_with('|')).collect();
        assert_eq!(rows, wanted, "docs/export.md should have:\n{section}");
    }
    assert!(page.contains(&format!("schema version {VERSION}")));
}
