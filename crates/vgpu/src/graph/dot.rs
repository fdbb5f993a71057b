//! Graphs as CUDA's own DOT dialect (`cudaGraphDebugDotPrint`), byte for byte as driver 580 writes it apart from handles.

use std::fmt::{self, Write};

use cgsan_model::{CopyKind, HostMemory, NodeKind};

use super::{Graph, Node};
use crate::gpu::work::Work;
use crate::module;

/// What is printed (`cudaGraphDebugDotFlags`).
#[derive(Clone, Copy, Debug)]
pub struct Flags(pub u32);

impl Flags {
    const VERBOSE: u32 = 1;
    const KERNEL: u32 = 1 << 2;
    const COPY: u32 = 1 << 3;
    const FILL: u32 = 1 << 4;
    const HOST: u32 = 1 << 5;
    const EVENT: u32 = 1 << 6;
    const HANDLES: u32 = 1 << 10;

    fn has(self, flag: u32) -> bool {
        self.0 & (flag | Flags::VERBOSE) != 0
    }
}

/// The position of a copy's side: always its beginning, which the address contains.
const ORIGIN: &str = "{{x | 0} | {y | 0} | {z | 0}}";

/// Prints a graph.
pub fn print(graph: &Graph, flags: Flags) -> Result<String, fmt::Error> {
    let mut out = String::new();
    let number = graph.number;
    writeln!(out, "digraph dot {{\nsubgraph cluster_{number} {{")?;
    writeln!(out, "label=\"graph_{number}\" graph[style=\"dashed\"];")?;
    let ranks = ranks(graph);
    for (index, node) in graph.nodes.iter().enumerate() {
        write!(out, "\"graph_{number}_node_{index}\"")?;
        let place = if flags.has(Flags::VERBOSE) {
            format!("{index} (topoId: {})", ranks[index])
        } else {
            index.to_string()
        };
        print_node(&mut out, node, &place, flags)?;
    }
    for (index, node) in graph.nodes.iter().enumerate() {
        for dependency in &node.dependencies {
            let label = if flags.has(Flags::VERBOSE) {
                " [headlabel=0]"
            } else {
                ""
            };
            writeln!(
                out,
                "\"graph_{number}_node_{dependency}\" -> \"graph_{number}_node_{index}\"{label};"
            )?;
        }
    }
    out.push_str("}\n}\n");
    Ok(out)
}

/// Each node's place counted from the end of a topological order.
fn ranks(graph: &Graph) -> Vec<usize> {
    let mut ranks = vec![0; graph.nodes.len()];
    let order = graph.topological_order().unwrap_or_default();
    for (rank, index) in order.iter().rev().enumerate() {
        ranks[*index] = rank;
    }
    ranks
}

