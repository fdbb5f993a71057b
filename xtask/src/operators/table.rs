//! The page about the operators.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use super::{Counts, Row};

/// The page as Markdown: the sums by type, and every operator that is to be looked at.
pub fn of(rows: &[Row]) -> String {
    let operators: BTreeSet<&str> = rows.iter().map(|row| row.operator.as_str()).collect();
    let mut text = format!(
        "# PyTorch's operators with values\n\nWritten by `cargo xtask operators --write`: PyTorch 2.11's own samples (`OpInfo`) of {} \
         operators, on the virtual GPU and on the CPU; those of float32, float16 and bfloat16 with their gradients, and \
         with float32 on the CPU where that does not have them. Of these types the first two samples run *as DTensor* too, on a mesh of one \
         rank, and without gradients where DTensor has none. *Named* is what cgsan says that it does not compute; *refused* is what \
         the CPU refuses, which as DTensor is mostly an operator without a rule for shards; *refused here* is an exception on the \
         virtual GPU alone; *not compared* is what gives other numbers for another seed, or memory that nobody has set.\n\n\
         In half precision, a number agrees that is the CPU's in that type or in float32. A Fourier transform's may still differ by a \
         rounding: what it is computed from was rounded to half precision before.\n\n\
         | type | samples | agree | differ | named | refused | refused here | not compared |\n|---|---|---|---|---|---|---|---|\n",
        operators.len()
    );
    let types: BTreeSet<&str> = rows.iter().map(|row| row.dtype.as_str()).collect();
    for dtype in types {
        line(
            &mut text,
            dtype,
            rows.iter().filter(|row| row.dtype == dtype),
        );
    }
    line(&mut text, "all", rows.iter());
    list(&mut text, "Differ", rows, |row| {
        row.words.differs.as_deref()
    });
    list(&mut text, "Refused here", rows, |row| {
        row.words.refused_here.as_deref()
    });
    list(&mut text, "Named", rows, |row| row.words.named.as_deref());
    list(&mut text, "Without samples", rows, |row| {
        row.words.no_sample.as_deref()
    });
    text
}

fn line<'a>(text: &mut String, name: &str, rows: impl Iterator<Item = &'a Row>) {
    let all = rows.fold(Counts::default(), |sum, row| sum.plus(row.counts));
    let _ = writeln!(
        text,
        "| {name} | {} | {} | {} | {} | {} | {} | {} |",
        all.sum(),
        all.agrees,
        all.differs,
        all.named,
        all.refused,
        all.refused_here,
        all.not_compared
    );
}

/// The operators of which something is said, with the types and the words on the first of them.
fn list<'a>(
    text: &mut String,
    title: &str,
    rows: &'a [Row],
    words: impl Fn(&'a Row) -> Option<&'a str>,
) {
    let told: Vec<(&Row, &str)> = rows
        .iter()
        .filter_map(|row| Some((row, words(row)?)))
        .collect();
    if told.is_empty() {
        return;
    }
    let _ = writeln!(text, "\n## {title}\n");
    for of_one in told.chunk_by(|a, b| a.0.operator == b.0.operator) {
        let types: Vec<&str> = of_one.iter().map(|(row, _)| row.dtype.as_str()).collect();
        let _ = writeln!(
            text,
            "- `{}` ({}): {}",
            of_one[0].0.operator,
            types.join(", "),
            of_one[0].1.replace(['|', '<'], " ")
        );
    }
}

impl Counts {
    fn plus(self, other: Counts) -> Counts {
        Counts {
            agrees: self.agrees + other.agrees,
            differs: self.differs + other.differs,
            named: self.named + other.named,
            refused: self.refused + other.refused,
            refused_here: self.refused_here + other.refused_here,
            not_compared: self.not_compared + other.not_compared,
        }
    }

    fn sum(self) -> usize {
        self.agrees
            + self.differs
            + self.named
            + self.refused
            + self.refused_here
            + self.not_compared
    }
}
