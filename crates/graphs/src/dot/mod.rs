//! Reads what `cudaGraphDebugDotPrint` writes, and `torch.cuda.CUDAGraph.debug_dump` through it: in its short form, in its verbose one,
//! and in those between.
//!
//! | file | what |
//! |---|---|
//! | `tokens` | the text as words, quoted texts and signs |
//! | `label` | what the text in a node says of it |
//!
//! The file may come from anywhere. What is read takes no more memory than the file is long, times a constant; a label that this reader
//! does not understand makes a node of kind `other`, and not an error. Graphs within nodes are clusters of their own and are left out.

mod label;
mod tokens;

use cgsan_finding::GraphNode;
use rustc_hash::FxHashMap;

use crate::Graph;
use tokens::{Token, Tokens};

/// Why a text is not a graph.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("line {line}: {what}")]
pub struct NotDot {
    /// The line, counted from 1.
    pub line: usize,
    /// What is wrong there.
    pub what: &'static str,
}

/// How deep clusters may lie within each other.
const DEEPEST: usize = 100;

/// Whether a file may be one of these, by how it begins.
pub fn begins_like(text: &[u8]) -> bool {
    text.trim_ascii_start().starts_with(b"digraph")
}

/// Reads a graph.
///
/// # Errors
///
/// If the text is not DOT, an edge names a node that is not defined, or there are more nodes than 32 bits count.
pub fn read(text: &str) -> Result<Graph, NotDot> {
    let mut reader = Reader {
        tokens: Tokens::of(text),
        nodes: Vec::new(),
        by_name: FxHashMap::default(),
        edges: Vec::new(),
        clusters: 0,
    };
    reader.head()?;
    reader.statements()?;
    reader.graph()
}

/// What a file says, as far as it was read.
struct Reader<'t> {
    tokens: Tokens<'t>,
    nodes: Vec<Found>,
    by_name: FxHashMap<String, usize>,
    /// The names of two nodes, and the line.
    edges: Vec<(String, String, usize)>,
    /// How many clusters there were.
    clusters: usize,
}

/// A node, and in which cluster it is defined.
struct Found {
    node: GraphNode,
    cluster: usize,
    depth: usize,
}

