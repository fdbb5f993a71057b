//! Kernel launches.
#![expect(unsafe_code, reason = "reads what the API promises of its parameters")]

use std::cell::RefCell;
use std::ffi::{c_uint, c_void};

use cgsan_model::{Call, Code, NodeKind, Stream};
use cgsan_observe::launches::{self, Given};

use super::attributes::of_launch;
use super::event;
use crate::api::Function;
use crate::device;
use crate::event::events;
use crate::ffi::{In, Out, called, entry, guard};
use crate::gpu::attributes::{self, Attribute, Attributes};
use crate::gpu::work::Work;
use crate::gpu::{self, StreamHandle, context, kernel};
use crate::{module, values};

/// `dim3`.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Dimensions {
    x: c_uint,
    y: c_uint,
    z: c_uint,
}

/// How a kernel is launched.
#[derive(Clone, Copy, Debug)]
struct Configuration {
    grid: Dimensions,
    block: Dimensions,
    shared: usize,
    stream: StreamHandle,
}

/// `cudaLaunchConfig_t`, `CUlaunchConfig`.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct LaunchConfig {
    grid: Dimensions,
    block: Dimensions,
    shared: usize,
    stream: StreamHandle,
    attributes: *const c_void,
    attribute_count: c_uint,
}

/// `CUlaunchConfig`, whose dynamic shared memory is narrower.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct DriverLaunchConfig {
    grid: Dimensions,
    block: Dimensions,
    shared: c_uint,
    stream: StreamHandle,
    attributes: *const c_void,
    attribute_count: c_uint,
}

crate::ffi::plain! {
    Dimensions { x: c_uint, y: c_uint, z: c_uint }
    LaunchConfig { grid: Dimensions, block: Dimensions, shared: usize, stream: StreamHandle, attributes: *const c_void, attribute_count: c_uint }
    DriverLaunchConfig { grid: Dimensions, block: Dimensions, shared: c_uint, stream: StreamHandle, attributes: *const c_void, attribute_count: c_uint }
}

thread_local! {
    /// The configurations of the launches `kernel<<<…>>>()` that the thread is in.
    static PUSHED: RefCell<Vec<Configuration>> = const { RefCell::new(Vec::new()) };
}

entry! {
    /// Launches a kernel.
    fn cudaLaunchKernel, cudaLaunchKernel_ptsz, __cudaLaunchKernel, __cudaLaunchKernel_ptsz(
        this, symbol: u64, grid: Dimensions, block: Dimensions, arguments: *mut *mut c_void, shared: usize,
        stream: StreamHandle,
    ) {
        let configuration = Configuration { grid, block, shared, stream };
        launch(this, symbol, configuration, Ok(Attributes::default()), Given::one_by_one(arguments))
    }

    /// Launches a kernel whose blocks can wait for each other.
    fn cudaLaunchCooperativeKernel, cudaLaunchCooperativeKernel_ptsz(
        this, symbol: u64, grid: Dimensions, block: Dimensions, arguments: *mut *mut c_void, shared: usize,
        stream: StreamHandle,
    ) {
        let attributes = Ok(Attributes::default().cooperative());
        let configuration = Configuration { grid, block, shared, stream };
        launch(this, symbol, configuration, attributes, Given::one_by_one(arguments))
    }

    /// Launches a kernel with attributes.
    fn cudaLaunchKernelExC, cudaLaunchKernelExC_ptsz(
        this, config: In<LaunchConfig>, symbol: u64, arguments: *mut *mut c_void,
    ) {
        let LaunchConfig { grid, block, shared, stream, attributes, attribute_count } = config.get()?;
        let attributes = of_launch(attributes, attribute_count);
        let configuration = Configuration { grid, block, shared, stream };
        launch(this, symbol, configuration, attributes, Given::one_by_one(arguments))
    }

    /// Launches a kernel.
    fn cuLaunchKernel, cuLaunchKernel_ptsz(
        this, function: u64, grid_x: c_uint, grid_y: c_uint, grid_z: c_uint, block_x: c_uint, block_y: c_uint,
        block_z: c_uint, shared: c_uint, stream: StreamHandle, arguments: *mut *mut c_void, extra: *mut *mut c_void,
    ) {
        let grid = Dimensions { x: grid_x, y: grid_y, z: grid_z };
        let block = Dimensions { x: block_x, y: block_y, z: block_z };
        let configuration = Configuration { grid, block, shared: shared as usize, stream };
        launch(this, function, configuration, Ok(Attributes::default()), Given { arguments, extra })
    }

    /// Launches a kernel whose blocks can wait for each other.
    fn cuLaunchCooperativeKernel, cuLaunchCooperativeKernel_ptsz(
        this, function: u64, grid_x: c_uint, grid_y: c_uint, grid_z: c_uint, block_x: c_uint, block_y: c_uint,
        block_z: c_uint, shared: c_uint, stream: StreamHandle, arguments: *mut *mut c_void,
    ) {
        let grid = Dimensions { x: grid_x, y: grid_y, z: grid_z };
        let block = Dimensions { x: block_x, y: block_y, z: block_z };
        let configuration = Configuration { grid, block, shared: shared as usize, stream };
        let attributes = Ok(Attributes::default().cooperative());
        launch(this, function, configuration, attributes, Given::one_by_one(arguments))
    }

    /// Launches a kernel with attributes.
    fn cuLaunchKernelEx, cuLaunchKernelEx_ptsz(
        this, config: In<DriverLaunchConfig>, function: u64, arguments: *mut *mut c_void, extra: *mut *mut c_void,
    ) {
        let DriverLaunchConfig { grid, block, shared, stream, attributes, attribute_count } = config.get()?;
        let configuration = Configuration { grid, block, shared: shared as usize, stream };
        launch(this, function, configuration, of_launch(attributes, attribute_count), Given { arguments, extra })
    }

    /// Takes back the configuration of the launch that the thread is in.
    fn __cudaPopCallConfiguration(
        _this, grid: Out<Dimensions>, block: Out<Dimensions>, shared: Out<usize>, stream: Out<StreamHandle>,
    ) {
        // `cudaErrorMissingConfiguration`.
        let pushed = PUSHED.with_borrow_mut(Vec::pop).ok_or(Code(52))?;
        grid.put(pushed.grid)?;
        block.put(pushed.block)?;
        shared.put(pushed.shared)?;
        stream.put(pushed.stream)
    }

    /// Gives the kernel behind a symbol.
    fn __cudaGetKernel, cudaGetKernel, cudaGetFuncBySymbol(_this, out: Out<u64>, symbol: u64) {
        module::resolve(symbol).ok_or(INVALID_DEVICE_FUNCTION)?;
        out.put(symbol)
    }
}

