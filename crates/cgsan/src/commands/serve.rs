//! `cgsan explain --serve`: the catalogue, the linter and reports for programs and agents.

use std::env;
use std::path::Path;

use cgsan_serve::{Known, PARENT, Permitted};
use rustix::process::{
    Pid, Signal, getpid, getppid, kill_process, set_parent_process_death_signal,
};

use crate::cli::ExplainOptions;
use crate::commands::features::evidence;
use crate::commands::found_by::found_by;
use crate::output::error::Error;
use crate::output::exit::Exit;

/// Serves the client that started it.
pub fn run(options: &ExplainOptions) -> Result<Exit, Error> {
    let known = Known { found_by, evidence };
    cgsan_serve::serve(known, permitted(options)?).map_err(Error::Serve)?;
    Ok(Exit::Status(0))
}

/// What the server may do for its client.
fn permitted(options: &ExplainOptions) -> Result<Permitted, Error> {
    let folder = options.folder.as_deref().unwrap_or(Path::new("."));
    let wrong = |reason| Error::NoFolder {
        folder: folder.to_owned(),
        reason,
    };
    Ok(Permitted {
        cgsan: env::current_exe().map_err(Error::Serve)?,
        folder: folder.canonicalize().map_err(wrong)?,
        run: options.allow_run,
    })
}

/// Ends cgsan, and with it the program that it watches, when the process ends that is named in the environment as the one that
/// started it: a server that is killed can end nothing itself.
pub fn end_with_parent() {
    let is_parent = |parent: Option<Pid>| {
        let named = env::var(PARENT).ok().and_then(|id| id.parse().ok());
        parent.is_some_and(|parent| named == Some(parent.as_raw_nonzero().get()))
    };
    // A program that is watched has the variable too, and another parent.
    if is_parent(getppid()) {
        crate::program::interrupt::ends_with_parent();
        let _ = set_parent_process_death_signal(Some(Signal::TERM));
        if !is_parent(getppid()) {
            // It ended in between.
            let _ = kill_process(getpid(), Signal::TERM);
        }
    }
}
