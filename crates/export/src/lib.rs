//! Traces and findings for other tools: as tables in Parquet files, for engines that query many processes at once, and as time lines
//! for Perfetto.
//!
//! | file | what it is |
//! |---|---|
//! | `export` | all tables, while they are written |
//! | `tables`, `column` | which there are, and what they consist of |
//! | `table` | one file: rows go in one by one or by sheets, and are written by row groups |
//! | `sheet` | rows that wait, by columns |
//! | `rows` | the rows of processes that follow each other, made by themselves, so that many threads can make some |
//! | `cells` | a row, and how values become cells |
//! | `processes`, `events`, `captures`, `findings`, `steps` | one table each: its columns, and its rows |
//! | `partition` | tables in folders by job and machine, a file for each process |
//! | `perfetto` | the time lines |
//! | `read` | reads tables back |
//! | `lines` | the lines of the program that events come from |
//!
//! Nothing here opens a file: the caller gives those that are written and read. What is kept in memory of tables is one row group for
//! each and for each thread that makes rows, and a number for each process.
#![forbid(unsafe_code)]

mod captures;
mod cells;
mod column;
mod events;
mod export;
mod findings;
mod lines;
mod number;
pub mod partition;
mod perfetto;
mod processes;
mod read;
mod rows;
mod sheet;
mod steps;
mod table;
mod tables;

pub use column::{Column, Failed, Kind, VERSION};
pub use export::Export;
pub use perfetto::Timeline;
pub use read::{Cells, read};
pub use rows::{Making, Rows};
pub use steps::FOR as SPENT_ON;
pub use tables::{TABLES, columns};
