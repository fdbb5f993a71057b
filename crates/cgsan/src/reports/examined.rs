//! What is known of the process of a trace, or of a summary of one.

use cgsan_diagnose::Part;
use cgsan_symbols::Reach;

use super::diagnosis::{self, Examined, Wanted};
use crate::output::error::Error;
use crate::traces::kept::KeptTrace;
use crate::traces::summaries;

/// What is known of the process of a trace, of one part of it if that is asked for.
///
/// # Errors
///
/// If the trace or the summary cannot be read.
pub fn of(
    kept: &KeptTrace,
    part: Option<Part<'_>>,
    wanted: Wanted,
    reach: &Reach,
) -> Result<Examined, Error> {
    if let Some(place) = &kept.summary {
        let summary = summaries::read(&kept.path, place).map_err(Error::from)?;
        return Ok(Examined {
            summary,
            is_named: true,
        });
    }
    let (mut recording, is_wanted) = kept.read(reach)?;
    let trace = &mut recording.trace;
    let has_part = part.is_none_or(|part| cgsan_diagnose::narrow(trace, part));
    if is_wanted && has_part {
        return Ok(diagnosis::examine(trace, wanted));
    }
    Ok(Examined::passed_over(trace))
}