fn print_node(out: &mut String, node: &Node, place: &str, flags: Flags) -> fmt::Result {
    match (&node.kind, &node.work) {
        (
            NodeKind::Kernel {
                function,
                grid,
                block,
                shared,
            },
            _,
        ) => {
            let name = name_of(function.0);
            if !flags.has(Flags::KERNEL) {
                return write!(
                    out,
                    "[style=\"bold\" shape=\"octagon\" label=\"{place}\n{name}\n\"];\n\n"
                );
            }
            let (grid, block) = (dimensions(*grid), dimensions(*block));
            writeln!(out, "[style=\"bold\" shape=\"record\" label=\"{{KERNEL")?;
            writeln!(
                out,
                "| {{ID | {place} | {name}\\<\\<\\<{grid},{block},{shared}\\>\\>\\>}}"
            )?;
            writeln!(
                out,
                "| {{{{node handle | func handle}} | {{{:X} | {:X}}}}}",
                Hex(node.handle),
                Hex(function.0)
            )?;
            writeln!(
                out,
                "| {{accessPolicyWindow | {{base_ptr | num_bytes | hitRatio | hitProp | missProp}} | \
                 {{0x0000000000000000 | 0 | 0.000000 | N | N}}}}"
            )?;
            let cooperative = u8::from(node.attributes.is_cooperative());
            let priority = node.attributes.priority();
            write!(
                out,
                "| {{cooperative | {cooperative}}}\n| {{priority | {priority}}}\n}}\"];\n\n"
            )
        }
        (NodeKind::Memcpy { kind, bytes, .. }, Work::Copy(transfer)) => {
            let (short, long) = direction(*kind);
            if !flags.has(Flags::COPY) {
                let handle = handle_line(node, flags);
                return write!(
                    out,
                    "[style=\"solid\" shape=\"trapezium\"label=\"{place}\nMEMCPY\n{handle}({short},{bytes})\n\"];\n\n"
                );
            }
            let (to, from, [width, height, depth]) = transfer.parts();
            writeln!(out, "[style=\"solid\" shape=\"record\" label=\"{{\nMEMCPY")?;
            writeln!(
                out,
                "| {{{{ID | node handle}} | {{{place} | {:X}}}}}",
                Hex(node.handle)
            )?;
            writeln!(out, "| {{kind | {short} ({long})}}")?;
            writeln!(
                out,
                "| {{{{srcPtr | dstPtr}} | {{pitch | ptr | xsize | ysize | pitch | ptr | xsize | ysize}} | \
                 {{{} | {:X} | 0 | 0 | {} | {:X} | 0 | 0}}}}",
                from.row,
                Hex(from.start),
                to.row,
                Hex(to.start)
            )?;
            write!(
                out,
                "| {{{{srcPos | {ORIGIN}}} | {{dstPos | {ORIGIN}}} | {{Extent | {{{{Width | {width}}} | \
                 {{Height | {height}}} | {{Depth | {depth}}}}}}}}}\n}}\"];\n\n"
            )
        }
        (NodeKind::Memset { value, bytes, .. }, Work::Fill(fill)) => {
            if !flags.has(Flags::FILL) {
                let handle = handle_line(node, flags);
                return write!(
                    out,
                    "[style=\"solid\" shape=\"invtrapezium\"label=\"{place}\nMEMSET\n{handle}({value},{bytes})\n\"];\n\n"
                );
            }
            let (start, pitch, value, size, width, rows) = fill.parts();
            let pitch = if rows == 1 { 0 } else { pitch };
            write!(
                out,
                "[style=\"solid\" style=\"solid\" shape=\"record\" label=\"{{MEMSET\n| {{{{ID | node handle | dptr | \
                 pitch | value | elementSize | width | height}} | {{{place} | {:X} | {:X} | {pitch} | {value} | \
                 {size} | {width} | {rows}}}}}}}\"];\n\n",
                Hex(node.handle),
                Hex(start)
            )
        }
        (NodeKind::MemAlloc { address, bytes }, _) if flags.has(Flags::VERBOSE) => {
            write!(
                out,
                "[style=\"solid\" shape=\"record\" label=\"{{\nMEM_ALLOC\n| {{{{ID | node handle}} | {{{place} | \
                 {:X}}}}}\n| {{{{{{poolProps | {{allocType | handleTypes | {{location | {{type | id}}}} | {{PINNED | \
                 NONE | DEVICE | 0}}}}}}}}\n| {{{{bytesize | dptr}} | {{{bytes} | {:X}}}}}\n}}\"];\n\n",
                Hex(node.handle),
                Hex(*address)
            )
        }
        (NodeKind::MemFree { address }, _) if flags.has(Flags::VERBOSE) => write!(
            out,
            "[style=\"solid\" shape=\"record\" label=\"{{\nMEM_FREE\n| {{{{ID | node handle}} | {{{place} | {:X}}}}}\n\
             | {{{{dptr}} | {{{:X}}}}}\n}}\"];\n\n",
            Hex(node.handle),
            Hex(*address)
        ),
        (kind, work) => {
            let handle = handle_line(node, flags);
            write!(
                out,
                "[style=\"solid\" shape=\"rectangle\" label=\"{place}\n{}\n{handle}",
                type_name(kind)
            )?;
            match (kind, work) {
                (NodeKind::Host { function }, Work::Host(host)) if flags.has(Flags::HOST) => {
                    writeln!(out, "fn: {:X}", Hex(*function))?;
                    writeln!(out, "userData: {:X}", Hex(host.data().addr() as u64))?;
                }
                (NodeKind::EventRecord { event } | NodeKind::EventWait { event }, _)
                    if flags.has(Flags::EVENT) =>
                {
                    writeln!(out, "event: {:X}", Hex(event.0))?;
                }
                _ => {}
            }
            out.push_str("\"];\n\n");
            Ok(())
        }
    }
}

