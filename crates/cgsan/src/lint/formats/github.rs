//! Annotations: the commands that GitHub's workflows read from a step's output.

use cgsan_finding::Location;
use cgsan_lint::{Outcome, Project};

use super::{Level, concise};

/// A command for each finding, for each syntax error, and for what was evaluated in part only. The message begins with the place, since logs show it alone.
pub fn write(outcome: &Outcome, project: &Project) -> String {
    let findings = outcome.findings.iter().filter_map(|found| {
        let at = found.location.as_ref()?;
        let level = match Level::of(found) {
            Level::Error => "error",
            Level::Warning => "warning",
            Level::Remark => "notice",
        };
        let place = concise::place(at);
        let help = found.help.first().map(|help| format!("\n{help}"));
        let message = format!(
            "{place}: {} {}{}",
            found.id,
            found.title,
            help.unwrap_or_default()
        );
        Some(annotation(level, at, project, found.id, &message))
    });
    let errors = outcome.errors.iter().map(|error| {
        let message = format!("{}: {}", concise::place(&error.location), error.message);
        annotation(
            "error",
            &error.location,
            project,
            "invalid Python syntax",
            &message,
        )
    });
    let unfinished = outcome.unfinished.iter().map(|it| {
        let message = format!("{}: {}", concise::place(&it.location), it.message());
        annotation("notice", &it.location, project, "unfinished", &message)
    });
    let commands: String = findings.chain(errors).chain(unfinished).collect();
    cgsan_render::shown(&commands)
}

fn annotation(level: &str, at: &Location, project: &Project, title: &str, message: &str) -> String {
    format!(
        "::{level} file={}{},title={}::{}\n",
        property(&at.file.to_string_lossy()),
        region(at, project),
        property(&format!("cgsan {title}")),
        data(message)
    )
}

/// The lines and columns. GitHub reads columns only within one line; in a notebook, the line is the file's.
fn region(at: &Location, project: &Project) -> String {
    let line = project.line_in_file(at).unwrap_or(1);
    match &at.span {
        Some(span) if at.cell.is_none() && span.end_line == at.line => {
            let (from, to) = (span.column, span.end_column);
            format!(",line={line},col={from},endLine={line},endColumn={to}")
        }
        Some(span) if at.cell.is_none() => format!(",line={line},endLine={}", span.end_line),
        _ => format!(",line={line}"),
    }
}

/// A message: line breaks would end the command, and a percent sign begins what stands for a character.
fn data(text: &str) -> String {
    text.replace('%', "%25")
        .replace('\r', "%0D")
        .replace('\n', "%0A")
}

/// The value of a property, which a comma or a colon would end.
fn property(text: &str) -> String {
    data(text).replace(':', "%3A").replace(',', "%2C")
}

#[cfg(test)]
mod tests {
    use super::*;
    use cgsan_finding::{Cell, Span};

    fn location(
        file: &str,
        (line, column): (u32, u32),
        (end_line, end_column): (u32, u32),
    ) -> Location {
        Location {
            file: file.into(),
            line,
            span: Some(Span {
                column,
                end_line,
                end_column,
                bytes: 0..0,
            }),
            cell: None,
            function: String::new(),
        }
    }

    #[test]
    fn what_has_a_meaning_in_commands_is_escaped() {
        let at = location("a,b:c%\n.py", (3, 5), (3, 9));
        assert_eq!(
            annotation("error", &at, &Project::default(), "CG101", "50%: a, b\r\nc"),
            "::error file=a%2Cb%3Ac%25%0A.py,line=3,col=5,endLine=3,endColumn=9,title=cgsan CG101::50%25: a, b%0D%0Ac\n"
        );
    }

    #[test]
    fn columns_are_left_out_where_there_are_several_lines() {
        let at = location("a.py", (3, 5), (4, 2));
        assert_eq!(region(&at, &Project::default()), ",line=3,endLine=4");
    }

    #[test]
    fn a_cells_line_is_that_of_the_file() {
        let cell =
            r#"{"cell_type": "code", "source": ["a\n", "b"], "metadata": {}, "outputs": []}"#;
        let json =
            format!("{{\"nbformat\": 4, \"metadata\": {{}}, \"cells\": [\n{cell},\n{cell}]}}");
        let mut project = Project::default();
        project.set_text("a.ipynb".as_ref(), json);
        let mut at = location("a.ipynb", (3, 5), (3, 9));
        at.cell = Some(Cell { number: 2, line: 1 });
        assert_eq!(region(&at, &project), ",line=3");
    }
}
