//! `cargo xtask schemas`: what PyTorch's own schemas tell of its operators, as `crates/operators/facts.txt` has it.

mod signature;

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

use clap::Args;
use signature::Signature;

use crate::failure::{Context, Failure, Result};
use crate::{python, workspace};

const FILE: &str = "crates/operators/facts.txt";

/// Where a wheel of PyTorch has its schemas, in the folder of an interpreter's packages.
const SCHEMAS: &str = "torchgen/packaged/ATen/native/native_functions.yaml";

const HEAD: &str = "\
# Facts about PyTorch's operators from their schemas (native_functions.yaml), written by `cargo xtask schemas`: an operator a line.
# view: all tensors that it gives lie in the memory of one that it is given, or may; asks: it gives no tensor and changes none;
# reads: the host gets elements by it; writes: the places of the arguments that it changes.
";

/// What `cargo xtask schemas` understands.
#[derive(Args)]
pub struct Options {
    /// The releases to read, such as `2.11.0`; each adds to what the file has
    #[arg(value_name = "VERSION", required = true)]
    releases: Vec<String>,

    /// Write nothing; fail if a release tells something that the file does not
    #[arg(long)]
    check: bool,
}

/// Words about each operator.
type Facts = BTreeMap<String, BTreeSet<String>>;

/// Reads the schemas of the releases, and writes or checks the file.
pub fn run(options: &Options) -> Result<()> {
    for release in &options.releases {
        let seen = facts(&schemas(&python::with_torch(release)?)?);
        let (mut kept, mut releases) = kept()?;
        let new = difference(&seen, &kept);
        if options.check && !new.is_empty() {
            return Err(Failure::new(format!(
                "PyTorch {release} says of {} what {FILE} does not; run `cargo xtask schemas {release}`",
                new.join(", ")
            )));
        }
        for (name, words) in seen {
            kept.entry(name).or_default().extend(words);
        }
        releases.insert(release.clone());
        if !options.check {
            let path = workspace::root().join(FILE);
            fs::write(&path, text(&kept, &releases)).context(|| format!("cannot write {FILE}"))?;
        }
        eprintln!("PyTorch {release}: {} operators are news", new.len());
    }
    Ok(())
}

/// Fails if the release that the tests run on tells something that the file does not.
pub fn check() -> Result<()> {
    run(&Options {
        releases: vec![xtask_start::python::DEFAULT_TORCH.to_owned()],
        check: true,
    })
}

/// The operators of which something is seen that is not kept.
fn difference(seen: &Facts, kept: &Facts) -> Vec<String> {
    let is_new = |(name, words): &(&String, &BTreeSet<String>)| {
        kept.get(*name).is_none_or(|kept| !words.is_subset(kept))
    };
    seen.iter()
        .filter(is_new)
        .map(|(name, _)| format!("`{name}`"))
        .collect()
}

/// The schemas that lie beside the PyTorch of an interpreter.
fn schemas(python: &Path) -> Result<String> {
    let library = python.ancestors().nth(2).unwrap_or(python).join("lib");
    let folders =
        fs::read_dir(&library).context(|| format!("cannot read {}", library.display()))?;
    let paths = folders
        .flatten()
        .map(|it| it.path().join("site-packages").join(SCHEMAS));
    let path = paths.into_iter().find(|path| path.is_file());
    let path =
        path.ok_or_else(|| Failure::new(format!("{} has no {SCHEMAS}", library.display())))?;
    fs::read_to_string(&path).context(|| format!("cannot read {}", path.display()))
}

/// What schemas tell. An operator gives views if all of its overloads do.
fn facts(schemas: &str) -> Facts {
    let mut facts = Facts::new();
    let mut copying: BTreeSet<&str> = BTreeSet::new();
    let mut lines = schemas.lines().peekable();
    while let Some(line) = lines.next() {
        let signature = line.strip_prefix("- func: ").and_then(Signature::read);
        let Some(signature) = signature.filter(|it| !it.is_out()) else {
            continue;
        };
        let mut tags = "";
        while let Some(line) = lines.next_if(|line| !line.starts_with("- func: ")) {
            tags = line.strip_prefix("  tags:").unwrap_or(tags);
        }
        let words = facts.entry(signature.name.to_owned()).or_default();
        let mut add = |holds: bool, word: &str| {
            if holds {
                words.insert(word.to_owned());
            }
        };
        add(signature.gives_views(), "view");
        add(signature.is_asked(), "asks");
        add(tags.contains("data_dependent_output"), "reads");
        for place in signature.writes() {
            add(true, &format!("writes:{place}"));
        }
        if !signature.gives_views() {
            copying.insert(signature.name);
        }
    }
    for name in copying {
        if let Some(words) = facts.get_mut(name) {
            words.remove("view");
        }
    }
    facts.retain(|_, words| !words.is_empty());
    facts
}

