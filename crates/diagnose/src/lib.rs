//! From a trace to findings.

mod finding;

pub use finding::{
    CallInfo, CaptureInfo, Confidence, Consequence, Finding, Label, LabelRole, Location, Note,
    Report, ThreadInfo,
};
