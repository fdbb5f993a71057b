//! What the fuzz targets share.
#![forbid(unsafe_code)]

mod lines;

use cgsan_lint::{Settings, Version};

pub use lines::mutate;

/// All rules, those that guess included.
pub fn settings() -> Settings {
    Settings {
        torch: Version::MEASURED,
        pedantic: true,
        ..Settings::default()
    }
}
