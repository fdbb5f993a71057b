//! Files that a program is started from: they capture nothing themselves, and what they import does.

/// Bytes at the end of a text in which it says that it is run.
const END: usize = 8 << 10;

/// Whether a text asks at its end if it is the program that runs, and not only in what it writes for another one.
pub(crate) fn is_started(text: &str) -> bool {
    let asks = |line: &str| line.starts_with("if ") && line.contains("__main__");
    end(text).lines().any(asks)
}

fn end(text: &str) -> &str {
    let mut from = text.len().saturating_sub(END);
    while !text.is_char_boundary(from) {
        from += 1;
    }
    &text[from..]
}

/// Whether the last statement of a text is a call or a loop, seen from its words.
pub(crate) fn acts(text: &str) -> bool {
    let begins = |line: &&str| line.starts_with(|it: char| it.is_alphabetic() || it == '_');
    let Some(statement) = end(text).lines().rev().find(begins) else {
        return false;
    };
    let loops = ["for ", "while ", "with "];
    let name = statement.find(|it: char| !(it.is_alphanumeric() || it == '_' || it == '.'));
    loops.iter().any(|word| statement.starts_with(word))
        || name.is_some_and(|end| statement[end..].starts_with('('))
}

#[cfg(test)]
mod tests {
    use super::{acts, is_started};

    #[test]
    fn programs_ask_whether_they_run() {
        assert!(is_started(
            "import app\n\nif __name__ == '__main__':\n    app.main()\n"
        ));
        assert!(!is_started(
            "def write(out):\n    out(\"if __name__ == '__main__':\")\n"
        ));
    }

    #[test]
    fn calls_and_loops_at_the_end_act() {
        assert!(acts("from app import main\n\nmain()\n"));
        assert!(acts(
            "import app\napp.serve(\n    port=1,\n)\n\n# The end.\n"
        ));
        assert!(acts("for step in range(3):\n    print(step)\n"));
    }

    #[test]
    fn definitions_do_not() {
        assert!(!acts(""));
        assert!(!acts("def f():\n    main()\n"));
        assert!(!acts("class A:\n    x = f()\n"));
        assert!(!acts("from app import main\n\nprocess = main\n"));
        assert!(!acts("__all__ = [\n    'f',\n]\n"));
    }
}
