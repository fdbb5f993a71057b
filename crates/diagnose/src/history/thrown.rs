//! Exceptions.

use cgsan_model::ThreadId;
use cgsan_trace::StackFrame;

use super::Step;

/// An exception: what C++ threw, what Python saw of it, or both.
#[derive(Clone, Debug)]
pub(crate) struct Thrown<'t> {
    /// Where in the trace it was thrown; where Python reported it if C++ did not throw it.
    pub(crate) position: usize,
    /// Where Python first reported that it was in flight as a capture ended, or ended the program.
    pub(crate) reported: Option<usize>,
    pub(crate) thread: ThreadId,
    /// The type as a traceback prints it, e.g. `torch.AcceleratorError`.
    pub(crate) type_name: String,
    pub(crate) message: String,
    /// The Python stack where it was thrown, innermost frame first.
    pub(crate) stack: Vec<StackFrame>,
    /// The refused call that its thread made last before, if it made no other call since.
    pub(crate) after: Option<Step<'t>>,
}

impl Thrown<'_> {
    /// The first line of the message.
    pub(crate) fn headline(&self) -> &str {
        first_line(&self.message)
    }

    /// The type and the beginning of the message, as a traceback ends.
    pub(crate) fn summary(&self) -> String {
        match self.headline() {
            "" => self.type_name.clone(),
            headline => format!("{}: {}", self.type_name, beginning(headline)),
        }
    }

    /// Whether PyTorch's C++ threw it, rather than Python code.
    pub(crate) fn by_pytorch(&self) -> bool {
        self.reported != Some(self.position)
    }

    /// Whether a report by Python is of this exception. The texts differ in what was wrapped around them.
    pub(super) fn is_reported_as(&self, message: &str) -> bool {
        let (own, theirs) = (self.headline(), first_line(message));
        !own.is_empty() && !theirs.is_empty() && (own.contains(theirs) || theirs.contains(own))
    }
}

/// The type of a C++ exception, given by its mangled name, as Python's traceback prints it.
pub(super) fn python_type(mangled: &str) -> String {
    let cpp = demangle(mangled);
    match cpp.as_str() {
        "c10::Error" => "RuntimeError".to_owned(),
        "c10::DistBackendError" => "torch.distributed.DistBackendError".to_owned(),
        other => match other.strip_prefix("c10::") {
            Some(name @ ("AcceleratorError" | "OutOfMemoryError")) => format!("torch.{name}"),
            Some(name) => name.to_owned(),
            None => cpp,
        },
    }
}

/// A mangled class name of the Itanium ABI made readable: `N3c105ErrorE` is `c10::Error`. What is more than a plain
/// name stays as it is.
fn demangle(mangled: &str) -> String {
    let nested = mangled
        .strip_prefix('N')
        .and_then(|rest| rest.strip_suffix('E'));
    let mut rest = nested.unwrap_or(mangled);
    let mut parts = Vec::new();
    while !rest.is_empty() {
        let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
        let part = rest[..digits]
            .parse()
            .ok()
            .and_then(|length: usize| rest[digits..].split_at_checked(length));
        let Some((part, after)) = part else {
            return mangled.to_owned();
        };
        parts.push(part);
        rest = after;
    }
    parts.join("::")
}

/// As much of a message as a note has room for, in whole sentences if there are some: the program's own output has it
/// all.
fn beginning(message: &str) -> String {
    const ROOM: usize = 160;
    let Some((end, _)) = message.char_indices().nth(ROOM) else {
        return message.to_owned();
    };
    match message[..end].rfind(". ") {
        Some(sentence) => message[..=sentence].to_owned(),
        None => format!("{}…", &message[..end]),
    }
}

fn first_line(message: &str) -> &str {
    message
        .trim_start()
        .lines()
        .next()
        .unwrap_or_default()
        .trim_end()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_type_reads_as_in_a_traceback() {
        for (mangled, python) in [
            ("N3c105ErrorE", "RuntimeError"),
            ("N3c1016AcceleratorErrorE", "torch.AcceleratorError"),
            ("N3c1016OutOfMemoryErrorE", "torch.OutOfMemoryError"),
            ("N3c1010IndexErrorE", "IndexError"),
            ("12python_error", "python_error"),
            ("St13runtime_error", "St13runtime_error"),
            ("N3c1099999Error", "N3c1099999Error"),
            ("", ""),
        ] {
            assert_eq!(python_type(mangled), python);
        }
    }

    #[test]
    fn a_long_message_ends_after_a_sentence() {
        let long = format!("Out of memory. Tried {}", "x".repeat(200));
        assert_eq!(beginning(&long), "Out of memory.");
        let endless = "é".repeat(200);
        assert_eq!(beginning(&endless), format!("{}…", "é".repeat(160)));
        assert_eq!(beginning("short"), "short");
    }
}
