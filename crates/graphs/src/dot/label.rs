//! What the label of a node says of it.
//!
//! A label is a text in lines, or a record: fields between bars and braces, some of which hold the names of others. Either way it is a
//! list of cells, the first of which say the node's number and type.

use cgsan_finding::{Direction, GraphNode, Parameters};

/// The types as the driver prints them, and as they are called here.
const KINDS: [(&str, &str); 12] = [
    ("KERNEL", "kernel"),
    ("MEMCPY", "memcpy"),
    ("MEMSET", "memset"),
    ("HOST", "host"),
    ("MEM_ALLOC", "mem_alloc"),
    ("MEM_FREE", "mem_free"),
    ("CHILD_GRAPH", "child_graph"),
    ("EVENT_RECORD", "event_record"),
    ("EVENT_WAIT", "event_wait"),
    ("BATCH_MEM_OP", "batch_mem_op"),
    ("CONDITIONAL", "conditional"),
    ("EMPTY", "empty"),
];

/// The shape in which the driver draws a kernel whose type it does not print.
const KERNEL_SHAPE: &str = "octagon";

/// The directions of copies.
const DIRECTIONS: [(&str, Direction); 4] = [
    ("HtoD", Direction::HostToDevice),
    ("DtoH", Direction::DeviceToHost),
    ("DtoD", Direction::DeviceToDevice),
    ("HtoH", Direction::HostToHost),
];

/// The node of a label, without edges.
pub(super) fn node(label: &str, shape: &str) -> GraphNode {
    let cells = cells(label);
    let mut first = cells.iter().take(3);
    let named = first.find_map(|cell| KINDS.iter().find(|(name, _)| cell == name));
    let kind = match named {
        _ if shape == KERNEL_SHAPE => "kernel",
        Some((_, kind)) => kind,
        None => "other",
    };
    let parameters = match kind {
        "kernel" => launch(&cells).map(|(_, launch)| launch),
        "memcpy" => copy(&cells),
        "memset" => fill(&cells),
        "mem_alloc" => allocation(&cells),
        _ => None,
    };
    GraphNode {
        kind,
        name: match kind {
            "kernel" => kernel(&cells),
            _ => parameters.and_then(Parameters::words),
        },
        operator: None,
        stream: None,
        depends_on: Vec::new(),
        place: None,
        parameters,
    }
}

/// The texts between lines, bars and braces, without the backslashes before what stands for itself.
fn cells(label: &str) -> Vec<String> {
    let mut cells = vec![String::new()];
    let mut characters = label.chars();
    while let Some(c) = characters.next() {
        let last = cells.len() - 1;
        match c {
            '\\' => match characters.next() {
                Some('n' | 'l' | 'r') => cells.push(String::new()),
                Some(escaped) => cells[last].push(escaped),
                None => {}
            },
            '\n' | '|' | '{' | '}' => cells.push(String::new()),
            _ => cells[last].push(c),
        }
    }
    let cells = cells.into_iter().map(|it| it.trim().to_owned());
    cells.filter(|it| !it.is_empty()).collect()
}

/// The name of a kernel: before the launch, or else in the line behind the number.
fn kernel(cells: &[String]) -> Option<String> {
    if let Some((name, _)) = launch(cells) {
        return Some(name.to_owned());
    }
    cells.get(1).cloned()
}

/// A kernel's name and launch, written `name<<<grid,block,shared>>>`, where dimensions beyond the first stand in braces.
fn launch(cells: &[String]) -> Option<(&str, Parameters)> {
    let written = cells.iter().find(|it| it.ends_with(">>>"))?;
    let (name, launch) = written.strip_suffix(">>>")?.rsplit_once("<<<")?;
    let (grid, rest) = dimensions(launch)?;
    let (block, rest) = dimensions(rest.strip_prefix(',')?)?;
    let shared = rest.strip_prefix(',')?.parse().ok()?;
    let launch = Parameters::Launch {
        grid,
        block,
        shared,
    };
    Some((name, launch))
}

/// Dimensions, and what follows them.
fn dimensions(text: &str) -> Option<([u32; 3], &str)> {
    let (inside, rest) = match text.strip_prefix('{') {
        Some(inside) => inside.split_once('}')?,
        None => text.split_at(text.find(',')?),
    };
    let mut dimensions = [1; 3];
    let mut given = inside.split(',');
    for dimension in &mut dimensions {
        if let Some(text) = given.next() {
            *dimension = text.parse().ok()?;
        }
    }
    given.next().is_none().then_some((dimensions, rest))
}

/// A copy: `(HtoD,512)`, or fields that name the direction and the extent.
fn copy(cells: &[String]) -> Option<Parameters> {
    let direction = |text: &str| {
        let found = DIRECTIONS.iter().find(|(name, _)| text.starts_with(name));
        found.map(|(_, direction)| *direction)
    };
    if let Some([what, bytes]) = in_parentheses(cells) {
        let direction = direction(what)?;
        let bytes = bytes.parse().ok()?;
        return Some(Parameters::Copy { direction, bytes });
    }
    let size = |name| behind(cells, name)?.parse::<u64>().ok();
    let [width, height, depth] = [size("Width")?, size("Height")?, size("Depth")?];
    Some(Parameters::Copy {
        direction: direction(behind(cells, "kind")?)?,
        bytes: width.saturating_mul(height).saturating_mul(depth),
    })
}

