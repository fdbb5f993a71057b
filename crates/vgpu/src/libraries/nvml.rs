//! NVML: the cards of the machine, their memory and the one process that uses it. What is not there reports itself.
#![expect(unsafe_code, reason = "exports functions of C")]

use std::ffi::{c_char, c_int, c_uint};

use super::export::{Status, export};
use super::family::NVML;
use crate::device::{self, Card};
use crate::ffi::{InOut, Out, Text, called};
use crate::memory::table;

/// `NVML_ERROR_INVALID_ARGUMENT`.
const INVALID_ARGUMENT: Status = Status(2);
/// `NVML_ERROR_NOT_FOUND`.
const NOT_FOUND: Status = Status(6);
/// `NVML_ERROR_INSUFFICIENT_SIZE`.
const INSUFFICIENT_SIZE: Status = Status(7);

/// The driver on which the virtual GPU's behaviour was measured.
const DRIVER: &str = "580.159.04";
/// Stands for "no instance of a partitioned GPU".
const NO_INSTANCE: u32 = u32::MAX;

/// `nvmlGpuFabricInfo_v2_t`, with which later versions begin. All zeros: the device is on no fabric.
#[derive(Clone, Copy, Default)]
#[repr(C)]
struct FabricInfo {
    version: c_uint,
    cluster: [u8; 16],
    status: c_int,
    clique: c_uint,
    state: u8,
    health: c_uint,
}

crate::ffi::plain! {
    FabricInfo { version: c_uint, cluster: [u8; 16], status: c_int, clique: c_uint, state: u8, health: c_uint }
}

/// `nvmlMemory_t`, in bytes.
#[repr(C)]
struct Memory {
    total: u64,
    free: u64,
    used: u64,
}

/// `nvmlMemory_v2_t`, in bytes.
#[repr(C)]
struct Memory2 {
    version: c_uint,
    total: u64,
    reserved: u64,
    free: u64,
    used: u64,
}

/// `nvmlProcessInfo_v1_t`.
#[repr(C)]
struct Process1 {
    id: c_uint,
    used: u64,
}

/// `nvmlProcessInfo_t`.
#[repr(C)]
struct Process {
    id: c_uint,
    used: u64,
    gpu_instance: u32,
    compute_instance: u32,
}

/// `nvmlUtilization_t`, in percent.
#[repr(C)]
struct Utilization {
    gpu: c_uint,
    memory: c_uint,
}