/// What the file has, and the releases that it was read from.
fn kept() -> Result<(Facts, BTreeSet<String>)> {
    let path = workspace::root().join(FILE);
    let text = fs::read_to_string(&path).context(|| format!("cannot read {FILE}"))?;
    let releases = text.lines().find_map(|line| line.strip_prefix("# Read: "));
    let releases = releases.unwrap_or_default().split_whitespace();
    let mut facts = Facts::new();
    for line in text.lines().filter(|line| !line.starts_with('#')) {
        let (name, words) = line.split_once(' ').unwrap_or((line, ""));
        let words = words
            .split(' ')
            .flat_map(|word| match word.strip_prefix("writes:") {
                Some(places) => places.split(',').map(|it| format!("writes:{it}")).collect(),
                None => vec![word.to_owned()],
            });
        facts.insert(name.to_owned(), words.collect());
    }
    Ok((facts, releases.map(str::to_owned).collect()))
}

/// What the file is to have.
fn text(facts: &Facts, releases: &BTreeSet<String>) -> String {
    let mut releases: Vec<&str> = releases.iter().map(String::as_str).collect();
    releases.sort_by_key(|release| crate::releases::minor(release));
    let mut text = format!("{HEAD}# Read: {}\n", releases.join(" "));
    for (name, words) in facts {
        let (places, words): (Vec<&str>, Vec<&str>) = words
            .iter()
            .map(String::as_str)
            .partition(|word| word.starts_with("writes:"));
        let places = places.iter().filter_map(|it| it.strip_prefix("writes:"));
        let places = places.collect::<Vec<_>>().join(",");
        text.push_str(name);
        for word in words {
            text.push(' ');
            text.push_str(word);
        }
        if !places.is_empty() {
            text.push_str(" writes:");
            text.push_str(&places);
        }
        text.push('\n');
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    const SCHEMAS: &str = "\
- func: squeeze(Tensor(a) self) -> Tensor(a)
  variants: function, method
  tags: core

- func: squeeze.some(Tensor(a) self, int dim) -> Tensor(a)

- func: both(Tensor(a) self) -> Tensor(a)

- func: both.copy(Tensor self, bool copy) -> Tensor

- func: equal(Tensor self, Tensor other) -> bool
  tags: [data_dependent_output, pointwise]

- func: scale_(Tensor(a!)[] self, Tensor(b!) found) -> ()
";

    #[test]
    fn each_release_that_is_supported_was_read() {
        let (_, read) = kept().expect("the file can be read");
        let missing: Vec<&str> = crate::releases::all()
            .filter(|release| !read.contains(*release))
            .collect();
        assert!(
            missing.is_empty(),
            "run `cargo xtask schemas {}`",
            missing.join(" ")
        );
    }

    #[test]
    fn overloads_are_one() {
        let facts = facts(SCHEMAS);
        let words = |name: &str| {
            facts
                .get(name)
                .map(|it| it.iter().cloned().collect::<Vec<_>>())
        };
        assert_eq!(words("squeeze"), Some(vec!["view".to_owned()]));
        assert_eq!(words("both"), None);
        assert_eq!(
            words("equal"),
            Some(vec!["asks".to_owned(), "reads".to_owned()])
        );
        let releases = BTreeSet::from(["2.15.0".to_owned(), "2.6.0".to_owned()]);
        let text = text(&facts, &releases);
        assert!(text.contains("# Read: 2.6.0 2.15.0\n"), "{text}");
        assert!(
            text.ends_with("\nscale_ writes:0,1\nsqueeze view\n"),
            "{text}"
        );
    }
}
