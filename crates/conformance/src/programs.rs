//! Random programs: replayed call by call, and compared with what was recorded.

use std::fmt::Write as _;

use cgsan_model::{Answer, Code, Node, Value};
use serde::Deserialize;

use crate::minimise;
use crate::operations::{self, Performed};
use crate::player::Player;
use crate::recording::{Header, Op, Program};
use crate::report::{Disagreement, Report, Subject};

/// One thing that was compared after an operation.
pub struct Comparison {
    pub subject: Subject,
    /// The stream, where a stream's state was compared.
    pub stream: Option<i64>,
    /// The two answers, if they differ.
    pub difference: Option<Difference>,
}

/// What the model answered, and what was recorded.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Difference {
    pub model: String,
    pub recorded: String,
}

/// What came of replaying one operation.
pub enum Step {
    Compared(Vec<Comparison>),
    Unknown,
}

/// Re-runs a program and counts how far the model agrees.
pub fn check(program: &Program, header: &Header, report: &mut Report) {
    let mut player = Player::new(header);
    report.programs += 1;
    for (position, op) in program.ops.iter().enumerate() {
        report.calls += 1;
        let comparisons = match step(&mut player, op) {
            Step::Compared(comparisons) => comparisons,
            Step::Unknown => {
                report.skip(&op.name);
                continue;
            }
        };
        for comparison in comparisons {
            let is_equal = comparison.difference.is_none();
            if report.count(comparison.subject, is_equal)
                && let Some(difference) = &comparison.difference
            {
                let shortest = minimise::shortest(program, header, position, &comparison);
                report.keep(Disagreement {
                    subject: comparison.subject,
                    place: place(program, position, &comparison),
                    model: difference.model.clone(),
                    recorded: difference.recorded.clone(),
                    program: shortest.iter().map(|op| show(op)).collect(),
                });
            }
        }
    }
}

/// Make the calls of one operation, and compare what comes back.
pub fn step(player: &mut Player, op: &Op) -> Step {
    let mut comparisons = Vec::with_capacity(8);
    match operations::perform(player, op) {
        Performed::Unknown => return Step::Unknown,
        Performed::Nothing => {}
        Performed::Answered(answer) => compare_answer(player, op, &answer, &mut comparisons),
    }
    let states = player.states(op.thread);
    for ((stream, state), recorded) in states.zip(&op.states) {
        let difference = difference(&state, recorded);
        comparisons.push(Comparison {
            subject: Subject::States,
            stream: Some(stream),
            difference,
        });
    }
    Step::Compared(comparisons)
}

fn compare_answer(player: &Player, op: &Op, answer: &Answer, comparisons: &mut Vec<Comparison>) {
    let mut add = |subject, difference| {
        comparisons.push(Comparison {
            subject,
            stream: None,
            difference,
        });
    };
    add(Subject::Codes, difference(&answer.code, &Code(op.code)));
    let returned = match answer.value {
        Value::CaptureMode(mode) => Some(mode as i64),
        Value::CaptureStatus(status) => Some(status as i64),
        Value::Update(result) => Some(result as i64),
        Value::None | Value::CaptureInfo(_) => None,
    };
    if returned.is_some() {
        add(Subject::Codes, difference(&returned, &op.extra.as_i64()));
    }
    let graph = match op.name.as_str() {
        "end" | "end_by_driver" => player.graph(op.a1).filter(|_| answer.code.is_success()),
        "graph_look" => player.graph(op.a0),
        _ => return,
    };
    let modelled = graph.map(|graph| Shape::of(player.nodes(graph)));
    let recorded = Shape::deserialize(&op.extra).ok();
    add(Subject::Graphs, difference(&modelled, &recorded));
}

fn difference<T: PartialEq + std::fmt::Debug>(model: &T, recorded: &T) -> Option<Difference> {
    (model != recorded).then(|| Difference {
        model: format!("{model:?}"),
        recorded: format!("{recorded:?}"),
    })
}

/// A graph as it is recorded: `cudaGraphNodeType` of each node, and the edges, ascending.
#[derive(Debug, Deserialize, PartialEq)]
struct Shape {
    nodes: Vec<i32>,
    edges: Vec<(usize, usize)>,
}

impl Shape {
    fn of(nodes: &[Node]) -> Shape {
        let mut edges: Vec<(usize, usize)> = nodes
            .iter()
            .enumerate()
            .flat_map(|(to, node)| {
                let edge = move |from: &cgsan_model::NodeIndex| (from.0 as usize, to);
                node.dependencies.iter().map(edge)
            })
            .collect();
        edges.sort_unstable();
        Shape {
            nodes: nodes.iter().map(|node| node.kind.type_number()).collect(),
            edges,
        }
    }
}

fn place(program: &Program, position: usize, comparison: &Comparison) -> String {
    let name = &program.ops[position].name;
    let seed = program.seed;
    match comparison.stream {
        Some(stream) => format!("seed {seed}, operation {position} ({name}), stream {stream}"),
        None => format!("seed {seed}, operation {position} ({name})"),
    }
}

/// An operation with its recorded result, as a line for a person.
fn show(op: &Op) -> String {
    let arguments: Vec<String> = [op.a0, op.a1]
        .iter()
        .filter(|argument| **argument >= 0)
        .map(ToString::to_string)
        .collect();
    let mut line = format!(
        "thread {}: {}({}) = {:?}",
        op.thread,
        op.name,
        arguments.join(", "),
        Code(op.code)
    );
    if !op.extra.is_null() {
        let _ = write!(line, " {}", op.extra);
    }
    line
}
