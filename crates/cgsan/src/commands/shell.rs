//! `cgsan completions` and `cgsan man`: what shells and `man` are told, from the command's own description of itself.

use std::fs;

use cgsan_files::{Destination, Links, Unwritten};
use clap::CommandFactory as _;
use clap_mangen::Man;

use crate::cli::{Arguments, CompletionsOptions, ManOptions};
use crate::output::error::Error;
use crate::output::exit::Exit;
use crate::output::standard::Standard;

/// Prints the completions of a shell.
///
/// # Errors
///
/// If they cannot be written.
pub fn completions(options: &CompletionsOptions) -> Result<Exit, Error> {
    let mut script = Vec::new();
    clap_complete::generate(
        options.shell,
        &mut Arguments::command(),
        "cgsan",
        &mut script,
    );
    Standard::Output.tell(&String::from_utf8_lossy(&script))?;
    Ok(Exit::Status(0))
}

/// Writes a page for the command and one for each subcommand.
///
/// # Errors
///
/// If one cannot be written.
pub fn man(options: &ManOptions) -> Result<Exit, Error> {
    let folder = &options.folder;
    fs::create_dir_all(folder).map_err(|reason| Error::not_writable("FOLDER", folder, reason))?;
    for page in pages() {
        let path = folder.join(page.get_filename());
        let mut text = Vec::new();
        page.render(&mut text)
            .map_err(Unwritten::from)
            .and_then(|()| Destination::open(&path, Links::Part)?.write(&text))
            .map_err(|reason| Error::not_writable("FOLDER", &path, reason))?;
    }
    Ok(Exit::Status(0))
}

fn pages() -> Vec<Man> {
    let mut command = Arguments::command().disable_help_subcommand(true);
    // This gives the subcommands their full names.
    command.build();
    let told = command.get_subcommands().filter(|it| !it.is_hide_set());
    let subcommands = told.cloned();
    let all = std::iter::once(command.clone()).chain(subcommands);
    all.map(|command| {
        Man::new(command)
            .source(concat!("cgsan ", env!("CARGO_PKG_VERSION")))
            .manual("cgsan")
    })
    .collect()
}