impl Reader<'_> {
    fn error<T>(&self, what: &'static str) -> Result<T, NotDot> {
        let line = self.tokens.line();
        Err(NotDot { line, what })
    }

    fn next(&mut self) -> Result<Token, NotDot> {
        match self.tokens.next() {
            Some(Ok(token)) => Ok(token),
            Some(Err(what)) => self.error(what),
            None => self.error("the file ends in the middle"),
        }
    }

    /// `digraph NAME {`
    fn head(&mut self) -> Result<(), NotDot> {
        let is_graph = self.next()? == Token::Text("digraph".to_owned());
        let mut opens = self.next()?;
        if matches!(opens, Token::Text(_)) {
            opens = self.next()?;
        }
        if is_graph && opens == Token::Sign('{') {
            Ok(())
        } else {
            self.error("it does not begin with `digraph`")
        }
    }

    /// All up to the end of the graph.
    fn statements(&mut self) -> Result<(), NotDot> {
        // The clusters around; the graph itself is the first.
        let mut around = vec![0];
        while let Some(cluster) = around.last().copied() {
            match self.next()? {
                Token::Sign('}') => {
                    around.pop();
                }
                Token::Sign('{') => {
                    if around.len() == DEEPEST {
                        return self.error("braces are nested too deeply");
                    }
                    self.clusters += 1;
                    around.push(self.clusters);
                }
                Token::Text(word) => self.statement(word, cluster, around.len())?,
                Token::Sign('[') => {
                    self.attributes()?;
                }
                Token::Sign(';' | ',') => {}
                Token::Sign(_) | Token::Arrow => return self.error("a name is missing"),
            }
        }
        Ok(())
    }

    /// What begins with a word: a node, an edge, an attribute, or the head of a cluster.
    fn statement(&mut self, word: String, cluster: usize, depth: usize) -> Result<(), NotDot> {
        match self.tokens.peek() {
            Some(Token::Sign('=')) => {
                self.next()?;
                self.next()?;
            }
            Some(Token::Arrow | Token::Sign(':')) => self.edge(word)?,
            Some(Token::Sign('[')) => {
                self.next()?;
                let attributes = self.attributes()?;
                if !matches!(word.as_str(), "graph" | "node" | "edge") {
                    self.node(word, &attributes, cluster, depth)?;
                }
            }
            _ => {}
        }
        Ok(())
    }

    /// `-> NAME [attributes]`, as often as there is an arrow.
    fn edge(&mut self, from: String) -> Result<(), NotDot> {
        let mut from = from;
        loop {
            self.port()?;
            if self.tokens.peek() != Some(&Token::Arrow) {
                return Ok(());
            }
            self.next()?;
            let Token::Text(to) = self.next()? else {
                return self.error("an edge leads to no node");
            };
            let line = self.tokens.line();
            self.edges.push((from, to.clone(), line));
            from = to;
        }
    }

    /// The side of a node that an edge begins at, which says nothing.
    fn port(&mut self) -> Result<(), NotDot> {
        while self.tokens.peek() == Some(&Token::Sign(':')) {
            self.next()?;
            self.next()?;
        }
        Ok(())
    }

    /// The label and the shape, of what stands between brackets.
    fn attributes(&mut self) -> Result<Attributes, NotDot> {
        let mut found = Attributes::default();
        loop {
            match self.next()? {
                Token::Sign(']') => return Ok(found),
                Token::Text(name) if self.tokens.peek() == Some(&Token::Sign('=')) => {
                    self.next()?;
                    let Token::Text(value) = self.next()? else {
                        return self.error("an attribute has no value");
                    };
                    match name.as_str() {
                        "label" => found.label = value,
                        "shape" => found.shape = value,
                        _ => {}
                    }
                }
                Token::Text(_) | Token::Sign(',' | ';') => {}
                Token::Sign(_) | Token::Arrow => return self.error("a bracket is missing"),
            }
        }
    }

    fn node(
        &mut self,
        name: String,
        attributes: &Attributes,
        cluster: usize,
        depth: usize,
    ) -> Result<(), NotDot> {
        if self.nodes.len() == u32::MAX as usize {
            return self.error("there are too many nodes");
        }
        let known = self.by_name.insert(name, self.nodes.len());
        if known.is_some() {
            return self.error("a node is defined twice");
        }
        self.nodes.push(Found {
            node: label::node(&attributes.label, &attributes.shape),
            cluster,
            depth,
        });
        Ok(())
    }

    /// The graph of the outermost cluster; of several, of the first.
    fn graph(self) -> Result<Graph, NotDot> {
        let outermost = self.nodes.iter().map(|it| (it.depth, it.cluster)).min();
        let outermost = outermost.map(|(_, cluster)| cluster);
        let mut places = Vec::with_capacity(self.nodes.len());
        let mut nodes = Vec::new();
        for found in self.nodes {
            let is_own = Some(found.cluster) == outermost;
            places.push(is_own.then_some(nodes.len()));
            if is_own {
                nodes.push(found.node);
            }
        }
        for (from, to, line) in self.edges {
            let (Some(from), Some(to)) = (self.by_name.get(&from), self.by_name.get(&to)) else {
                let what = "an edge names a node that the file does not define";
                return Err(NotDot { line, what });
            };
            if let (Some(from), Some(to)) = (places[*from], places[*to])
                && let Ok(from) = u32::try_from(from)
            {
                nodes[to].depends_on.push(from);
            }
        }
        Ok(Graph {
            nodes,
            streams: Vec::new(),
            places: Vec::new(),
            is_in_order: false,
            unfinished: None,
        })
    }
}

/// What is looked at of a node's attributes.
#[derive(Default)]
struct Attributes {
    label: String,
    shape: String,
}

#[cfg(test)]
mod tests {
    use cgsan_finding::{Direction, Parameters};
    use proptest::prelude::*;