fn handle_line(node: &Node, flags: Flags) -> String {
    if flags.has(Flags::HANDLES) {
        format!("node handle: {:X}\n", Hex(node.handle))
    } else {
        String::new()
    }
}

fn type_name(kind: &NodeKind) -> &'static str {
    match kind {
        NodeKind::Kernel { .. } => "KERNEL",
        NodeKind::Memcpy { .. } => "MEMCPY",
        NodeKind::Memset { .. } | NodeKind::MemsetRows { .. } => "MEMSET",
        NodeKind::Host { .. } => "HOST",
        NodeKind::MemAlloc { .. } => "MEM_ALLOC",
        NodeKind::MemFree { .. } => "MEM_FREE",
        NodeKind::ChildGraph { .. } => "CHILD_GRAPH",
        NodeKind::EventRecord { .. } => "EVENT_RECORD",
        NodeKind::EventWait { .. } => "EVENT_WAIT",
        NodeKind::BatchMemOp => "BATCH_MEM_OP",
        NodeKind::Conditional => "CONDITIONAL",
        NodeKind::Empty => "EMPTY",
    }
}

/// A copy's direction, short and long.
fn direction(kind: CopyKind) -> (&'static str, &'static str) {
    match kind {
        CopyKind::HostToDevice(HostMemory::Pinned) => ("HtoD", "HOST PINNED to DEVICE"),
        CopyKind::HostToDevice(HostMemory::Pageable) => ("HtoD", "HOST PAGEABLE to DEVICE"),
        CopyKind::DeviceToHost(HostMemory::Pinned) => ("DtoH", "DEVICE to HOST PINNED"),
        CopyKind::DeviceToHost(HostMemory::Pageable) => ("DtoH", "DEVICE to HOST PAGEABLE"),
        CopyKind::DeviceToDevice | CopyKind::BetweenDevices => ("DtoD", "DEVICE to DEVICE"),
        CopyKind::HostToHost => ("HtoH", "HOST to HOST"),
    }
}

/// Dimensions without the trailing ones, in braces if more than one is left.
fn dimensions([x, y, z]: [u32; 3]) -> String {
    match (y, z) {
        (1, 1) => x.to_string(),
        (_, 1) => format!("\\{{{x},{y}\\}}"),
        _ => format!("\\{{{x},{y},{z}\\}}"),
    }
}

fn name_of(function: u64) -> String {
    module::text_of(function).unwrap_or_default()
}

/// An address as the driver prints it: `0x` and sixteen capital digits.
struct Hex(u64);

impl fmt::UpperHex for Hex {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "0x{:016X}", self.0)
    }
}

#[cfg(test)]
mod tests {
    use cgsan_model::{CopyKind, EventId, HostMemory, NodeKind};

    use super::super::nodes::Values;
    use super::super::{Graph, Node};
    use super::{Flags, print};
    use crate::gpu::attributes::Attributes;
    use crate::gpu::work::Work;
    use crate::memory::{Fill, Transfer};

    fn node(kind: NodeKind, work: Work, dependencies: &[usize]) -> Node {
        Node {
            handle: 0x55B2_963A_1558,
            kind,
            work,
            values: Values::Missing,
            attributes: Attributes::default(),
            dependencies: dependencies.to_vec(),
        }
    }

