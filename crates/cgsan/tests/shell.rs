//! What shells and `man` are told, and what the command says of its build.

use std::fs;
use std::path::Path;
use std::process::{Command, Output};

const CGSAN: &str = env!("CARGO_BIN_EXE_cgsan");

fn cgsan(arguments: &[&str]) -> Output {
    Command::new(CGSAN)
        .args(arguments)
        .env("NO_COLOR", "1")
        .output()
        .expect("cgsan starts")
}

fn stdout(output: Output) -> String {
    assert!(output.status.success(), "{output:?}");
    String::from_utf8(output.stdout).expect("text")
}

/// The subcommands, as the help lists them.
fn subcommands() -> Vec<String> {
    let help = stdout(cgsan(&["--help"]));
    let (_, list) = help.split_once("Commands:\n").expect("a list");
    let names = list.lines().take_while(|line| !line.is_empty());
    let mut names: Vec<String> = names
        .filter(|line| line.starts_with("  ") && !line.starts_with("   "))
        .filter_map(|line| line.split_whitespace().next())
        .filter(|name| *name != "help")
        .map(str::to_owned)
        .collect();
    names.sort();
    names
}

/// What bash offers after these words.
fn offered(words: &[&str]) -> Vec<String> {
    let script = format!(
        "source <('{CGSAN}' completions bash)\n\
         COMP_WORDS=({words}); COMP_CWORD={last}\n\
         _cgsan cgsan \"${{COMP_WORDS[COMP_CWORD]}}\" \"${{COMP_WORDS[COMP_CWORD-1]}}\"\n\
         printf '%s\\n' \"${{COMPREPLY[@]}}\"",
        words = words.join(" "),
        last = words.len() - 1,
    );
    let mut bash = Command::new("bash");
    let output = bash.args(["-c", &script]).output().expect("bash starts");
    stdout(output).lines().map(str::to_owned).collect()
}

#[test]
fn bash_completes_subcommands_options_and_their_values() {
    assert_eq!(offered(&["cgsan", "ru"]), ["run"]);
    assert_eq!(offered(&["cgsan", "run", "--stri"]), ["--strict"]);
    assert_eq!(
        offered(&["cgsan", "run", "--on-hang", "k"]),
        ["kill"],
        "what an option takes"
    );
}

#[test]
fn the_other_shells_have_completions_of_every_subcommand() {
    for shell in ["zsh", "fish", "elvish", "powershell"] {
        let script = stdout(cgsan(&["completions", shell]));
        for name in subcommands() {
            assert!(script.contains(&name), "{shell} does not know {name}");
        }
    }
}

#[test]
fn each_subcommand_has_a_manual_page_with_its_options() {
    let folder = tempfile::tempdir().expect("a folder");
    let folder = folder.path().join("man1");
    let place = folder.to_str().expect("a plain name");
    stdout(cgsan(&["man", place]));
    let mut expected: Vec<String> = subcommands()
        .iter()
        .map(|name| format!("cgsan-{name}.1"))
        .collect();
    expected.push("cgsan.1".to_owned());
    expected.sort();
    assert_eq!(names_in(&folder), expected);
    let page = fs::read_to_string(folder.join("cgsan-run.1")).expect("a page");
    assert!(page.contains(".TH cgsan-run 1"), "{page}");
    assert!(page.contains(r"\-\-hang\-timeout"), "{page}");
    for heading in ["WHAT TO RUN ON", "WHAT TO LOOK FOR", "WHAT TO WRITE"] {
        assert!(page.contains(&format!(".SH \"{heading}\"")), "{page}");
    }
    // Pages of an older version are replaced.
    stdout(cgsan(&["man", place]));
    assert_eq!(names_in(&folder), expected);
}

fn names_in(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).expect("a folder");
    let mut names: Vec<String> = entries
        .map(|entry| entry.expect("an entry").file_name())
        .map(|name| name.into_string().expect("a plain name"))
        .collect();
    names.sort();
    names
}

#[test]
fn pages_that_cannot_be_written_are_told() {
    let output = cgsan(&["man", "/proc/no/such/folder"]);
    assert_eq!(output.status.code(), Some(125));
    insta::assert_snapshot!(String::from_utf8_lossy(&output.stderr));
}

#[test]
fn the_version_says_where_the_build_comes_from() {
    let short = stdout(cgsan(&["-V"]));
    assert_eq!(short, concat!("cgsan ", env!("CARGO_PKG_VERSION"), "\n"));
    let long = stdout(cgsan(&["--version"]));
    let (first, facts) = long.split_once('\n').expect("several lines");
    assert_eq!(first, short.trim_end());
    let names: Vec<&str> = facts
        .lines()
        .filter_map(|line| line.split(':').next())
        .collect();
    assert_eq!(
        names,
        ["commit", "target", "compiler", "libraries", "project"]
    );
    assert!(facts.contains("compiler:  rustc 1."), "{facts}");
}
