//! What pictures have in common.

use crate::text;

/// Between the edge of a picture and what is drawn, in units of SVG: pixels, unless it is shown smaller.
pub(crate) const EDGE: usize = 24;

/// A text of the program's on one line of so many columns, without what XML or a device would not take as a sign.
pub(crate) fn line(text: &str, columns: usize) -> String {
    // XML 1.0 has no such characters, though Unicode has.
    text::cut_line(text, columns).replace(['\u{fffe}', '\u{ffff}'], "\u{fffd}")
}
