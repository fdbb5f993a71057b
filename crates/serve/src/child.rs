//! A command as a child: with a limit of time, bounded output, and nothing left of it when nobody waits any more.

use std::process::{ExitStatus, Stdio};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use cgsan_files::in_words;
use rmcp::service::{RequestContext, RoleServer};
use rustix::process::{Pid, Signal, kill_process, kill_process_group};
use tokio::io::{AsyncRead, AsyncReadExt as _};
use tokio::process::{Child, Command};
use tokio::time::timeout;

/// Bytes of each stream that are kept, the last ones.
const KEPT: usize = 64 << 10;

/// How long a child that was asked to end may take for it: `cgsan run` ends the program, and reports on it.
const TO_END: Duration = Duration::from_secs(20);

/// The same for a client that does not wait any more.
const TO_LEAVE: Duration = Duration::from_secs(1);

/// How long others may hold the output open that outlive the child.
const TO_CLOSE: Duration = Duration::from_secs(1);

/// What became of a child.
pub struct Ended {
    /// Why it ended.
    pub end: End,
    /// The end of what it wrote to standard output.
    pub output: String,
    /// The end of what it wrote to standard error.
    pub errors: String,
}

/// Why a child ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    /// By itself, with this status.
    Status(ExitStatus),
    /// It was ended after its time.
    Late,
    /// It was ended because the client does not wait any more.
    Cancelled,
}

/// Runs a command to its end, which comes after `limit` at the latest. If the client cancels the request, or leaves, the command
/// is ended, with all that it started in its process group.
///
/// # Errors
///
/// If it cannot be started.
pub async fn run(
    command: &mut Command,
    limit: Duration,
    context: &RequestContext<RoleServer>,
) -> Result<Ended, String> {
    let mut child = command
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .process_group(0)
        .spawn()
        .map_err(|error| format!("it cannot be started: {}", in_words(&error)))?;
    let output = Tail::of(child.stdout.take());
    let errors = Tail::of(child.stderr.take());
    let mut group = Group::of(child)?;
    let end = tokio::select! {
        status = group.child.wait() => End::Status(status.map_err(|error| in_words(&error))?),
        () = tokio::time::sleep(limit) => {
            group.end(TO_END).await;
            End::Late
        }
        () = context.ct.cancelled() => {
            group.end(TO_LEAVE).await;
            End::Cancelled
        }
    };
    drop(group);
    Ok(Ended {
        end,
        output: output.text().await,
        errors: errors.text().await,
    })
}

/// A child, and what it started; killed when dropped.
struct Group {
    child: Child,
    id: Pid,
}

impl Group {
    fn of(child: Child) -> Result<Group, String> {
        let id = child.id().and_then(|id| i32::try_from(id).ok());
        let id = id.and_then(Pid::from_raw).ok_or("it ended at once")?;
        Ok(Group { child, id })
    }

    /// Asks the child to end, and waits for it.
    async fn end(&mut self, patience: Duration) {
        let _ = kill_process(self.id, Signal::TERM);
        let _ = timeout(patience, self.child.wait()).await;
    }
}

impl Drop for Group {
    fn drop(&mut self) {
        // The number of a group is not given out again while anybody is in it; if nobody is, there is nobody to kill.
        let _ = kill_process_group(self.id, Signal::KILL);
    }
}

/// The end of a stream.
struct Tail {
    kept: Arc<Mutex<Vec<u8>>>,
    reading: tokio::task::JoinHandle<()>,
}

impl Tail {
    fn of(stream: Option<impl AsyncRead + Send + Unpin + 'static>) -> Tail {
        let kept = Arc::default();
        let reading = tokio::spawn(read(stream, Arc::clone(&kept)));
        Tail { kept, reading }
    }

    /// What was kept once the stream is closed, or a moment later.
    async fn text(mut self) -> String {
        if timeout(TO_CLOSE, &mut self.reading).await.is_err() {
            self.reading.abort();
        }
        let kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        let first = kept.len().saturating_sub(KEPT);
        let text = String::from_utf8_lossy(&kept[first..]);
        if first > 0 {
            format!("…{text}")
        } else {
            text.into_owned()
        }
    }
}

/// Reads a stream to its end, and keeps at least the last bytes.
async fn read(stream: Option<impl AsyncRead + Unpin>, kept: Arc<Mutex<Vec<u8>>>) {
    let Some(mut stream) = stream else { return };
    let mut part = [0; 8192];
    while let Ok(length @ 1..) = stream.read(&mut part).await {
        let mut kept = kept.lock().unwrap_or_else(PoisonError::into_inner);
        kept.extend_from_slice(&part[..length]);
        if kept.len() > 4 * KEPT {
            let surplus = kept.len() - KEPT - 1;
            kept.drain(..surplus);
        }
    }
}
