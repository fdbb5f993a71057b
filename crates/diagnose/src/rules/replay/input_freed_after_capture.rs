//! CG209: a tensor that the graph reads was freed.

use cgsan_finding::{Confidence, Location};

use super::super::{Check, Rule, Verdict, called, says};
use crate::activity::Harm;
use crate::subjects::{Failure, Replay};

pub(in crate::rules) const RULE: Rule = Rule {
    id: "CG209",
    check: Check::Replay(check),
};

/// The same, where PyTorch finds it before the replay.
pub(in crate::rules) const FAILURE: Rule = Rule {
    id: "CG209",
    check: Check::Failure(refused),
};

/// Signal: PyTorch's own check of a graph that was captured with `check_input_liveness=True` refuses a replay
/// (`torch/utils/_cuda_debug.py`, 2.13 to 2.15).
fn refused(failure: &Failure<'_, '_>) -> Option<Verdict> {
    let thrown = failure.thrown()?;
    if !failure.says(&["CUDA graph replay detected"]) || !failure.says(&["dead tensor"]) {
        return None;
    }
    Some(
        Verdict::new(
            Confidence::Confirmed,
            "the graph reads a tensor that has been freed",
            "PyTorch refuses this replay",
        )
        .label(
            deletion(&thrown.message),
            "its last reference was dropped here",
        )
        .note(says::cg209::ADDRESSES)
        .help(says::cg209::keep("the tensor")),
    )
}

/// The innermost line of the traceback at which the tensor was deleted, in PyTorch's message.
fn deletion(message: &str) -> Option<Location> {
    let (_, after) = message.split_once("Deletion Traceback (Python):")?;
    let lines = after.lines().skip(1);
    let own = lines.take_while(|line| line.starts_with("    "));
    let (file, rest) = own
        .filter_map(|line| {
            line.trim_start()
                .strip_prefix("File \"")?
                .split_once("\", line ")
        })
        .last()?;
    let (line, function) = rest.split_once(", in ")?;
    Some(Location {
        file: file.into(),
        line: line.parse().ok()?,
        span: None,
        cell: None,
        function: function.to_owned(),
    })
}

/// Signal: at a replay, a block from outside the graph's pool that the graph uses was freed.
fn check(replay: &Replay<'_, '_>) -> Option<Verdict> {
    let Harm::Freed {
        block,
        operation,
        owner,
    } = replay.harm()
    else {
        return None;
    };
    let title = if replay.only_uses(operation, block) {
        "the graph uses a tensor that has been freed"
    } else {
        "the graph reads a tensor that has been freed"
    };
    let graph = &replay.activity.graphs[replay.found.graph];
    let mut first = graph.first_accesses();
    let mut all = graph.accesses.iter();
    let is_state = first.any(|access| access.block == block && access.does.reads())
        && all.any(|access| access.block == block && access.does.writes());
    let block = replay.block(block);
    let freed = block.freed?;
    let confidence = if owner.is_some() {
        Confidence::Confirmed
    } else {
        Confidence::Likely
    };
    let here = if owner.is_some() {
        "this replay uses memory that now belongs to another tensor"
    } else {
        "this replay uses memory that was freed"
    };
    let resized = replay.resized_by(&block);
    let name = called(replay.name_of(&block), "the tensor");
    let verdict = Verdict::new(confidence, title, here)
        .label(
            replay.location(block.allocated.stack),
            "the tensor was made here",
        )
        .label(replay.location_of(operation), "the capture used it here")
        .label(
            replay.location(freed.stack),
            match resized {
                Some(name) => format!("`{name}` gave it other memory here"),
                None => "its last reference was dropped here".to_owned(),
            },
        );
    let owner = owner.map(|owner| replay.block(owner));
    let made_by = replay.location(block.allocated.stack);
    let is_made_anew =
        made_by.is_some() && owner.is_some_and(|it| replay.location(it.allocated.stack) == made_by);
    let verdict = match owner {
        Some(owner) => verdict.label(
            replay.location(owner.allocated.stack),
            "this tensor has its memory now",
        ),
        None => verdict.note(
            "the memory is free at this replay: the values are the old ones until the next tensor is given it",
        ),
    };
    let verdict = if is_state && resized.is_none() {
        verdict.help(format!(
            "to begin anew, keep {name} and give it its first contents, as `zero_()` does: the graph goes on from what lies there"
        ))
    } else {
        verdict
    };
    Some(verdict.note(says::cg209::ADDRESSES).help(match resized {
        Some(_) => format!(
            "give {name} its largest size before the capture; or capture one graph for each size"
        ),
        None if is_made_anew => says::cg209::write_anew(name),
        None => says::cg209::keep(name),
    }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_place_of_the_deletion_is_the_innermost_line_of_its_traceback() {
        let message = "CUDA graph replay detected 1 dead tensor(s).\nDead tensor #1 (data_ptr=0x7f):\n  Creation Traceback \
                       (Python):\n    File \"a.py\", line 1, in <module>\n  Deletion Traceback (Python):\n    File \"a.py\", \
                       line 9, in <module>\n        forget()\n      File \"b.py\", line 3, in forget\n        del x\n  Replay \
                       Traceback (Python):\n    File \"a.py\", line 10, in <module>\n";
        let place = deletion(message).expect("a place");
        assert_eq!((place.file_name().as_str(), place.line), ("b.py", 3));
        assert_eq!(place.function, "forget");
        assert!(deletion("CUDA graph replay detected 1 dead tensor(s).").is_none());
        assert!(deletion("Deletion Traceback (Python):\n    File \"a").is_none());
    }
}
