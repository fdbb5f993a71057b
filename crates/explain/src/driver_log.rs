//! The driver's own log of errors (`CUDA_LOG_FILE`, from CUDA 12.9 on).
//!
//! A record is `[time][thread][CUDA][E] message`; CUDA 12.9's documentation has the function in brackets of its own after the
//! severity. A refused call is `Returning 900 (CUDA_ERROR_…) from cuStreamSynchronize`; a record before it may say why.

/// A record of the log.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Record<'a> {
    /// A call failed.
    Returned(Refusal<'a>),
    /// What the driver has to say about the call that fails next.
    Said {
        /// The driver function, where the record names it.
        function: Option<&'a str>,
        /// The message.
        text: &'a str,
    },
}

/// A call that failed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Refusal<'a> {
    /// The code that it returned, e.g. 900.
    pub code: i32,
    /// The code's name, e.g. `CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED`.
    pub name: &'a str,
    /// The driver function, e.g. `cuStreamSynchronize`.
    pub function: &'a str,
    /// The thread that made it, as `pthread_self` numbers threads, where the log names it.
    pub thread: Option<u64>,
    /// Why, if the driver said.
    pub reason: Option<&'a str>,
}

/// Reads a line; `None` if it is no record.
pub fn parse(line: &str) -> Option<Record<'_>> {
    let (_, rest) = line.split_once("[CUDA][")?;
    let (_, rest) = rest.split_once(']')?;
    let (function, text) = match rest.strip_prefix('[') {
        Some(rest) => {
            let (function, text) = rest.split_once(']')?;
            (Some(function), text.trim())
        }
        None => (None, rest.trim()),
    };
    let refusal = returned(text, thread_of(line));
    Some(refusal.map_or(Record::Said { function, text }, Record::Returned))
}

/// The thread of a record: `[time][thread][CUDA]…`.
fn thread_of(line: &str) -> Option<u64> {
    let (_, rest) = line.split_once("][")?;
    let (thread, _) = rest.split_once(']')?;
    thread.parse().ok()
}

fn returned(text: &str, thread: Option<u64>) -> Option<Refusal<'_>> {
    let (code, rest) = text.strip_prefix("Returning ")?.split_once(" (")?;
    let (name, function) = rest.split_once(") from ")?;
    Some(Refusal {
        code: code.parse().ok()?,
        name,
        function,
        thread,
        reason: None,
    })
}

impl Refusal<'_> {
    /// Whether a program that is well may log it: a query that is not ready, a thread without a context, a function that
    /// the driver is too old for.
    pub fn is_harmless(&self) -> bool {
        matches!(self.code, 201 | 600) || self.function.starts_with("cuGetProcAddress")
    }

    /// Whether stream capture is what refused the call.
    pub fn is_of_a_capture(&self) -> bool {
        (900..=908).contains(&self.code)
    }
}

/// The failed calls of a log, each with the reason that the driver gave its thread before.
pub fn refusals(log: &str) -> impl Iterator<Item = Refusal<'_>> {
    let mut said: Vec<(Option<u64>, &str)> = Vec::new();
    log.lines().filter_map(move |line| match parse(line)? {
        Record::Returned(refusal) => {
            let of_thread = said.iter().position(|(by, _)| *by == refusal.thread);
            let reason = of_thread.map(|at| said.swap_remove(at).1);
            Some(Refusal { reason, ..refusal })
        }
        Record::Said { text, .. } => {
            let thread = thread_of(line);
            said.retain(|(by, _)| *by != thread);
            said.push((thread, text));
            None
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_refused_call_comes_with_its_reason() {
        let log = "\
[00:35:28.1][14][CUDA][E] Returning 600 (CUDA_ERROR_NOT_READY) from cuEventQuery
[00:35:28.2][14][CUDA][E] API call conflicts with a stream capture sequence
[00:35:28.3][14][CUDA][E] Returning 900 (CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED) from cuMemAlloc_v2
";
        let refusals: Vec<Refusal<'_>> = refusals(log).collect();
        assert!(refusals[0].is_harmless());
        assert_eq!(
            refusals[1],
            Refusal {
                code: 900,
                name: "CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED",
                function: "cuMemAlloc_v2",
                thread: Some(14),
                reason: Some("API call conflicts with a stream capture sequence"),
            }
        );
    }

    #[test]
    fn a_reason_stays_with_its_thread() {
        let log = "\
[00:35:28.1][14][CUDA][E] the reason of one
[00:35:28.1][15][CUDA][E] the reason of another
[00:35:28.2][14][CUDA][E] Returning 900 (CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED) from cuMemAlloc_v2
[00:35:28.3][15][CUDA][E] Returning 901 (CUDA_ERROR_STREAM_CAPTURE_INVALIDATED) from cuStreamEndCapture
";
        let reasons: Vec<_> = refusals(log).map(|it| it.reason).collect();
        let expected = ["the reason of one", "the reason of another"];
        assert_eq!(reasons, expected.map(Some));
    }

    #[test]
    fn the_function_may_stand_in_brackets() {
        assert_eq!(
            parse("[22:21:32.099][25642][CUDA][E][cuStreamEndCapture] there is unjoined work"),
            Some(Record::Said {
                function: Some("cuStreamEndCapture"),
                text: "there is unjoined work"
            })
        );
    }

    #[test]
    fn other_lines_are_no_records() {
        for line in [
            "",
            "[CUDA][",
            "[CUDA][E",
            "Returning 900",
            "[CUDA][E][cuInit",
        ] {
            assert_eq!(parse(line), None, "{line}");
        }
    }
}
