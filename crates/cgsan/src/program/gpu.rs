//! Which GPU a program runs on.

use std::env;
use std::fs;

use crate::cli::RunOptions;
use crate::output::error::Error;

/// The GPU that a program runs on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Gpu {
    /// The virtual one, which cgsan brings.
    Virtual,
    /// One of this machine.
    Real,
}

impl Gpu {
    /// What the options ask for; else this machine's, if it has one that the program may see.
    ///
    /// # Errors
    ///
    /// When this machine's GPU is asked for and there is none.
    pub fn choose(options: &RunOptions) -> Result<Gpu, Error> {
        let is_for_virtual = options.gpu_memory.is_some()
            || options.gpus.is_some()
            || options.schedule.is_some()
            || options.values
            || options.no_values;
        if options.virtual_gpu || is_for_virtual {
            return Ok(Gpu::Virtual);
        }
        match (Gpu::of_machine(), options.gpu) {
            (Gpu::Virtual, true) => Err(Error::NoGpu),
            (gpu, _) => Ok(gpu),
        }
    }

    /// The one that a run uses if no option says otherwise.
    pub fn of_machine() -> Gpu {
        if is_there() && !is_hidden() {
            Gpu::Real
        } else {
            Gpu::Virtual
        }
    }

    /// The file of the library that watches the program on it.
    pub fn library(self) -> &'static str {
        match self {
            Gpu::Virtual => "libcgsan_vgpu.so",
            Gpu::Real => "libcgsan_inject.so",
        }
    }
}

impl RunOptions {
    /// Whether a program on this GPU is given values.
    pub fn values(&self, gpu: Gpu) -> bool {
        gpu == Gpu::Virtual && !self.no_values
    }

    /// The schedule of the run, or of the first of two.
    ///
    /// With values, work is done late unless asked otherwise: a program that does not wait for what it reads then reads what was
    /// there before, as it may on a GPU. Without values there is nothing that could be late.
    pub fn schedule(&self, gpu: Gpu) -> &str {
        match self.schedule.as_deref() {
            Some("race") => "eager",
            Some(asked) => asked,
            None if self.values(gpu) => "lazy",
            None => "eager",
        }
    }
}

/// Whether the driver made a device for a GPU: `/dev/nvidia0`, or `/dev/dxg` under Windows.
fn is_there() -> bool {
    let entries = fs::read_dir("/dev").into_iter().flatten().flatten();
    entries
        .filter_map(|entry| entry.file_name().into_string().ok())
        .any(|name| is_device(&name))
}

fn is_device(name: &str) -> bool {
    let number = name.strip_prefix("nvidia");
    let is_number = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    number.is_some_and(is_number) || name == "dxg"
}

/// Whether the program is to see no GPU.
fn is_hidden() -> bool {
    env::var_os("CUDA_VISIBLE_DEVICES").is_some_and(|devices| devices.is_empty() || devices == "-1")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_devices_of_gpus_have_numbers() {
        assert!(is_device("nvidia0") && is_device("nvidia12") && is_device("dxg"));
        assert!(!is_device("nvidiactl") && !is_device("nvidia-uvm") && !is_device("nvidia"));
    }
}
