//! Turns the declared functions (`api/*.list`) into the table, the functions' identities and the stubs of the missing.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::{env, fs};

use families::Family;

#[path = "build/families.rs"]
mod families;

#[path = "build/releases.rs"]
mod releases;

/// One file of `api/`.
struct List {
    library: String,
    unsupported: i32,
    invalid: i32,
    failed: i32,
    functions: Vec<Function>,
}

/// One line of a list.
struct Function {
    name: String,
    implemented: bool,
    /// Whether it gets a stub.
    missing: bool,
    family: Option<Family>,
    driver: Option<String>,
    since: Option<u32>,
}

fn main() {
    let directory = Path::new("api");
    println!("cargo::rerun-if-changed=api");
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-changed=build");
    // The name by which the stubs that stand for NVIDIA's libraries ask for this one.
    println!("cargo::rustc-cdylib-link-arg=-Wl,-soname,libcgsan_vgpu.so");

    let mut paths: Vec<PathBuf> = fs::read_dir(directory)
        .expect("api/ is readable")
        .map(|entry| entry.expect("api/ is readable").path())
        .filter(|path| {
            path.extension()
                .is_some_and(|extension| extension == "list")
        })
        .collect();
    paths.sort();
    let lists: Vec<List> = paths
        .iter()
        .map(|path| {
            let text = fs::read_to_string(path).expect("a list is readable");
            parse(&text).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
        })
        .collect();

    let out = PathBuf::from(env::var_os("OUT_DIR").expect("cargo sets OUT_DIR"));
    fs::write(out.join("table.rs"), table(&lists)).expect("OUT_DIR is writable");
    fs::write(out.join("functions.rs"), identities(&lists)).expect("OUT_DIR is writable");
    fs::write(out.join("missing.rs"), stubs(&lists)).expect("OUT_DIR is writable");
    fs::write(out.join("families.rs"), entry_points(&lists)).expect("OUT_DIR is writable");
    let text = fs::read_to_string(directory.join(releases::FILE)).expect("a table is readable");
    let table =
        releases::table(&text).unwrap_or_else(|error| panic!("api/{}: {error}", releases::FILE));
    fs::write(out.join("releases.rs"), table).expect("OUT_DIR is writable");
}

fn parse(text: &str) -> Result<List, String> {
    let mut list = List {
        library: String::new(),
        unsupported: 0,
        invalid: 0,
        failed: 0,
        functions: Vec::new(),
    };
    for (index, line) in text.lines().enumerate() {
        let mut words = line.split('#').next().unwrap_or("").split_whitespace();
        let Some(first) = words.next() else { continue };
        let at = |message: &str| format!("line {}: {message}", index + 1);
        let second = words.next().ok_or_else(|| at("one word is not enough"))?;
        match first {
            "library" => second.clone_into(&mut list.library),
            "unsupported" => {
                list.unsupported = number(second).map_err(|error| at(&error))?;
                for word in words {
                    match word.split_once('=') {
                        Some(("invalid", code)) => list.invalid = number(code)?,
                        Some(("failed", code)) => list.failed = number(code)?,
                        _ => return Err(at("unknown key")),
                    }
                }
            }
            name => list
                .functions
                .push(parse_function(name, second, words).map_err(|error| at(&error))?),
        }
    }
    if list.library.is_empty() {
        return Err("no line `library <name>`".to_owned());
    }
    Ok(list)
}

fn number(text: &str) -> Result<i32, String> {
    text.parse()
        .map_err(|_| format!("`{text}` is not a number"))
}

fn parse_function<'a>(
    name: &str,
    status: &str,
    keys: impl Iterator<Item = &'a str>,
) -> Result<Function, String> {
    let family = Family::named(status);
    let mut function = Function {
        name: name.to_owned(),
        implemented: match status {
            "implemented" => true,
            "missing" | "refused" => false,
            _ if family.is_some() => true,
            other => {
                return Err(format!(
                    "`{other}` is neither implemented, missing, refused nor a family"
                ));
            }
        },
        missing: status == "missing",
        family,
        driver: None,
        since: None,
    };
    for key in keys {
        match key.split_once('=') {
            Some(("driver", driver)) => function.driver = Some(driver.to_owned()),
            Some(("since", version)) => {
                function.since = Some(version.parse().map_err(|_| "`since` is not a number")?);
            }
            Some((name, value)) if let Some(family) = &mut function.family => {
                family.set(name, value)?;
            }
            _ => return Err(format!("unknown key `{key}`")),
        }
    }
    Ok(function)
}

fn table(lists: &[List]) -> String {
    let mut out = String::from("&[\n");
    for list in lists {
        for function in &list.functions {
            let _ = writeln!(
                out,
                "    ApiFunction {{ library: {:?}, name: {:?}, driver_name: {:?}, since: {:?}, implemented: {} }},",
                list.library, function.name, function.driver, function.since, function.implemented
            );
        }
    }
    out.push_str("]\n");
    out
}

/// The constants by which entry points of the runtime and the driver name themselves.
fn identities(lists: &[List]) -> String {
    let mut out = String::new();
    let of_cuda = lists
        .iter()
        .filter(|list| ["cuda", "cudart"].contains(&list.library.as_str()));
    for list in of_cuda {
        let runtime = list.library == "cudart";
        for function in list
            .functions
            .iter()
            .filter(|function| function.implemented)
        {
            let name = &function.name;
            let plain = name
                .strip_suffix("_ptsz")
                .or_else(|| name.strip_suffix("_ptds"));
            let driver = match &function.driver {
                Some(driver) => driver,
                None => plain.unwrap_or(name),
            };
            let _ = writeln!(
                out,
                "pub const {name}: Function = Function {{ name: {name:?}, driver: {driver:?}, runtime: {:?}, per_thread_default: {} }};",
                runtime.then(|| plain.unwrap_or(name)),
                plain.is_some(),
            );
        }
    }
    out
}

/// The libraries' result codes, and the entry points of the families.
fn entry_points(lists: &[List]) -> String {
    let mut out = String::new();
    for list in lists {
        let library = &list.library;
        let _ = writeln!(
            out,
            "pub const {}: Library = Library {{ invalid: {}, failed: {} }};",
            library.to_uppercase(),
            list.invalid,
            list.failed
        );
        for function in &list.functions {
            if let Some(family) = &function.family {
                out.push_str(&family.entry_point(library, &function.name));
            }
        }
    }
    out
}

fn stubs(lists: &[List]) -> String {
    let mut out = String::new();
    for list in lists {
        for function in list.functions.iter().filter(|function| function.missing) {
            let _ = writeln!(
                out,
                "stub!({}, {:?}, {});",
                function.name, function.name, list.unsupported
            );
        }
    }
    out
}
