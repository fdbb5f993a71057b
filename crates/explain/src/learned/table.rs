//! The table of what is learned: a line for each feature, with what it is worth for each entry.

use std::collections::HashMap;
use std::fmt::Write as _;

use cgsan_catalogue::entries;

use super::Learned;
use super::features::Features;
use super::fit::{Weights, to_shares};

/// The column of trouble that is no failure of a graph.
pub const BESIDE: &str = "none";

/// The line that says where each column begins, before anything is known of a text. No feature has this name.
const START: &str = "";

/// In what parts of 1 the numbers are.
const PARTS: f32 = 100.0;

/// The least weight that is worth its place.
const LEAST: f32 = 0.25;

/// What each feature is worth.
pub struct Table<'a> {
    /// Where the entries begin, in their order, and after them the trouble that is no graph's.
    start: Vec<f32>,
    /// The number and the rarity of each feature.
    features: HashMap<&'a str, (usize, f32)>,
    /// What each feature is worth: the number of the column, and the weight.
    weights: Vec<Vec<(usize, f32)>>,
}

impl<'a> Table<'a> {
    /// Reads a table. Columns of entries that the catalogue does not have are left out.
    pub fn read(text: &'a str) -> Self {
        let columns = columns().enumerate();
        let columns: HashMap<&str, usize> = columns.map(|(number, name)| (name, number)).collect();
        let mut table = Table {
            start: vec![0.0; columns.len()],
            features: HashMap::new(),
            weights: Vec::new(),
        };
        let number = |parts: &str| {
            parts
                .parse()
                .map_or(0.0, |parts: i16| f32::from(parts) / PARTS)
        };
        for line in text.lines().filter(|line| !line.starts_with('#')) {
            let mut fields = line.split('\t');
            let (Some(feature), Some(rarity)) = (fields.next(), fields.next()) else {
                continue;
            };
            let weights = fields.filter_map(|field| {
                let (column, weight) = field.split_once(':')?;
                Some((*columns.get(column)?, number(weight)))
            });
            if feature == START {
                weights.for_each(|(column, weight)| table.start[column] = weight);
            } else {
                let place = (table.weights.len(), number(rarity));
                table.features.insert(feature, place);
                table.weights.push(weights.collect());
            }
        }
        table
    }

    /// What the features of a text say.
    pub fn say(&self, features: &Features) -> Learned {
        let known = |feature: &str| self.features.get(feature).copied();
        let mut sums = self.start.clone();
        for (feature, share) in features.vector(known) {
            for (column, weight) in &self.weights[feature] {
                sums[*column] += share * weight;
            }
        }
        let beside = sums.pop().unwrap_or_default();
        to_shares(&mut sums);
        Learned {
            entries: sums,
            beside,
        }
    }
}

/// Writes a table of the features, each with its rarity, with what they are worth for the entries, and for and against a graph.
pub fn written(known: &[(&str, f32)], of_entries: &Weights, of_graphs: &Weights) -> String {
    let mut table = String::from("# Written by `cargo xtask learn` from crates/explain/reports.\n");
    let (start, graphs) = (&of_entries.start, &of_graphs.start);
    let _ = writeln!(table, "{START}\t0{}", fields(start, graphs, 0.0));
    for (number, (name, rarity)) in known.iter().enumerate() {
        let (entries, graphs) = (&of_entries.features[number], &of_graphs.features[number]);
        let fields = fields(entries, graphs, LEAST);
        if !fields.is_empty() {
            let _ = writeln!(table, "{name}\t{:.0}{fields}", PARTS * rarity);
        }
    }
    table
}

fn fields(of_entries: &[f32], of_graphs: &[f32], least: f32) -> String {
    let beside = of_graphs[1] - of_graphs[0];
    let weights = of_entries.iter().copied().chain([beside]);
    let mut fields = String::new();
    for (column, weight) in columns().zip(weights) {
        if weight.abs() >= least {
            let _ = write!(fields, "\t{column}:{:.0}", PARTS * weight);
        }
    }
    fields
}

/// The names of the columns: the entries, and what is none of them.
fn columns() -> impl Iterator<Item = &'static str> {
    let entries = entries().iter().map(|entry| entry.id);
    entries.chain([BESIDE])
}

#[cfg(test)]
mod tests {
    use super::*;

    fn say(table: &str, text: &str) -> Learned {
        let features = Features::of_text(text);
        Table::read(table).say(&features)
    }

    fn share(learned: &Learned, id: &str) -> f32 {
        let entry = entries().iter().find(|entry| entry.id == id);
        learned.share(entry.unwrap())
    }

    #[test]
    fn a_feature_speaks_for_its_columns() {
        let table = "# said of it\n\t0\tCG101:0\tnone:-50\nreplay\t100\tCG203:500\tnone:-100\n";
        let learned = say(table, "replay");
        assert!(share(&learned, "CG203") > 10.0 * share(&learned, "CG101"));
        assert!((learned.beside + 1.5).abs() < 1e-5);
        let learned = say(table, "nothing known");
        assert!((share(&learned, "CG203") - share(&learned, "CG101")).abs() < 1e-6);
        assert!((learned.beside + 0.5).abs() < 1e-5);
    }

    #[test]
    fn a_table_with_mistakes_is_read_as_far_as_it_goes() {
        let table = "replay\nreplay\t100\tCG999:3\tCG203\tCG101:x\t:\n\t\t\n";
        let learned = say(table, "replay");
        assert!((share(&learned, "CG203") - share(&learned, "CG101")).abs() < 1e-6);
    }
}