    use super::*;

    /// As driver 580.159.04 writes it.
    const SHORT: &str = "digraph dot {\nsubgraph cluster_1 {\nlabel=\"graph_1\" graph[style=\"dashed\"];\n\
        \"graph_1_node_0\"[style=\"solid\" shape=\"trapezium\"label=\"0\nMEMCPY\n(HtoD,512)\n\"];\n\n\
        \"graph_1_node_1\"[style=\"solid\" shape=\"invtrapezium\"label=\"1\nMEMSET\n(1,512)\n\"];\n\n\
        \"graph_1_node_2\"[style=\"bold\" shape=\"octagon\" label=\"2\n_Z3addPf\n\"];\n\n\
        \"graph_1_node_0\" -> \"graph_1_node_1\";\n\"graph_1_node_1\" -> \"graph_1_node_2\";\n}\n}\n";

    fn error(text: &str) -> (usize, &'static str) {
        let error = read(text).expect_err("it is not a graph");
        (error.line, error.what)
    }

    #[test]
    fn the_short_form_has_nodes_and_edges() {
        let graph = read(SHORT).expect("a graph");
        let kinds: Vec<&str> = graph.nodes.iter().map(|it| it.kind).collect();
        assert_eq!(kinds, ["memcpy", "memset", "kernel"]);
        assert_eq!(graph.nodes[2].name.as_deref(), Some("_Z3addPf"));
        assert_eq!(graph.nodes[2].depends_on, [1]);
        let copied = Parameters::Copy {
            direction: Direction::HostToDevice,
            bytes: 512,
        };
        assert_eq!(graph.nodes[0].parameters, Some(copied));
        assert!(!graph.is_in_order);
    }

    #[test]
    fn graphs_within_nodes_are_left_out() {
        let within = "digraph dot {\nsubgraph cluster_1 {\nlabel=\"graph_1\";\n\
            \"a\"[label=\"0\nEMPTY\n\"];\n\
            subgraph cluster_2 {\n\"b\"[label=\"0\nEMPTY\n\"];\n\"c\"[label=\"1\nEMPTY\n\"];\n\"b\" -> \"c\";\n}\n\
            \"d\"[label=\"1\nEMPTY\n\"];\n\"a\" -> \"d\" [headlabel=0];\n\"a\":s -> \"b\":n;\n}\n}\n";
        let graph = read(within).expect("a graph");
        let edges: Vec<&[u32]> = graph.nodes.iter().map(|it| &it.depends_on[..]).collect();
        assert_eq!(edges, [&[][..], &[0]]);
    }

    #[test]
    fn what_is_not_dot_is_refused_with_its_line() {
        assert_eq!(error("graph {}").1, "it does not begin with `digraph`");
        assert_eq!(error("digraph dot {\n\"a").1, "a quotation mark is missing");
        assert_eq!(
            error("digraph {\n\"a\" [\n").1,
            "the file ends in the middle"
        );
        assert_eq!(
            error("digraph {\n\"a\"[label=\"x\"];\n\"a\" -> \"b\";\n}"),
            (3, "an edge names a node that the file does not define")
        );
        assert_eq!(
            error("digraph {\n\"a\"[label=x];\n\"a\"[label=x];}"),
            (3, "a node is defined twice")
        );
        let deep = format!("digraph {}", "{".repeat(1_000));
        assert_eq!(error(&deep).1, "braces are nested too deeply");
    }

    proptest! {
        #[test]
        fn no_text_is_too_odd(text in "(digraph \\{)?[a-z\"{}\\[\\]=;>:|\\\\\n -]{0,80}") {
            let _ = read(&text);
        }

        #[test]
        fn no_change_of_a_file_is_too_odd(at in 0_usize..600, byte in 0_u8..128) {
            let mut bytes = SHORT.as_bytes().to_vec();
            let at = at % bytes.len();
            bytes[at] = byte;
            if let Ok(text) = String::from_utf8(bytes) {
                let _ = read(&text);
            }
        }
    }
}
