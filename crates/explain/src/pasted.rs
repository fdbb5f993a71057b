//! The Python in a text: between fences, behind prompts, indented, or just there.

/// The program that a text holds, with every line that is no part of it left blank, so that lines keep their numbers;
/// `None` if there is none that speaks of PyTorch.
pub fn program(text: &str) -> Option<String> {
    let lines: Vec<&str> = text.lines().map(without_prompt).collect();
    let is_fenced = lines.iter().any(|line| is_fence(line));
    let passages = if is_fenced {
        fenced(&lines)
    } else {
        loose(&lines)
    };
    let mut program = vec![String::new(); lines.len()];
    for (start, end) in passages {
        let passage = &lines[start..end];
        if !passage.iter().any(|line| line.contains("torch")) {
            continue;
        }
        let margin = passage.iter().find(|line| !line.trim().is_empty());
        let margin = margin.map_or(0, |line| indentation(line));
        for (line, kept) in passage.iter().zip(&mut program[start..end]) {
            line[margin.min(indentation(line))..].clone_into(kept);
        }
    }
    let is_empty = program.iter().all(String::is_empty);
    (!is_empty).then(|| program.join("\n"))
}

/// A line without the marks of a quotation and the prompts of Python and `IPython`.
fn without_prompt(line: &str) -> &str {
    let mut rest = line;
    while let Some(quoted) = rest.strip_prefix("> ") {
        rest = quoted;
    }
    let trimmed = rest.trim_start();
    for prompt in [">>> ", "... ", "...: "] {
        if let Some(code) = trimmed.strip_prefix(prompt) {
            return code;
        }
    }
    let cell = trimmed.strip_prefix("In [");
    cell.and_then(|cell| cell.split_once("]: "))
        .filter(|(number, _)| number.bytes().all(|byte| byte.is_ascii_digit()))
        .map_or(rest, |(_, code)| code)
}

fn indentation(line: &str) -> usize {
    line.len() - line.trim_start_matches([' ', '\t']).len()
}

fn is_fence(line: &str) -> bool {
    line.trim_start().starts_with("```")
}

/// The passages between fences that are marked as Python, or as nothing and look like it.
fn fenced(lines: &[&str]) -> Vec<(usize, usize)> {
    let mut passages = Vec::new();
    let mut at = 0;
    while let Some(open) = lines[at..].iter().position(|line| is_fence(line)) {
        let open = at + open;
        let start = open + 1;
        let length = lines[start..].iter().position(|line| is_fence(line));
        let end = length.map_or(lines.len(), |length| start + length);
        let language = lines[open].trim().trim_start_matches('`').to_lowercase();
        let body = &lines[start..end];
        let is_python = match language.as_str() {
            "python" | "py" | "python3" | "ipython" => true,
            "" => body.iter().any(|line| begins(line)) && !body.iter().any(|line| is_frame(line)),
            _ => false,
        };
        if is_python {
            passages.push((start, end));
        }
        at = (end + 1).min(lines.len());
    }
    passages
}

/// The passages of a text without fences that read like Python.
fn loose(lines: &[&str]) -> Vec<(usize, usize)> {
    let mut passages = Vec::new();
    let mut start = None;
    for (number, line) in lines.iter().enumerate() {
        let after_frame = number > 0 && is_frame(lines[number - 1]);
        let goes_on = !after_frame && !is_frame(line) && is_code(line);
        match start {
            None if goes_on && begins(line) => start = Some(number),
            Some(from) if !goes_on => {
                passages.push((from, number));
                start = None;
            }
            _ => {}
        }
    }
    passages.extend(start.map(|from| (from, lines.len())));
    passages
}

/// Whether a line is a frame of a traceback, or its head.
fn is_frame(line: &str) -> bool {
    let line = line.trim_start();
    line.starts_with("File \"") || line.starts_with("Traceback (most recent call last)")
}

/// Whether a line is a statement that prose does not begin with.
fn begins(line: &str) -> bool {
    let line = line.trim_start();
    let is_import = line.starts_with("import ") && line.split_whitespace().count() <= 4
        || line.starts_with("from ") && line.contains(" import ");
    let opens = ["with ", "def ", "class ", "for ", "while ", "async def "];
    is_import
        || opens.iter().any(|word| line.starts_with(word)) && line.trim_end().ends_with(':')
        || line.starts_with("@torch")
        || is_assignment(line)
}

/// Whether a line may be a part of a program.
fn is_code(line: &str) -> bool {
    let trimmed = line.trim();
    trimmed.is_empty()
        || trimmed.starts_with(['#', '@', ')', ']', '}'])
        || begins(line)
        || indentation(line) > 0
        || trimmed.ends_with([':', ')', ',', '(', '['])
            && trimmed.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
}

/// `name = …` or `name.attribute[index] += …`, and no sentence.
fn is_assignment(line: &str) -> bool {
    let Some((target, value)) = line.split_once('=') else {
        return false;
    };
    let target = target.trim_end().trim_end_matches(['+', '-', '*', '/']);
    let is_name = |c: char| c.is_ascii_alphanumeric() || "_.,[]() '\"".contains(c);
    !target.is_empty()
        && !value.starts_with('=')
        && target.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
        && target.chars().all(is_name)
        && target.split_whitespace().all(|word| {
            target.split_whitespace().count() == 1 || word.ends_with(',') || target.ends_with(word)
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn code_between_fences_keeps_its_lines() {
        let text = "It fails:\n```python\n    import torch\n    y = x.item()\n```\nWhy?\n```\n$ nvidia-smi\n```\n";
        assert_eq!(
            program(text).as_deref(),
            Some("\n\nimport torch\ny = x.item()\n\n\n\n\n")
        );
    }

    #[test]
    fn prompts_and_quotations_are_taken_off() {
        let text = "> >>> import torch\n> >>> with torch.cuda.graph(g):\n> ...     y = f(x)\n";
        assert_eq!(
            program(text).as_deref(),
            Some("import torch\nwith torch.cuda.graph(g):\n    y = f(x)")
        );
    }

    #[test]
    fn loose_code_ends_where_prose_begins() {
        let text = "I do this\nimport torch\ng = torch.cuda.CUDAGraph()\nwith torch.cuda.graph(g):\n    y = f(x)\n\
                    and then it hangs = bad\n";
        let program = program(text).unwrap();
        assert!(program.starts_with("\nimport torch\n"), "{program}");
        assert!(program.ends_with("    y = f(x)\n"), "{program}");
    }

    #[test]
    fn tracebacks_and_prose_are_no_programs() {
        for text in [
            "Traceback (most recent call last):\n  File \"a.py\", line 1, in f\n    torch.x()\nRuntimeError: no\n",
            "Does torch.compile work? I do not know.",
            "",
        ] {
            assert_eq!(program(text), None, "{text}");
        }
    }
}
