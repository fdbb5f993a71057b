//! The model against recordings of a real driver (H100, driver 580.159.04): every call must get the recorded answer.

mod fuzz;
mod recording;
mod rules;