export! { NVML;
    fn nvmlInit, nvmlInit_v2, nvmlInitWithFlags, nvmlShutdown() {
        Ok(())
    }

    fn nvmlSystemGetDriverVersion, nvmlSystemGetNVMLVersion(text: Out<u8>, room: c_uint) {
        put_text(DRIVER, text, room)
    }

    fn nvmlSystemGetCudaDriverVersion, nvmlSystemGetCudaDriverVersion_v2(version: Out<c_int>) {
        version.put_if_wanted(device::DRIVER_VERSION);
        Ok(())
    }

    fn nvmlDeviceGetCount, nvmlDeviceGetCount_v2(count: Out<c_uint>) {
        count.put_if_wanted(device::cards());
        Ok(())
    }

    fn nvmlDeviceGetHandleByIndex, nvmlDeviceGetHandleByIndex_v2(index: c_uint, handle: Out<usize>) {
        if index >= device::cards() {
            return Err(INVALID_ARGUMENT);
        }
        handle.put_if_wanted(handle_of(Card(index)));
        Ok(())
    }

    fn nvmlDeviceGetHandleByUUID(uuid: Text, handle: Out<usize>) {
        let uuid = uuid.get().map_err(|_| INVALID_ARGUMENT)?;
        let mut cards = (0..device::cards()).map(Card);
        let card = cards.find(|card| device::uuid_text(*card) == uuid).ok_or(NOT_FOUND)?;
        handle.put_if_wanted(handle_of(card));
        Ok(())
    }

    fn nvmlDeviceGetHandleByPciBusId, nvmlDeviceGetHandleByPciBusId_v2(place: Text, handle: Out<usize>) {
        let place = place.get().map_err(|_| INVALID_ARGUMENT)?;
        handle.put_if_wanted(handle_of(device::card_at(&place).ok_or(NOT_FOUND)?));
        Ok(())
    }

    fn nvmlDeviceGetIndex, nvmlDeviceGetMinorNumber(handle: usize, index: Out<c_uint>) {
        let Card(card) = card_of(handle)?;
        index.put_if_wanted(card);
        Ok(())
    }

    fn nvmlDeviceGetName(_handle: usize, text: Out<u8>, room: c_uint) {
        put_text(device::NAME, text, room)
    }

    fn nvmlDeviceGetUUID(handle: usize, text: Out<u8>, room: c_uint) {
        put_text(&device::uuid_text(card_of(handle)?), text, room)
    }

    fn nvmlDeviceGetMemoryInfo(handle: usize, memory: Out<Memory>) {
        let (total, free) = in_total_and_free(card_of(handle)?);
        memory.put_if_wanted(Memory { total, free, used: total - free });
        Ok(())
    }

    fn nvmlDeviceGetMemoryInfo_v2(handle: usize, memory: InOut<c_uint>) {
        let version = memory.get().map_err(|_| INVALID_ARGUMENT)?;
        let (total, free) = in_total_and_free(card_of(handle)?);
        let info = Memory2 { version, total, reserved: 0, free, used: total - free };
        // SAFETY: the structure begins with its version, which was read.
        unsafe { memory.cast() }.put_if_wanted(info);
        Ok(())
    }

    fn nvmlDeviceGetComputeRunningProcesses(
        handle: usize, count: InOut<c_uint>, processes: Out<Process1>,
    ) {
        room_for_one(count)?;
        processes.put_if_wanted(Process1 { id: std::process::id(), used: in_use(card_of(handle)?) });
        Ok(())
    }

    fn nvmlDeviceGetComputeRunningProcesses_v2, nvmlDeviceGetComputeRunningProcesses_v3(
        handle: usize, count: InOut<c_uint>, processes: Out<Process>,
    ) {
        room_for_one(count)?;
        processes.put_if_wanted(Process {
            id: std::process::id(),
            used: in_use(card_of(handle)?),
            gpu_instance: NO_INSTANCE,
            compute_instance: NO_INSTANCE,
        });
        Ok(())
    }

    fn nvmlDeviceGetGraphicsRunningProcesses_v3(_handle: usize, count: InOut<c_uint>) {
        count.set(0);
        Ok(())
    }

    fn nvmlDeviceGetGpuFabricInfoV(_handle: usize, info: InOut<FabricInfo>) {
        let FabricInfo { version, .. } = info.get().map_err(|_| INVALID_ARGUMENT)?;
        info.set(FabricInfo { version, ..FabricInfo::default() });
        Ok(())
    }

    fn nvmlDeviceGetUtilizationRates(_handle: usize, rates: Out<Utilization>) {
        rates.put_if_wanted(Utilization { gpu: 0, memory: 0 });
        Ok(())
    }

    fn nvmlDeviceGetCudaComputeCapability(_handle: usize, major: Out<c_int>, minor: Out<c_int>) {
        major.put_if_wanted(9);
        minor.put_if_wanted(0);
        Ok(())
    }
}

/// The handle of a card: its place, counted from 1.
fn handle_of(Card(card): Card) -> usize {
    card as usize + 1
}

fn card_of(handle: usize) -> Result<Card, Status> {
    let card = u32::try_from(handle)
        .ok()
        .and_then(|handle| handle.checked_sub(1));
    card.filter(|card| *card < device::cards())
        .map(Card)
        .ok_or(INVALID_ARGUMENT)
}

/// Of a card that the program does not see, all is free.
fn in_total_and_free(card: Card) -> (u64, u64) {
    let total = table::capacity();
    let free = device::device_of(card).map_or(total, |device| table::lock().free(device));
    (total, free.min(total))
}

fn in_use(card: Card) -> u64 {
    let (total, free) = in_total_and_free(card);
    total - free
}

/// Checks that the caller has room for one process and tells it that there is one.
fn room_for_one(count: InOut<c_uint>) -> Result<(), Status> {
    let room = count.get().map_err(|_| INVALID_ARGUMENT)?;
    count.set(1);
    if room == 0 {
        return Err(INSUFFICIENT_SIZE);
    }
    Ok(())
}

/// Writes a text and the null byte that ends it.
fn put_text(text: &str, to: Out<u8>, room: c_uint) -> Result<(), Status> {
    let room = usize::try_from(room).unwrap_or(usize::MAX);
    if text.len() >= room {
        return Err(INSUFFICIENT_SIZE);
    }
    to.put_all(text.bytes().chain([0]), room);
    Ok(())
}

/// The text of a result.
#[unsafe(no_mangle)]
extern "C" fn nvmlErrorString(result: c_int) -> *const c_char {
    called::note("nvmlErrorString");
    let text = match result {
        0 => c"Success",
        2 => c"Invalid Argument",
        3 => c"Not Supported",
        6 => c"Not Found",
        7 => c"Insufficient Size",
        _ => c"Unknown Error",
    };
    text.as_ptr()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_that_does_not_fit_is_not_written() {
        let mut buffer = [7; 4];
        // SAFETY: there is room for four bytes.
        let to = unsafe { Out::new(buffer.as_mut_ptr()) };
        assert_eq!(put_text("four", to, 4), Err(INSUFFICIENT_SIZE));
        assert_eq!(put_text("abc", to, 4), Ok(()));
        assert_eq!(&buffer, b"abc\0");
    }
}
