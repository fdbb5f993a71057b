//! Running other programs.

use std::io::{self, BufRead, BufReader, Read, Write};
use std::process::{Command, Stdio};
use std::thread;

use crate::failure::{Context, Failure, Result};

/// Runs a command whose output the person sees; fails if it fails.
pub fn run(command: &mut Command) -> Result<()> {
    let name = describe(command);
    let status = command
        .status()
        .context(|| format!("cannot start `{name}`"))?;
    if status.success() {
        Ok(())
    } else {
        Err(Failure::new(format!("`{name}` failed ({status})")))
    }
}

/// Runs a command and returns what it printed to standard output, trimmed; its standard error is passed on.
pub fn output(command: &mut Command) -> Result<String> {
    let name = describe(command);
    let output = command
        .stderr(Stdio::inherit())
        .output()
        .context(|| format!("cannot start `{name}`"))?;
    if !output.status.success() {
        return Err(Failure::new(format!("`{name}` failed ({})", output.status)));
    }
    String::from_utf8(output.stdout)
        .map(|text| text.trim().to_owned())
        .context(|| format!("`{name}` printed something that is not text"))
}

/// Runs a command, passes its output on line by line, and returns whether it succeeded and all the lines.
pub fn tee(command: &mut Command) -> Result<(bool, Vec<String>)> {
    let name = describe(command);
    let mut child = command
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .context(|| format!("cannot start `{name}`"))?;
    let stdout = child.stdout.take();
    let stderr = child.stderr.take();
    let lines = thread::scope(|scope| {
        let errors = scope.spawn(|| copy_lines(stderr, io::stderr()));
        let mut lines = copy_lines(stdout, io::stdout());
        lines.extend(errors.join().unwrap_or_default());
        lines
    });
    let status = child
        .wait()
        .context(|| format!("cannot wait for `{name}`"))?;
    Ok((status.success(), lines))
}

/// Copies a stream to another, and keeps its lines.
fn copy_lines(from: Option<impl Read>, mut to: impl Write) -> Vec<String> {
    let mut lines = Vec::new();
    let Some(from) = from else { return lines };
    for line in BufReader::new(from).split(b'\n').map_while(io::Result::ok) {
        let line = String::from_utf8_lossy(&line).into_owned();
        // A closed terminal is no reason to fail the task.
        let _ = writeln!(to, "{line}");
        lines.push(line);
    }
    lines
}

fn describe(command: &Command) -> String {
    let mut words = vec![command.get_program().to_string_lossy()];
    words.extend(command.get_args().map(|word| word.to_string_lossy()));
    words.join(" ")
}
