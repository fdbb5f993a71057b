//! The numbers by which CUPTI names functions (`CUpti_runtime_api_trace_cbid`, `CUpti_driver_api_trace_cbid`).

use crate::api::Function;

/// The runtime functions that a profiler is told of.
const RUNTIME: [(&str, u32); 25] = [
    ("cudaMalloc", 20),
    ("cudaFree", 22),
    ("cudaHostAlloc", 27),
    ("cudaMemcpy", 31),
    ("cudaMemcpyAsync", 41),
    ("cudaMemcpy2DAsync", 44),
    ("cudaMemset", 49),
    ("cudaMemsetAsync", 51),
    ("cudaStreamSynchronize", 131),
    ("cudaEventSynchronize", 137),
    ("cudaEventQuery", 138),
    ("cudaStreamWaitEvent", 147),
    ("cudaMemcpyPeerAsync", 161),
    ("cudaDeviceSynchronize", 165),
    ("cudaLaunchKernel", 211),
    ("cudaLaunchCooperativeKernel", 269),
    ("cudaLaunchHostFunc", 284),
    ("cudaGraphLaunch", 311),
    ("cudaStreamBeginCapture", 315),
    ("cudaStreamEndCapture", 319),
    ("cudaMallocAsync", 373),
    ("cudaFreeAsync", 375),
    ("cudaGraphInstantiateWithFlags", 418),
    ("cudaLaunchKernelExC", 430),
    ("cudaGraphInstantiate", 443),
];

/// The driver functions that a profiler is told of.
const DRIVER: [(&str, u32); 11] = [
    ("cuStreamSynchronize", 126),
    ("cuMemsetD8Async", 216),
    ("cuMemsetD32Async", 220),
    ("cuMemcpyHtoDAsync_v2", 277),
    ("cuMemcpyDtoHAsync_v2", 279),
    ("cuMemcpyDtoDAsync_v2", 281),
    ("cuMemcpyAsync", 306),
    ("cuLaunchKernel", 307),
    ("cuLaunchCooperativeKernel", 477),
    ("cuGraphLaunch", 514),
    ("cuLaunchKernelEx", 652),
];

/// The number of a function among its kin; `None` if a profiler is not told of it.
pub fn number_of(function: &Function) -> Option<u32> {
    let (names, wanted) = match function.runtime {
        // Since CUDA 13, compiled launches come by names with underscores before them.
        Some(runtime) => (&RUNTIME[..], runtime.trim_start_matches('_')),
        None => (&DRIVER[..], function.driver),
    };
    let known = names.iter().find(|(name, _)| *name == wanted);
    known.map(|(_, number)| *number)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::api::functions;

    #[test]
    fn a_function_has_the_number_of_the_name_that_the_program_called() {
        assert_eq!(number_of(&functions::cudaLaunchKernel), Some(211));
        assert_eq!(number_of(&functions::__cudaLaunchKernel), Some(211));
        assert_eq!(number_of(&functions::cuLaunchKernel), Some(307));
        let copy = functions::cudaMemcpyAsync.through("cuMemcpyHtoDAsync_v2");
        assert_eq!(number_of(&copy), Some(41));
        assert_eq!(number_of(&functions::cudaEventRecord), None);
    }
}
