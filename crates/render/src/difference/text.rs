//! In what two graphs differ, as text.

use cgsan_finding::GraphNode;
use cgsan_graphs::{Change, ChangedNode, Difference, Graph, Refused, Verdict};

use super::{NamedGraph, words};
use crate::style::Painter;
use crate::{Options, facts, graphs, text};

/// How many differences are shown one by one.
const SHOWN: usize = 100;

/// In what the new graph differs from the old one, node by node, and what an update of an executable comes to.
pub fn difference(
    old: NamedGraph<'_>,
    new: NamedGraph<'_>,
    difference: &Difference,
    options: &Options,
) -> String {
    let writer = Writer {
        old: old.graph,
        new: new.graph,
        painter: Painter::new(options.color),
        options,
    };
    let mut parts = vec![writer.head("old", old) + &writer.head("new", new)];
    let mut all = writer.nodes(difference);
    all.extend(writer.edges(difference));
    let left_out = all.len().saturating_sub(SHOWN);
    all.truncate(SHOWN);
    parts.extend(all);
    if left_out > 0 {
        let more = text::count(left_out, "more difference");
        parts.push(format!("… and {more}; `--json` has all\n"));
    }
    if !(difference.is_nothing() && difference.update == Verdict::Accepted) {
        parts.push(writer.update(&difference.update));
    }
    parts.push(summary(difference));
    text::shown(&parts.join("\n"))
}

struct Writer<'a> {
    old: &'a Graph,
    new: &'a Graph,
    painter: Painter,
    options: &'a Options,
}

