//! What a rule says about a failure that it recognises.

/// What the linter says in the same words.
pub(crate) use cgsan_catalogue::says;
use cgsan_finding::{CallInfo, Confidence, Label, LabelRole, Location};
use cgsan_trace::StackFrame;

/// The part of a finding that only its rule knows; the rest is the same for all.
#[derive(Debug)]
pub(crate) struct Verdict {
    pub(crate) confidence: Confidence,
    /// One line, short enough for a narrow terminal.
    pub(crate) title: String,
    /// What happened at the place to look at first, as a phrase.
    pub(crate) here: String,
    pub(crate) labels: Vec<Label>,
    pub(crate) notes: Vec<String>,
    pub(crate) help: Vec<String>,
    /// The Python stack of the place to look at first, innermost frame first, where it is another than the subject's.
    pub(crate) stack: Option<Vec<StackFrame>>,
    /// The call to show where the cause is none, or another than the one that explains it.
    pub(crate) call: Option<CallInfo>,
}

impl Verdict {
    pub(crate) fn new(
        confidence: Confidence,
        title: impl Into<String>,
        here: impl Into<String>,
    ) -> Verdict {
        Verdict {
            confidence,
            title: title.into(),
            here: here.into(),
            labels: Vec::new(),
            notes: Vec::new(),
            help: Vec::new(),
            stack: None,
            call: None,
        }
    }

    /// Points to another place first than the subject's own; without a stack, not.
    pub(crate) fn at(mut self, stack: Vec<StackFrame>) -> Verdict {
        self.stack = Some(stack).filter(|stack| !stack.is_empty());
        self
    }

    /// Points to a further place, once.
    pub(crate) fn label(mut self, location: Option<Location>, text: impl Into<String>) -> Verdict {
        let Some(location) = location else {
            return self;
        };
        let label = Label {
            location,
            text: text.into(),
            role: LabelRole::Secondary,
        };
        if !self.labels.contains(&label) {
            self.labels.push(label);
        }
        self
    }

    pub(crate) fn note(mut self, text: impl Into<String>) -> Verdict {
        self.notes.push(text.into());
        self
    }

    pub(crate) fn help(mut self, text: impl Into<String>) -> Verdict {
        self.help.push(text.into());
        self
    }

    /// Shows this call as what failed.
    pub(crate) fn call(mut self, call: CallInfo) -> Verdict {
        self.call = Some(call);
        self
    }
}

/// So many nodes, in words.
pub(crate) fn nodes(count: usize) -> String {
    match count {
        1 => "1 node".to_owned(),
        many => format!("{many} nodes"),
    }
}

/// What a sentence calls a tensor: as the program does, if that is known.
pub(crate) fn called(name: Option<&str>, otherwise: &str) -> String {
    name.map_or_else(|| otherwise.to_owned(), |name| format!("`{name}`"))
}
