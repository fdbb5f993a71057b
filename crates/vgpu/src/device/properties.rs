//! The properties of a device (`cudaDeviceProp`), as CUDA 12 and CUDA 13 lay them out.
//!
//! Every field but the first ones is an attribute, or several in a row.

use super::attributes::attribute;
use super::{Card, NAME, uuid};
use crate::memory::table::capacity;

/// `cudaDeviceProp` of CUDA 13, as bytes.
pub type Properties13 = [u8; 1008];

/// `cudaDeviceProp` of CUDA 12 (`cudaGetDeviceProperties_v2`), as bytes.
pub type Properties12 = [u8; 1032];

/// The properties of a card in the layout of CUDA 13.
pub fn properties_13(card: Card) -> Properties13 {
    laid_out(card, |field| field.versions != Versions::Until12)
}

/// The properties of a card in the layout of CUDA 12.
pub fn properties_12(card: Card) -> Properties12 {
    laid_out(card, |field| field.versions != Versions::Since13)
}

/// Which versions of CUDA have a field.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Versions {
    All,
    Until12,
    Since13,
}

/// A field that is filled from attributes.
struct Field {
    versions: Versions,
    /// Bytes of each of its numbers, to a multiple of which it is aligned.
    width: usize,
    /// The numbers of the attributes.
    attributes: &'static [i32],
}

const fn size(attributes: &'static [i32]) -> Field {
    let width = size_of::<usize>();
    Field {
        versions: Versions::All,
        width,
        attributes,
    }
}

const fn numbers(attributes: &'static [i32]) -> Field {
    Field {
        versions: Versions::All,
        width: size_of::<i32>(),
        attributes,
    }
}

const fn until_12(attributes: &'static [i32]) -> Field {
    Field {
        versions: Versions::Until12,
        ..numbers(attributes)
    }
}

const fn since_13(attributes: &'static [i32]) -> Field {
    Field {
        versions: Versions::Since13,
        ..numbers(attributes)
    }
}

/// Puts the fields that a version has one behind the other. What lies behind them is reserved.
fn laid_out<const BYTES: usize>(card: Card, has: impl Fn(&Field) -> bool) -> [u8; BYTES] {
    let mut bytes = [0; BYTES];
    bytes[..NAME.len()].copy_from_slice(NAME.as_bytes());
    bytes[256..272].copy_from_slice(&uuid(card));
    // Behind it are the LUID and the mask of its nodes, which only Windows has.
    bytes[288..296].copy_from_slice(&capacity().to_ne_bytes());
    let mut at: usize = 296;
    for field in FIELDS.iter().filter(|field| has(field)) {
        at = at.next_multiple_of(field.width);
        for number in field.attributes {
            // A negative number (no NUMA node) keeps its bits.
            let value = i64::from(attribute(card, *number).unwrap_or(0)).to_le_bytes();
            bytes[at..at + field.width].copy_from_slice(&value[..field.width]);
            at += field.width;
        }
    }
    bytes
}