/// In a child that runs a region again: has the agent told of launches by a function; with null, of none.
#[unsafe(no_mangle)]
extern "C" fn cgsan_follow_launches(follower: *mut c_void) {
    // SAFETY: the agent passes such a function, and keeps it.
    unsafe { launches::follow(follower) };
}

/// Notes the configuration of the launch that the thread enters; not zero would skip the launch.
#[unsafe(no_mangle)]
extern "C" fn __cudaPushCallConfiguration(
    grid: Dimensions,
    block: Dimensions,
    shared: usize,
    stream: StreamHandle,
) -> c_uint {
    called::note("__cudaPushCallConfiguration");
    guard(1, || {
        let configuration = Configuration {
            grid,
            block,
            shared,
            stream,
        };
        PUSHED.with_borrow_mut(|pushed| pushed.push(configuration));
        0
    })
}

/// `cudaErrorInvalidDeviceFunction`.
const INVALID_DEVICE_FUNCTION: Code = Code(98);
/// `cudaErrorInvalidConfiguration`; the driver says "invalid argument".
const INVALID_CONFIGURATION: Code = Code(9);

/// The most threads of a block, and of each of its dimensions.
const MOST_THREADS: u64 = 1024;
const MOST_THREADS_Z: u32 = 64;
/// The most blocks in the second and third dimension.
const MOST_BLOCKS_YZ: u32 = 65_535;
/// The most shared memory of a block in bytes.
const MOST_SHARED: usize = 232_448;

#[inline]
fn launch(
    this: &Function,
    function: u64,
    configuration: Configuration,
    attributes: Result<Attributes, Code>,
    given: Given,
) -> Result<(), Code> {
    let runtime = this.runtime.is_some();
    let id = module::resolve(function).ok_or(if runtime {
        INVALID_DEVICE_FUNCTION
    } else {
        Code::INVALID_HANDLE
    })?;
    let stream = configuration.stream.resolve(this);
    let checked = configuration
        .check(runtime, stream)
        .and(attributes)
        .and_then(|attributes| {
            check(&attributes, configuration.grid, stream)?;
            Ok(attributes)
        });
    let attributes = match checked {
        Ok(attributes) => attributes,
        Err(code) => return gpu::call(this, &Call::FailedLaunch { stream, code }),
    };
    let Configuration {
        grid,
        block,
        shared,
        ..
    } = configuration;
    if values::missing::writes(id, || module::text_of(function)) {
        kernel::note_launch();
        values::missing::note_launch(id);
    }
    let node = NodeKind::Kernel {
        function: id,
        grid: grid.array(),
        block: block.array(),
        shared: u32::try_from(shared).unwrap_or(u32::MAX),
    };
    let shape = [grid.array(), block.array()];
    // SAFETY: by the promise of the API, this is what the kernel is given; its code tells its parameters.
    let capture = unsafe {
        given.launched(
            || module::known(function),
            shape,
            || gpu::enqueue(this, stream, node, Work::Nothing),
        )
    }?;
    if attributes.is_empty() {
        return Ok(());
    }
    let events: Vec<(u64, u32)> = attributes.events().collect();
    if let Some(capture) = capture {
        let gpu = &mut *gpu::lock();
        let attributes = attributes.of_node();
        gpu.graphs.give_newest(&gpu.model, capture, &attributes);
    }
    // Their blocks trigger them at the latest when the kernel is done, which is when they are taken to happen.
    for (triggered, flags) in events {
        event::record(this, triggered, configuration.stream, flags)?;
    }
    Ok(())
}

