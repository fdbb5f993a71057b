//! Which graph a person means: `run.cgsan#2`, `run.cgsan`, `graph.dot`.

use std::ffi::{OsStr, OsString};
use std::io::Read as _;
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Path, PathBuf};

use cgsan_files::Unread;
use cgsan_graphs::{Graph, dot};
use cgsan_render::NamedGraph;
use cgsan_trace::Trace;

use crate::output::error::Error;
use crate::output::progress::Progress;

/// Bytes of the largest DOT file that is read. The driver writes less than a thousand for each node.
const LARGEST_DOT: u64 = 256 << 20;
/// How many bytes of a file say what it is.
const BEGINNING: u64 = 64;

/// A captured graph, and what it is called.
#[derive(Debug)]
pub struct Captured {
    name: String,
    graph: Graph,
}

impl Captured {
    /// To be shown.
    pub fn named(&self) -> NamedGraph<'_> {
        NamedGraph {
            name: &self.name,
            graph: &self.graph,
        }
    }

    /// The graph itself.
    pub fn graph(&self) -> &Graph {
        &self.graph
    }
}

/// Reads the one graph that is meant.
///
/// # Errors
///
/// If the file cannot be read, or has no such graph, or several and none is named.
pub fn read_one(operand: &OsStr) -> Result<Captured, Error> {
    let mut all = read(operand)?;
    match (all.pop(), all.len()) {
        (Some(one), 0) => Ok(one),
        (_, others) => {
            let name = operand.to_string_lossy().into_owned();
            Err(Error::NoGraph {
                reason: format!("the trace has {} captures", others + 1),
                help: format!(
                    "name one by its number, from {name}#1 to {name}#{}; `cgsan graph {name}` lists them",
                    others + 1
                ),
                name,
            })
        }
    }
}

/// Reads the graph that is meant, or all of a trace, of which there is at least one.
///
/// # Errors
///
/// If the file cannot be read, or has no such graph.
pub fn read(operand: &OsStr) -> Result<Vec<Captured>, Error> {
    let _progress = Progress::start("reading captured graphs");
    let (path, number) = parse(operand);
    let is_dot = begins_like_dot(&path).map_err(|reason| unread(operand, &reason))?;
    match (is_dot, number) {
        (true, None) => Ok(vec![dot_file(&path, operand)?]),
        (true, Some(_)) => Err(Error::NoGraph {
            name: operand.to_string_lossy().into_owned(),
            reason: "a DOT file holds one graph, which has no number".to_owned(),
            help: "leave out what follows the `#`".to_owned(),
        }),
        (false, number) => of_trace(&path, number, operand),
    }
}

/// The file, and the number of a graph in it. A file that is named so as a whole is meant as a whole.
fn parse(operand: &OsStr) -> (PathBuf, Option<usize>) {
    let whole = (PathBuf::from(operand), None);
    let bytes = operand.as_bytes();
    let Some(at) = bytes.iter().rposition(|byte| *byte == b'#') else {
        return whole;
    };
    let number = std::str::from_utf8(&bytes[at + 1..]);
    match number.ok().and_then(|it| it.parse().ok()) {
        Some(number) if !whole.0.exists() => {
            let path = OsString::from(OsStr::from_bytes(&bytes[..at]));
            (path.into(), Some(number))
        }
        _ => whole,
    }
}

fn begins_like_dot(path: &Path) -> Result<bool, Unread> {
    let mut beginning = Vec::new();
    cgsan_files::open(path)?
        .take(BEGINNING)
        .read_to_end(&mut beginning)?;
    Ok(dot::begins_like(&beginning))
}

fn unread(operand: &OsStr, reason: &Unread) -> Error {
    Error::NoGraph {
        name: operand.to_string_lossy().into_owned(),
        reason: reason.to_string(),
        help: "name a trace that `cgsan run --save` kept, with `#` and the number of a capture, or a file that \
               `torch.cuda.CUDAGraph.debug_dump` wrote"
            .to_owned(),
    }
}

fn dot_file(path: &Path, operand: &OsStr) -> Result<Captured, Error> {
    let text =
        cgsan_files::read_text(path, LARGEST_DOT).map_err(|reason| unread(operand, &reason))?;
    let mut graph = dot::read(&text).map_err(|error| Error::NoGraph {
        name: path.to_string_lossy().into_owned(),
        reason: error.to_string(),
        help: "give it as `cudaGraphDebugDotPrint` or `debug_dump` wrote it".to_owned(),
    })?;
    cgsan_symbols::name_kernels(&mut graph.nodes);
    Ok(Captured {
        name: path.to_string_lossy().into_owned(),
        graph,
    })
}

fn of_trace(path: &Path, number: Option<usize>, operand: &OsStr) -> Result<Vec<Captured>, Error> {
    let trace = Trace::read(path).map_err(Error::Trace)?;
    let mut all = cgsan_diagnose::graphs(&trace);
    let captures = all.len();
    all.retain(|it| number.is_none_or(|number| it.graph == number));
    if all.is_empty() {
        return Err(Error::NoGraph {
            name: operand.to_string_lossy().into_owned(),
            reason: match captures {
                0 => "no capture began in this process".to_owned(),
                1 => "the trace has 1 capture".to_owned(),
                _ => format!("the trace has {captures} captures"),
            },
            help: "`cgsan report --graphs` shows what a trace has".to_owned(),
        });
    }
    cgsan_symbols::name_kernels(all.iter_mut().flat_map(|it| &mut it.nodes));
    let named = all.into_iter().map(|it| Captured {
        name: format!("graph {} of {}", it.graph, path.display()),
        graph: Graph::captured(it),
    });
    Ok(named.collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_number_follows_the_last_number_sign() {
        let parsed = |text: &str| parse(OsStr::new(text));
        assert_eq!(parsed("run.cgsan"), ("run.cgsan".into(), None));
        assert_eq!(parsed("run.cgsan#2"), ("run.cgsan".into(), Some(2)));
        assert_eq!(parsed("a#b.cgsan#2"), ("a#b.cgsan".into(), Some(2)));
        assert_eq!(parsed("a#b.cgsan"), ("a#b.cgsan".into(), None));
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("run#2");
        std::fs::write(&path, "").expect("a file");
        assert_eq!(parse(path.as_os_str()), (path, None));
    }
}
