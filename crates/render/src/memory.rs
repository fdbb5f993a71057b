//! Who holds memory, as tables of text.

use cgsan_finding::{GraphMemory, Holder, MemoryAt, MemoryUse, Process};

use crate::style::Painter;
use crate::table::{Row, aligned, row};
use crate::{Options, path, text};

/// How many moments are shown unless all are asked for: the first and the last ones.
const MOMENTS: usize = 24;
/// How many lines that hold memory.
const LINES: usize = 10;

/// What the allocator of each process held, with an empty line behind each.
pub fn memory(uses: &[MemoryUse], options: &Options) -> String {
    let mut output = String::new();
    if uses.is_empty() {
        output += "no memory to show: PyTorch's allocator is asked from the first capture on\n\n";
    }
    for one in uses {
        output += &of_process(one, options);
    }
    text::shown(&output)
}

fn of_process(one: &MemoryUse, options: &Options) -> String {
    let painter = Painter::new(options.color);
    let whose = if options.several_processes {
        format!(" of {}", Process::names(std::slice::from_ref(&one.process)))
    } else {
        String::new()
    };
    let title = format!("memory in PyTorch's allocator{whose}, in MiB");
    let tables = [
        moments(one, options),
        graphs(one, options),
        holders(&one.holders, options),
    ];
    let tables = tables.into_iter().filter(|it| !it.is_empty());
    let tables: Vec<String> = tables.collect();
    format!("{}\n\n{}\n", painter.heading(&title), tables.join("\n"))
}

fn moments(one: &MemoryUse, options: &Options) -> String {
    let mut rows = vec![row([
        "when", "pool", "reserved", "held", "waiting", "free", "split",
    ])];
    let shown = if options.full { usize::MAX } else { MOMENTS };
    let left_out = one.moments.len().saturating_sub(shown);
    for (index, moment) in one.moments.iter().enumerate() {
        let first = shown / 2;
        if left_out > 0 && (first..first + left_out).contains(&index) {
            if index == first {
                rows.push(row([&format!("… {left_out} more"), "", "", "", "", "", ""]));
            }
            continue;
        }
        let before = index.checked_sub(1).map(|it| &one.moments[it]);
        if before.is_some_and(|it| it.reserved == moment.reserved && it.pools == moment.pools) {
            rows.push(row([&when(moment, one), "the same", "", "", "", "", ""]));
            continue;
        }
        rows.push(sums(
            &when(moment, one),
            "all",
            moment.reserved,
            moment.allocated,
            moment.pending,
            moment.split,
        ));
        for it in &moment.pools {
            let pool = pool(Some(it.pool));
            rows.push(sums(
                "",
                &pool,
                it.reserved,
                it.allocated,
                it.pending,
                it.split,
            ));
        }
    }
    aligned(&rows, 2)
}

fn when(moment: &MemoryAt, one: &MemoryUse) -> String {
    let graph = moment.graph.and_then(|number| one.graphs.get(number - 1));
    let which = graph.map_or_else(String::new, |it| format!(" {}", it.graph));
    match moment.moment {
        "before_capture" => format!("before capture{which}"),
        "capture_ends" => format!("end of capture{which}"),
        "replay" => "at a replay".to_owned(),
        _ => "end of the program".to_owned(),
    }
}

fn sums(when: &str, pool: &str, reserved: u64, held: u64, waiting: u64, split: u64) -> Row {
    let free = reserved.saturating_sub(held.saturating_add(waiting));
    let [reserved, held, waiting, free, split] = [reserved, held, waiting, free, split].map(mib);
    row([when, pool, &reserved, &held, &waiting, &free, &split])
}

/// A column of the graphs: its head, whether anything is known for it, and its cells.
type Column<'a> = (&'a str, bool, &'a dyn Fn(&GraphMemory) -> String);

fn graphs(one: &MemoryUse, options: &Options) -> String {
    if one.graphs.is_empty() {
        return String::new();
    }
    let at = |it: &GraphMemory| {
        let location = it.location.as_ref();
        location.map_or_else(String::new, |it| place(it, options))
    };
    let replays = |it: &GraphMemory| {
        if it.captured {
            it.replays.to_string()
        } else {
            "failed".to_owned()
        }
    };
    let known = |bytes: Option<u64>| bytes.map_or_else(String::new, mib);
    let has = |of: fn(&GraphMemory) -> Option<u64>| one.graphs.iter().any(|it| of(it).is_some());
    let columns: [Column<'_>; 9] = [
        ("capture", true, &|it| it.graph.to_string()),
        ("at", true, &at),
        ("pool", true, &|it| pool(it.pool)),
        ("peak", true, &|it| mib(it.peak)),
        ("eager peak", has(|it| it.eager_peak), &|it| {
            known(it.eager_peak)
        }),
        ("inputs", true, &|it| mib(it.inputs)),
        ("outputs", true, &|it| mib(it.outputs)),
        ("executable", has(|it| it.executable), &|it| {
            known(it.executable)
        }),
        ("replays", true, &replays),
    ];
    let columns = columns.iter().filter(|(_, is_known, _)| *is_known);
    let heads = columns.clone().map(|(head, ..)| (*head).to_owned());
    let mut rows: Vec<Row> = vec![heads.collect()];
    for it in &one.graphs {
        rows.push(columns.clone().map(|(.., cell)| cell(it)).collect());
    }
    aligned(&rows, 3) + &executables(one)
}

/// Why nothing is said of executable graphs.
fn executables(one: &MemoryUse) -> String {
    if one.graphs.iter().any(|it| it.executable.is_some()) {
        return String::new();
    }
    let why = if one.virtual_gpu {
        "is not known: the virtual GPU takes nothing for them"
    } else {
        "was not measured"
    };
    format!("  what executable graphs take from the driver {why}\n")
}

fn holders(holders: &[Holder], options: &Options) -> String {
    if holders.is_empty() {
        return String::new();
    }
    let mut rows = vec![row([
        "held when most was reserved",
        "pool",
        "held",
        "blocks",
    ])];
    let shown = if options.full { holders.len() } else { LINES };
    for it in holders.iter().take(shown) {
        let at = it.location.as_ref();
        let at = at.map_or_else(|| "no line of Python".to_owned(), |it| place(it, options));
        rows.push(row([
            &at,
            &pool(it.pool),
            &mib(it.bytes),
            &it.blocks.to_string(),
        ]));
    }
    aligned(&rows, 2)
}

fn place(location: &cgsan_finding::Location, options: &Options) -> String {
    let file = path::shorten(&location.file_name(), options.directory.as_deref());
    text::printable(&format!("{file}:{}", location.line))
}

fn pool(pool: Option<(u64, u64)>) -> String {
    match pool {
        None => "?".to_owned(),
        Some((0, 0)) => "eager".to_owned(),
        // Pools of captures count in the first number, those that the program makes in the second.
        Some((one, two)) => format!("({one}, {two})"),
    }
}

/// In MiB, with a decimal where that matters.
fn mib(bytes: u64) -> String {
    const MIB: u64 = 1 << 20;
    if bytes >= 10 * MIB || bytes == 0 {
        return (bytes.saturating_add(MIB / 2) / MIB).to_string();
    }
    let tenths = (bytes * 10).div_ceil(MIB);
    format!("{}.{}", tenths / 10, tenths % 10)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_are_rounded_and_small_ones_are_not_nothing() {
        assert_eq!(mib(0), "0");
        assert_eq!(mib(512), "0.1");
        assert_eq!(mib(3 << 19), "1.5");
        assert_eq!(mib(256 << 20), "256");
        assert_eq!(mib((256 << 20) + 1), "256");
    }
}