/// A fill: `(value,512)`, or fields that have their names first and then their values.
fn fill(cells: &[String]) -> Option<Parameters> {
    if let Some([value, bytes]) = in_parentheses(cells) {
        return Some(Parameters::Fill {
            value: value.parse().ok()?,
            bytes: bytes.parse().ok()?,
            rows: 1,
        });
    }
    let names = cells.iter().position(|it| it == "dptr")?;
    let values = cells.iter().position(|it| it.starts_with("0x"))? + 1;
    let value = |name| {
        let at = cells.iter().skip(names).position(|it| it == name)?;
        cells.get(values + at)?.parse::<u64>().ok()
    };
    Some(Parameters::Fill {
        value: u32::try_from(value("value")?).ok()?,
        bytes: value("width")?.saturating_mul(value("elementSize")?),
        rows: value("height")?,
    })
}

/// An allocation: its fields have their names first and then their values.
fn allocation(cells: &[String]) -> Option<Parameters> {
    let names = cells.iter().position(|it| it == "bytesize")?;
    let bytes = cells.get(names + 2)?.parse().ok()?;
    Some(Parameters::Allocation { bytes })
}

/// The two values of a cell `(one,other)`.
fn in_parentheses(cells: &[String]) -> Option<[&str; 2]> {
    let inside = |it: &'_ String| it.starts_with('(') && it.ends_with(')');
    let cell = cells.iter().find(|it| inside(it))?;
    let (one, other) = cell.strip_prefix('(')?.strip_suffix(')')?.split_once(',')?;
    Some([one, other])
}

/// The cell behind one of this text.
fn behind<'c>(cells: &'c [String], name: &str) -> Option<&'c str> {
    let at = cells.iter().position(|it| it == name)?;
    cells.get(at + 1).map(String::as_str)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_verbose_kernel_has_its_launch() {
        let label = "{KERNEL\n| {ID | 0 (topoId: 2) | _Z3addPfi\\<\\<\\<\\{8,4\\},128,16\\>\\>\\>}\n\
            | {{node handle | func handle} | {0x000055B2963A1558 | 0x000055B2963A1558}}\n\
            | {cooperative | 0}\n| {priority | 0}\n}";
        let node = node(label, "record");
        assert_eq!(
            (node.kind, node.name.as_deref()),
            ("kernel", Some("_Z3addPfi"))
        );
        let launch = Parameters::Launch {
            grid: [8, 4, 1],
            block: [128, 1, 1],
            shared: 16,
        };
        assert_eq!(node.parameters, Some(launch));
    }

    #[test]
    fn a_kernel_may_be_called_as_a_type_is() {
        let node = node("3\nEMPTY\n", "octagon");
        assert_eq!((node.kind, node.name.as_deref()), ("kernel", Some("EMPTY")));
    }

    #[test]
    fn a_verbose_copy_has_its_extent() {
        let label = "{\nMEMCPY\n| {{ID | node handle} | {0 (topoId: 2) | 0x000055B2963A1558}}\n\
            | {kind | DtoH (DEVICE to HOST PINNED)}\n\
            | {{srcPtr | dstPtr} | {pitch | ptr | xsize | ysize | pitch | ptr | xsize | ysize} | \
            {0 | 0x00007F662E400000 | 0 | 0 | 0 | 0x00007F664BE00200 | 0 | 0}}\n\
            | {{srcPos | {{x | 0} | {y | 0} | {z | 0}}} | {dstPos | {{x | 0} | {y | 0} | {z | 0}}} | \
            {Extent | {{Width | 512} | {Height | 3} | {Depth | 1}}}}\n}";
        let node = node(label, "record");
        let copied = Parameters::Copy {
            direction: Direction::DeviceToHost,
            bytes: 1536,
        };
        assert_eq!(node.parameters, Some(copied));
        assert_eq!(node.name.as_deref(), Some("1536 bytes device to host"));
    }

    #[test]
    fn a_verbose_fill_has_its_rows() {
        let label = "{MEMSET\n| {{ID | node handle | dptr | pitch | value | elementSize | width | height} | \
            {1 (topoId: 1) | 0x000055B2963A1558 | 0x00007F664BE00200 | 512 | 7 | 4 | 16 | 3}}}";
        let filled = Parameters::Fill {
            value: 7,
            bytes: 64,
            rows: 3,
        };
        assert_eq!(node(label, "record").parameters, Some(filled));
    }

    #[test]
    fn a_verbose_allocation_has_its_size() {
        let label = "{\nMEM_ALLOC\n| {{ID | node handle} | {0 (topoId: 0) | 0x000055B2963A1558}}\n\
            | {{{poolProps | {allocType | handleTypes | {location | {type | id}}} | {PINNED | NONE | DEVICE | 0}}}}\n\
            | {{bytesize | dptr} | {4096 | 0x00007F664BE00200}}\n}";
        let node = node(label, "record");
        assert_eq!(node.kind, "mem_alloc");
        assert_eq!(
            node.parameters,
            Some(Parameters::Allocation { bytes: 4096 })
        );
    }

    #[test]
    fn a_type_that_is_not_known_is_another_kind() {
        assert_eq!(node("0\nTELEPORT\n", "rectangle").kind, "other");
        assert_eq!(node("", "").kind, "other");
    }
}
