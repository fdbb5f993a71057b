//! Signs of a text: what was recognised in it.

/// What speaks for or against a text's being about a failure of a graph, whatever else it says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sign {
    /// Its title names graphs and trouble.
    TitleBlamesGraphs,
    /// Its title asks for something, or says what was made.
    TitleOfAWish,
    /// It names graphs in passing only, if at all.
    InPassingOnly,
    /// It is right again without graphs.
    FineWithoutGraphs,
    /// It is as wrong without graphs.
    FailsWithoutGraphs,
    /// It shows frames in which libraries capture.
    FramesOfACapture,
    /// Its trouble comes before a program runs, or is with the version of what it runs with.
    Installation,
    /// What fails is something else, whatever it was called from.
    AnotherFailure,
    /// Its last exception is one that no graph raises.
    AnotherException,
    /// Its title is about something else, or about what goes well.
    TitleOfAnother,
    /// It works with graphs, and fails without.
    WorksWithGraphs,
    /// It asks how to use graphs, and of no failure.
    Question,
    /// It proposes something.
    Proposal,
    /// It speaks of no failure.
    NoFailure,
}

/// Those that hold.
pub fn holding(signs: impl IntoIterator<Item = (Sign, bool)>) -> impl Iterator<Item = Sign> {
    let signs = signs.into_iter();
    signs.filter(|(_, holds)| *holds).map(|(sign, _)| sign)
}
