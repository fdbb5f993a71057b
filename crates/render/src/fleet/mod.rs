//! The page of a fleet: ranks as rows, steps as columns, and what each waited for.
//!
//! | file | what |
//! |---|---|
//! | `ranks` | what is shown: ranks with their steps |
//! | `late` | who the others waited for, and which steps took longest |
//! | `grid` | the cells as the page holds them: as many rows and columns as there is room for |
//! | `data` | the cells as columns of numbers, for the script |
//! | `document` | the page: what is said in words, and the picture |
//! | `assets` | `fleet.css`, `fleet.js`: the picture is a canvas |
//!
//! As in `html`, the markup is written here, and a browser may run exactly the script of this page, and fetch nothing.

mod data;
mod document;
mod grid;
mod late;
mod ranks;

pub use ranks::{Fleet, FleetRank, FleetStep, SPENT_ON};

/// The page.
pub fn fleet(fleet: &Fleet) -> String {
    crate::text::shown_plain(&document::document(fleet))
}
