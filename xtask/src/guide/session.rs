//! A folder in which the commands of a page are run.

use std::env;
use std::fs;
use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use tempfile::TempDir;

use crate::failure::{Context, Failure, Result};
use crate::workspace;

/// How wide cgsan's lines are.
const WIDTH: &str = "100";

/// The folder, with `cgsan`, `python` and the examples in it.
pub struct Folder {
    folder: TempDir,
    /// The environment of the interpreter, whose name is not shown.
    environment: PathBuf,
}

impl Folder {
    /// Makes an empty one.
    pub fn new(cgsan: &Path, python: &Path) -> Result<Folder> {
        let folder = tempfile::tempdir().context(|| "cannot make a folder".to_owned())?;
        let made = Folder {
            folder,
            environment: python
                .parent()
                .and_then(Path::parent)
                .unwrap_or(Path::new("/"))
                .to_owned(),
        };
        made.program("python", &format!("exec '{}' \"$@\"", python.display()))?;
        // `explain` has neither option.
        made.program(
            "cgsan",
            &format!(
                "case $1 in run|report|lint) subcommand=$1; shift; set -- $subcommand --color=always --width={WIDTH} \"$@\";; esac\n\
                 exec '{}' \"$@\"",
                cgsan.display()
            ),
        )?;
        let examples = made.path().join("examples");
        symlink(workspace::root().join("examples"), &examples)
            .context(|| format!("cannot link {}", examples.display()))?;
        Ok(made)
    }

    /// Writes a file.
    pub fn write(&self, name: &str, content: &str) -> Result<()> {
        let path = self.path().join(name);
        fs::write(&path, content).context(|| format!("cannot write {}", path.display()))
    }

    /// What a command prints to both of its outputs. It may have findings, and a program of it may fail.
    pub fn run(&self, command: &str) -> Result<String> {
        let path = env::var("PATH").unwrap_or_default();
        let output = Command::new("sh")
            .args(["-c", &format!("{{ {command}\n}} 2>&1")])
            .current_dir(self.path())
            .env(
                "PATH",
                format!("{}:{path}", self.path().join("bin").display()),
            )
            .env("LC_ALL", "C.UTF-8")
            .stdin(Stdio::null())
            .output()
            .context(|| "cannot start `sh`".to_owned())?;
        let printed = String::from_utf8_lossy(&output.stdout);
        match output.status.code() {
            Some(0 | 1) => Ok(self.neutral(&printed)),
            _ => Err(Failure::new(format!(
                "`{command}` failed ({}):\n{printed}",
                output.status
            ))),
        }
    }

    /// The text without the names of folders of this machine, and without the numbers of processes.
    fn neutral(&self, printed: &str) -> String {
        let printed = printed
            .replace(&format!("{}/", self.path().display()), "")
            .replace(&self.environment.display().to_string(), ".venv")
            .replace(&format!("{}/", workspace::root().display()), "");
        let printed = (10..=13).fold(printed, |text, minor| {
            text.replace(&format!("/lib/python3.{minor}/"), "/lib/python3/")
        });
        without_processes(&printed)
    }

    fn program(&self, name: &str, script: &str) -> Result<()> {
        let folder = self.path().join("bin");
        fs::create_dir_all(&folder).context(|| format!("cannot create {}", folder.display()))?;
        let path = folder.join(name);
        let failed = || format!("cannot write {}", path.display());
        fs::write(&path, format!("#!/bin/sh\n{script}\n")).context(failed)?;
        fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).context(failed)
    }

    fn path(&self) -> &Path {
        self.folder.path()
    }
}

/// The text with 7 as the number of each process that a trace is named after.
fn without_processes(printed: &str) -> String {
    const BEFORE: &str = "/trace-";
    let mut parts = printed.split(BEFORE);
    let mut text = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let rest = part.trim_start_matches(|c: char| c.is_ascii_digit());
        text.push_str(BEFORE);
        text.push_str(if rest.len() < part.len() { "7" } else { "" });
        text.push_str(rest);
    }
    text
}

/// What is the same with each version of Python: some underline parts of a traceback's lines.
pub fn without_marks(session: &str) -> Vec<&str> {
    let is_mark = |line: &&str| !line.is_empty() && line.chars().all(|c| " ^~".contains(c));
    session.lines().filter(|line| !is_mark(line)).collect()
}

/// A text without the sequences that style it.
pub fn plain(text: &str) -> String {
    let mut parts = text.split("\u{1b}[");
    let mut plain = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        plain.push_str(part.split_once('m').map_or(part, |(_, text)| text));
    }
    plain
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_trace_has_the_same_name_each_time() {
        let printed = "trace: traces/trace-19928.cgsan; see /trace-x";
        assert_eq!(
            without_processes(printed),
            "trace: traces/trace-7.cgsan; see /trace-x"
        );
    }

    #[test]
    fn styles_are_left_out() {
        assert_eq!(plain("a\u{1b}[1;31mb\u{1b}[0m m"), "ab m");
    }

    #[test]
    fn marks_of_tracebacks_are_left_out() {
        let session = "    f(x)\n    ~~^^^\n\n   | ^^^\n";
        assert_eq!(without_marks(session), ["    f(x)", "", "   | ^^^"]);
    }

    #[test]
    fn a_session_names_no_folder_of_the_machine() {
        let environment = Path::new("/somewhere/environment/bin/python");
        let folder = Folder::new(Path::new("/bin/true"), environment).expect("a folder");
        let printed = folder
            .run("echo $PWD/a.py /somewhere/environment/lib && ls")
            .expect("it runs");
        assert_eq!(printed, "a.py .venv/lib\nbin\nexamples\n");
        assert!(folder.run("exit 2").is_err());
    }
}
