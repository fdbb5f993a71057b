//! What a CUDA graph would gain.
//!
//! A timeline goes in; steps, measures, a prediction, a verdict and findings come out. No number of a prediction is said without its
//! range: [`Bounds`]. Nothing here reads a file.
#![forbid(unsafe_code)]

mod analyse;
mod bounds;
mod busy;
mod device;
mod indexed;
mod input;
mod lacks;
mod measure;
mod observed;
mod performance;
mod place;
mod predict;
mod rules;
#[cfg(test)]
mod sketch;
mod step;
mod stretch;
mod together;
mod undisturbed;
pub mod units;
mod verdict;

pub use analyse::analyse;
pub use bounds::Bounds;
pub use device::{Calibration, Device};
pub use input::{Input, Options};
pub use measure::{DeviceMeasures, Measures};
pub use observed::Observed;
pub use performance::{Performance, Place, Steps, Stretch};
pub use predict::Prediction;
pub use rules::detects;
pub use step::Found;
pub use verdict::Verdict;
