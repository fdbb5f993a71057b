//! Texts for people inside of forms for tools.

use crate::Options;

/// These options without colours, which forms for tools have no place for.
pub fn plain(options: &Options) -> Options {
    Options {
        color: false,
        ..options.clone()
    }
}
