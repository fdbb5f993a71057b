//! Where a build comes from.

use std::env;
use std::path::Path;
use std::process::Command;

/// What stands for a fact that cannot be had.
const UNKNOWN: &str = "unknown";

/// Gives the compiler the facts as environment variables.
pub fn emit() {
    let variable = |name| env::var(name).unwrap_or_else(|_| UNKNOWN.to_owned());
    let rustc = output(Command::new(variable("RUSTC")).arg("--version"));
    println!(
        "cargo::rustc-env=BUILT_COMMIT={}",
        commit().as_deref().unwrap_or(UNKNOWN)
    );
    println!("cargo::rustc-env=BUILT_TARGET={}", variable("TARGET"));
    println!(
        "cargo::rustc-env=BUILT_RUSTC={}",
        rustc.as_deref().unwrap_or(UNKNOWN)
    );
    let libraries = if cfg!(feature = "bundled") {
        "inside the command"
    } else {
        "not inside: beside the command, if they are there"
    };
    println!("cargo::rustc-env=BUILT_LIBRARIES={libraries}");
    println!("cargo::rustc-env=BUILT_PROJECT={}", project());
}

/// The address of the project.
fn project() -> String {
    println!("cargo::rerun-if-env-changed=CGSAN_PROJECT_URL");
    let url = env::var("CGSAN_PROJECT_URL").ok();
    url.filter(|it| !it.is_empty())
        .unwrap_or_else(|| "no public address yet".to_owned())
}

/// The commit and its date, if git is there and this is a checkout.
///
/// Unoptimised builds do without: a developer would wait for a build of this crate after each commit.
fn commit() -> Option<String> {
    if env::var("PROFILE").is_ok_and(|profile| profile == "debug") {
        return None;
    }
    // A copy of the source may lie in a repository of something else.
    git(&["ls-files", "--error-unmatch", "build/main.rs"])?;
    for name in ["HEAD", "logs/HEAD"] {
        let file = git(&["rev-parse", "--git-path", name])?;
        // A file that is missing would have cargo run this for each build.
        if Path::new(&file).exists() {
            println!("cargo::rerun-if-changed={file}");
        }
    }
    git(&["log", "-1", "--abbrev=12", "--format=%h (%cs)"])
}

fn git(arguments: &[&str]) -> Option<String> {
    output(Command::new("git").args(arguments))
}

/// What a command prints, if it succeeds and prints something.
fn output(command: &mut Command) -> Option<String> {
    let output = command.output().ok().filter(|it| it.status.success())?;
    let text = String::from_utf8(output.stdout).ok()?;
    Some(text.trim().to_owned()).filter(|text| !text.is_empty())
}
