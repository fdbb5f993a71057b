//! What the agent in the Python interpreter starts.

use cgsan_observe::{Config, StartError};

use crate::device;
use crate::gpu::{schedule, version};
use crate::libraries;
use crate::memory::table;

/// Configures the virtual GPU and starts recording. The virtual GPU serves the program in any case.
pub fn start(mut config: Config) -> Result<(), StartError> {
    if let Some(bytes) = config.gpu_memory {
        table::set_capacity(bytes);
    }
    if let Some(count) = config.gpus {
        device::set_count(count);
    }
    match config.schedule.parse() {
        Ok(schedule) => schedule::choose(schedule),
        Err(()) if config.schedule.is_empty() => {}
        Err(()) => cgsan_observe::note("the schedule is not one that the virtual GPU knows"),
    }
    version::set_runtime(&config.cuda);
    libraries::set_torch(&config.torch);
    config.device = format!("virtual {}", device::NAME);
    config.virtual_gpu = true;
    cgsan_observe::start(config)
}