/// The fields in their order, with their names in CUDA's headers.
#[rustfmt::skip]
const FIELDS: &[Field] = &[
    size(&[8]), // shared_mem_per_block
    numbers(&[12]), // regs_per_block
    numbers(&[10]), // warp_size
    size(&[11]), // mem_pitch
    numbers(&[1]), // max_threads_per_block
    numbers(&[2, 3, 4]), // max_threads_dim
    numbers(&[5, 6, 7]), // max_grid_size
    until_12(&[13]), // clock_rate
    size(&[9]), // total_const_mem
    numbers(&[75]), // major
    numbers(&[76]), // minor
    size(&[14]), // texture_alignment
    size(&[51]), // texture_pitch_alignment
    until_12(&[15]), // device_overlap
    numbers(&[16]), // multi_processor_count
    until_12(&[17]), // kernel_exec_timeout_enabled
    numbers(&[18]), // integrated
    numbers(&[19]), // can_map_host_memory
    until_12(&[20]), // compute_mode
    numbers(&[21]), // max_texture_1d
    numbers(&[77]), // max_texture_1d_mipmap
    until_12(&[69]), // max_texture_1d_linear
    numbers(&[22, 23]), // max_texture_2d
    numbers(&[73, 74]), // max_texture_2d_mipmap
    numbers(&[70, 71, 72]), // max_texture_2d_linear
    numbers(&[45, 46]), // max_texture_2d_gather
    numbers(&[24, 25, 26]), // max_texture_3d
    numbers(&[47, 48, 49]), // max_texture_3d_alt
    numbers(&[52]), // max_texture_cubemap
    numbers(&[42, 43]), // max_texture_1d_layered
    numbers(&[27, 28, 29]), // max_texture_2d_layered
    numbers(&[53, 54]), // max_texture_cubemap_layered
    numbers(&[55]), // max_surface_1d
    numbers(&[56, 57]), // max_surface_2d
    numbers(&[58, 59, 60]), // max_surface_3d
    numbers(&[61, 62]), // max_surface_1d_layered
    numbers(&[63, 64, 65]), // max_surface_2d_layered
    numbers(&[66]), // max_surface_cubemap
    numbers(&[67, 68]), // max_surface_cubemap_layered
    size(&[30]), // surface_alignment
    numbers(&[31]), // concurrent_kernels
    numbers(&[32]), // ecc_enabled
    numbers(&[33]), // pci_bus_id
    numbers(&[34]), // pci_device_id
    numbers(&[50]), // pci_domain_id
    numbers(&[35]), // tcc_driver
    numbers(&[40]), // async_engine_count
    numbers(&[41]), // unified_addressing
    until_12(&[36]), // memory_clock_rate
    numbers(&[37]), // memory_bus_width
    numbers(&[38]), // l2_cache_size
    numbers(&[108]), // persisting_l2_cache_max_size
    numbers(&[39]), // max_threads_per_multi_processor
    numbers(&[78]), // stream_priorities_supported
    numbers(&[79]), // global_l1_cache_supported
    numbers(&[80]), // local_l1_cache_supported
    size(&[81]), // shared_mem_per_multiprocessor
    numbers(&[82]), // regs_per_multiprocessor
    numbers(&[83]), // managed_memory
    numbers(&[84]), // is_multi_gpu_board
    numbers(&[85]), // multi_gpu_board_group_id
    numbers(&[86]), // host_native_atomic_supported
    until_12(&[87]), // single_to_double_precision_perf_ratio
    numbers(&[88]), // pageable_memory_access
    numbers(&[89]), // concurrent_managed_access
    numbers(&[90]), // compute_preemption_supported
    numbers(&[91]), // can_use_host_pointer_for_registered_mem
    numbers(&[95]), // cooperative_launch
    until_12(&[96]), // cooperative_multi_device_launch
    size(&[97]), // shared_mem_per_block_optin
    numbers(&[100]), // pageable_memory_access_uses_host_page_tables
    numbers(&[101]), // direct_managed_mem_access_from_host
    numbers(&[106]), // max_blocks_per_multi_processor
    numbers(&[109]), // access_policy_max_window_size
    size(&[111]), // reserved_shared_mem_per_block
    numbers(&[99]), // host_register_supported
    numbers(&[112]), // sparse_cuda_array_supported
    numbers(&[113]), // host_register_read_only_supported
    numbers(&[114]), // timeline_semaphore_interop_supported
    numbers(&[115]), // memory_pools_supported
    numbers(&[116]), // gpu_direct_rdma_supported
    numbers(&[117]), // gpu_direct_rdma_flush_writes_options
    numbers(&[118]), // gpu_direct_rdma_writes_ordering
    numbers(&[119]), // memory_pool_supported_handle_types
    numbers(&[121]), // deferred_mapping_cuda_array_supported
    numbers(&[125]), // ipc_event_supported
    numbers(&[120]), // cluster_launch
    numbers(&[129]), // unified_function_pointers
    since_13(&[130]), // device_numa_config
    since_13(&[131]), // device_numa_id
    since_13(&[133]), // mps_enabled
    since_13(&[134]), // host_numa_id
    since_13(&[139]), // gpu_pci_device_id
    since_13(&[140]), // gpu_pci_subsystem_id
    since_13(&[143]), // host_numa_multinode_ipc_supported
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_version_has_its_own_fields() {
        let number = |bytes: &[u8], at: usize| {
            bytes[at..at + 4]
                .try_into()
                .map(i32::from_ne_bytes)
                .expect("four bytes")
        };
        let (old, new) = (properties_12(Card(0)), properties_13(Card(0)));
        // `warpSize` and `major`, and what stands last in each: `unifiedFunctionPointers`, `hostNumaMultinodeIpcSupported`.
        for (at, value) in [(308, 32), (360, 9)] {
            assert_eq!((number(&old, at), number(&new, at)), (value, value));
        }
        assert_eq!(
            number(&old, 776),
            attribute(Card(0), 129).expect("it is known")
        );
        assert_eq!(
            number(&new, 780),
            attribute(Card(0), 143).expect("it is known")
        );
    }
}