    fn graph(nodes: Vec<Node>) -> Graph {
        let mut graph = Graph::new(1);
        graph.nodes = nodes;
        graph
    }

    fn copy(dependencies: &[usize]) -> Node {
        let transfer = Transfer::linear(0x7F66_4BE0_0200, 0x7F66_2E40_0000, 512);
        let kind = NodeKind::Memcpy {
            kind: CopyKind::HostToDevice(HostMemory::Pinned),
            dst: 0x7F66_4BE0_0200,
            src: 0x7F66_2E40_0000,
            bytes: 512,
        };
        node(kind, Work::Copy(transfer), dependencies)
    }

    fn fill(dependencies: &[usize]) -> Node {
        let fill = Fill::bytes(0x7F66_4BE0_0200, 1, 512);
        node(fill.node(), Work::Fill(fill), dependencies)
    }

    /// As recorded on an H100 with driver 580.159.04.
    #[test]
    fn the_short_form_is_the_driver_s() {
        let graph = graph(vec![copy(&[]), fill(&[0])]);
        let expected = "digraph dot {\nsubgraph cluster_1 {\nlabel=\"graph_1\" graph[style=\"dashed\"];\n\
            \"graph_1_node_0\"[style=\"solid\" shape=\"trapezium\"label=\"0\nMEMCPY\n(HtoD,512)\n\"];\n\n\
            \"graph_1_node_1\"[style=\"solid\" shape=\"invtrapezium\"label=\"1\nMEMSET\n(1,512)\n\"];\n\n\
            \"graph_1_node_0\" -> \"graph_1_node_1\";\n}\n}\n";
        assert_eq!(print(&graph, Flags(0)).as_deref(), Ok(expected));
    }

    /// As recorded on an H100 with driver 580.159.04.
    #[test]
    fn the_verbose_form_is_the_driver_s() {
        let event = NodeKind::EventRecord {
            event: EventId(0x55B2_960A_F120),
        };
        let graph = graph(vec![
            copy(&[]),
            fill(&[0]),
            node(event, Work::Nothing, &[1]),
        ]);
        let printed = print(&graph, Flags(1)).expect("printing into memory does not fail");
        for part in [
            "\"graph_1_node_0\"[style=\"solid\" shape=\"record\" label=\"{\nMEMCPY\n\
             | {{ID | node handle} | {0 (topoId: 2) | 0x000055B2963A1558}}\n\
             | {kind | HtoD (HOST PINNED to DEVICE)}\n\
             | {{srcPtr | dstPtr} | {pitch | ptr | xsize | ysize | pitch | ptr | xsize | ysize} | \
             {0 | 0x00007F662E400000 | 0 | 0 | 0 | 0x00007F664BE00200 | 0 | 0}}\n\
             | {{srcPos | {{x | 0} | {y | 0} | {z | 0}}} | {dstPos | {{x | 0} | {y | 0} | {z | 0}}} | \
             {Extent | {{Width | 512} | {Height | 1} | {Depth | 1}}}}\n}\"];\n\n",
            "\"graph_1_node_1\"[style=\"solid\" style=\"solid\" shape=\"record\" label=\"{MEMSET\n\
             | {{ID | node handle | dptr | pitch | value | elementSize | width | height} | \
             {1 (topoId: 1) | 0x000055B2963A1558 | 0x00007F664BE00200 | 0 | 1 | 1 | 512 | 1}}}\"];\n\n",
            "\"graph_1_node_2\"[style=\"solid\" shape=\"rectangle\" label=\"2 (topoId: 0)\nEVENT_RECORD\n\
             node handle: 0x000055B2963A1558\nevent: 0x000055B2960AF120\n\"];\n\n",
            "\"graph_1_node_0\" -> \"graph_1_node_1\" [headlabel=0];\n",
        ] {
            assert!(printed.contains(part), "{part}\nis not in\n{printed}");
        }
    }
}