/// Refuses attributes that a launch in this grid and stream cannot have (CUDA driver API, `CUlaunchAttributeID`).
fn check(attributes: &Attributes, grid: Dimensions, stream: Stream) -> Result<(), Code> {
    if attributes.is_empty() {
        return Ok(());
    }
    attributes.check_clusters(grid.array())?;
    let gpu = gpu::lock();
    if let Some(value) = attributes.given(Attribute::DeviceUpdatable) {
        let thread = cgsan_observe::current_thread();
        match gpu.model.capture_of(thread, stream) {
            None => return Err(Code::INVALID_VALUE),
            Some(_) if attributes::number_of(value) != 0 => return Err(Code::NOT_SUPPORTED),
            Some(_) => {}
        }
    }
    let is_possible = |(event, flags): (u64, u32)| events().is_untimed(event) && flags == 0;
    if attributes.events().all(is_possible) {
        Ok(())
    } else {
        Err(Code::INVALID_VALUE)
    }
}

/// Whether a stream belongs to another device than the current one, where kernels cannot be launched on it.
fn is_elsewhere(stream: Stream) -> bool {
    device::count() > 1 && gpu::lock().device_of(stream) != context::device()
}

impl Configuration {
    fn check(&self, runtime: bool, stream: Stream) -> Result<(), Code> {
        if !self.is_valid() {
            return Err(if runtime {
                INVALID_CONFIGURATION
            } else {
                Code::INVALID_VALUE
            });
        }
        if is_elsewhere(stream) {
            return Err(Code::INVALID_HANDLE);
        }
        Ok(())
    }

    fn is_valid(&self) -> bool {
        let Configuration {
            grid,
            block,
            shared,
            ..
        } = self;
        let threads = u64::from(block.x) * u64::from(block.y) * u64::from(block.z);
        (1..=MOST_THREADS).contains(&threads)
            && block.z <= MOST_THREADS_Z
            && (1..=u32::MAX >> 1).contains(&grid.x)
            && (1..=MOST_BLOCKS_YZ).contains(&grid.y)
            && (1..=MOST_BLOCKS_YZ).contains(&grid.z)
            && *shared <= MOST_SHARED
    }
}

impl Dimensions {
    /// As an array: x, y, z.
    pub fn array(self) -> [u32; 3] {
        [self.x, self.y, self.z]
    }

    /// From an array: x, y, z.
    pub fn from_array([x, y, z]: [u32; 3]) -> Dimensions {
        Dimensions { x, y, z }
    }
}

#[cfg(test)]
mod tests {
    use std::mem::{offset_of, size_of};

    use super::{Configuration, Dimensions, DriverLaunchConfig, LaunchConfig, StreamHandle};

    fn configuration(grid: [u32; 3], block: [u32; 3], shared: usize) -> Configuration {
        Configuration {
            grid: Dimensions::from_array(grid),
            block: Dimensions::from_array(block),
            shared,
            stream: StreamHandle(0),
        }
    }

    #[test]
    fn an_h100_runs_what_fits() {
        assert!(configuration([1, 1, 1], [1024, 1, 1], 232_448).is_valid());
        assert!(configuration([u32::MAX >> 1, 65_535, 65_535], [1, 1, 64], 0).is_valid());
    }

    #[test]
    fn an_h100_refuses_what_does_not_fit() {
        for (grid, block, shared) in [
            ([0, 1, 1], [1, 1, 1], 0),
            ([1, 1, 1], [0, 1, 1], 0),
            ([1, 65_536, 1], [1, 1, 1], 0),
            ([1, 1, 1], [1025, 1, 1], 0),
            ([1, 1, 1], [1, 1, 65], 0),
            ([1, 1, 1], [1, 1, 1], 232_449),
        ] {
            assert!(!configuration(grid, block, shared).is_valid());
        }
    }

    #[test]
    fn launch_configurations_are_laid_out_as_in_the_headers_of_cuda_12_and_13() {
        assert_eq!(size_of::<LaunchConfig>(), 56);
        assert_eq!(offset_of!(LaunchConfig, shared), 24);
        assert_eq!(offset_of!(LaunchConfig, attributes), 40);
        assert_eq!(size_of::<DriverLaunchConfig>(), 56);
        assert_eq!(offset_of!(DriverLaunchConfig, stream), 32);
        assert_eq!(offset_of!(DriverLaunchConfig, attributes), 40);
    }
}