impl Writer<'_> {
    /// Which graph it is, and its shape.
    fn head(&self, which: &str, named: NamedGraph<'_>) -> String {
        let nodes = &named.graph.nodes;
        let name = text::printable(named.name);
        let heading = self.painter.heading(&format!("{which}: {name}"));
        let shape = cgsan_graphs::shape(nodes).map(graphs::of_shape);
        let shape = shape.map(|it| format!("  {it}\n")).unwrap_or_default();
        format!("{heading}\n  {}\n{shape}", graphs::counts(nodes))
    }

    /// The nodes that differ, in the order of capture: first what went, then what came in its place.
    fn nodes(&self, difference: &Difference) -> Vec<String> {
        let mut shown = Vec::new();
        let mut removed = difference.removed.iter().copied().peekable();
        let mut added = difference.added.iter().copied().peekable();
        let mut changed = difference.changed.iter().peekable();
        let (mut old, mut new) = (0, 0);
        while old < self.old.nodes.len() || new < self.new.nodes.len() {
            if removed.next_if_eq(&old).is_some() {
                shown.push(self.alone("removed", self.old, old));
                old += 1;
            } else if added.next_if_eq(&new).is_some() {
                shown.push(self.alone("added", self.new, new));
                new += 1;
            } else {
                if let Some(node) = changed.next_if(|it| it.new == new) {
                    shown.push(self.changed(node));
                }
                old += 1;
                new += 1;
            }
        }
        shown
    }

    /// A node that only one of the graphs has.
    fn alone(&self, what: &str, graph: &Graph, index: usize) -> String {
        let node = &graph.nodes[index];
        let title = format!("node {index}, {}", words::node(node));
        let mut lines = vec![self.title(what, &title)];
        lines.extend(self.place(graph, node));
        lines.extend(graph.stream(node).map(|it| self.fact(&format!("on {it}"))));
        lines.join("\n") + "\n"
    }

    fn changed(&self, changed: &ChangedNode) -> String {
        let (before, node) = (&self.old.nodes[changed.old], &self.new.nodes[changed.new]);
        let number = if changed.old == changed.new {
            format!("node {}", changed.new)
        } else {
            format!("node {} (was node {})", changed.new, changed.old)
        };
        let title = format!("{number}, {}", words::node(node));
        let mut lines = vec![self.title("changed", &title)];
        lines.extend(self.place(self.new, node));
        let (then, now) = (self.old.place(before), self.new.place(node));
        if let Some(then) = then.filter(|then| now != Some(*then)) {
            lines.push(self.fact(&format!("before: {}", facts::place_of(then, self.options))));
        }
        let of_kind = changed.changes.iter().map(words::change);
        lines.extend(of_kind.map(|it| self.fact(&it)));
        if let [Change::Kind { .. }, ..] = changed.changes.as_slice() {
            lines.push(self.fact(&format!("it was: {}", words::node(before))));
        }
        lines.join("\n") + "\n"
    }

    fn edges(&self, difference: &Difference) -> Vec<String> {
        let one = |what: &str, words: &str, graph: &Graph, (node, dependency): (usize, usize)| {
            let name = |index: usize| format!("node {index}, {}", words::node(&graph.nodes[index]));
            let mut lines = vec![self.title(what, &name(node))];
            lines.extend(self.place(graph, &graph.nodes[node]));
            lines.push(self.fact(&format!("{words} {}", name(dependency))));
            lines.join("\n") + "\n"
        };
        let removed = difference.removed_edges.iter();
        let removed = removed.map(|it| one("removed edge", "no longer waits for", self.old, *it));
        let added = difference.added_edges.iter();
        let added = added.map(|it| one("added edge", "now waits for", self.new, *it));
        removed.chain(added).collect()
    }

    fn update(&self, verdict: &Verdict) -> String {
        match verdict {
            Verdict::Accepted => self.note(
                "an executable of the old graph can be updated to the new one (`cudaGraphExecUpdate`)",
                "",
            ),
            Verdict::Unknown { reason } => self.note(
                "cannot tell whether an executable of the old graph can be updated to the new one",
                &(self.fact(reason) + "\n"),
            ),
            Verdict::Refused(refused) => self.refused(refused),
        }
    }

    fn note(&self, text: &str, more: &str) -> String {
        format!("{}: {text}\n{more}", self.painter.note("note"))
    }

    fn refused(&self, refused: &Refused) -> String {
        let id = self.painter.error(&format!("error[{}]", refused.id));
        let mut lines = vec![format!(
            "{id}: an executable of the old graph cannot be updated to the new one"
        )];
        let node = |which: &str, graph: &Graph, index: Option<usize>| {
            let node = graph.nodes.get(index?)?;
            let place = graph.place(node);
            let place = place.map(|it| format!(", {}", facts::place_of(it, self.options)));
            let text = format!("{which} node {}, {}", index?, words::node(node));
            Some(self.fact(&(text + &place.unwrap_or_default())))
        };
        lines.extend(node("old", self.old, refused.old));
        lines.extend(node("new", self.new, refused.new));
        lines.push(self.fact(&refused.reason));
        let result = refused.result;
        lines.push(self.fact(&format!("`cudaGraphExecUpdate` gives `{result}`")));
        lines.push(self.fact(&format!("more: `cgsan explain {}`", refused.id)));
        lines.join("\n") + "\n"
    }

    fn title(&self, what: &str, title: &str) -> String {
        let room = self.options.prose_width().saturating_sub(what.len() + 2);
        format!(
            "{}: {}",
            self.painter.strong(what),
            text::one_line(title, room)
        )
    }

    fn place(&self, graph: &Graph, node: &GraphNode) -> Option<String> {
        let place = facts::place_of(graph.place(node)?, self.options);
        Some(format!("  {} {place}", self.painter.dim("-->")))
    }

    fn fact(&self, fact: &str) -> String {
        let hung = text::hang(fact, self.options.prose_width(), 5);
        format!("   {} {hung}", self.painter.dim("="))
    }
}

/// How much differs, in one line.
fn summary(difference: &Difference) -> String {
    let kept = text::count(difference.kept, "node");
    if difference.is_nothing() {
        return format!("cgsan: no difference in {kept}\n");
    }
    let counts = [
        (difference.removed.len(), "node", "removed"),
        (difference.added.len(), "node", "added"),
        (difference.changed.len(), "node", "changed"),
        (difference.removed_edges.len(), "edge", "removed"),
        (difference.added_edges.len(), "edge", "added"),
    ];
    let counts = counts.into_iter().filter(|(count, ..)| *count > 0);
    let counts: Vec<String> = counts
        .map(|(count, noun, what)| format!("{} {what}", text::count(count, noun)))
        .collect();
    format!("cgsan: {} ({kept} in both)\n", counts.join(", "))
}
