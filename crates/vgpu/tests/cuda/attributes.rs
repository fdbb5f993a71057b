//! Attributes of streams, launches and kernel nodes.

use std::ffi::{c_char, c_int, c_void};

use crate::runtime::{
    Dimensions, INVALID_VALUE, LaunchAttribute, LaunchConfig, RELAXED, filled, gives, made,
    my_turn, ok, stream,
};

const SYNCHRONIZATION_POLICY: u32 = 3;
const CLUSTER_DIMENSION: u32 = 4;
const PROGRAMMATIC_EVENT: u32 = 7;
const PRIORITY: u32 = 8;
const SYNC_DOMAIN_MAP: u32 = 9;
const SYNC_DOMAIN: u32 = 10;
const DEVICE_UPDATABLE: u32 = 13;
const INVALID_CLUSTER_SIZE: c_int = 912;
const NOT_SUPPORTED: c_int = 801;
const DISABLE_TIMING: u32 = 2;

unsafe extern "C" {
    fn __cudaRegisterFunction(
        binary: *mut c_void,
        symbol: *const c_void,
        device_function: *mut c_char,
        name: *const c_char,
        thread_limit: c_int,
    );
}

/// A kernel, by a symbol as `nvcc` makes one.
fn kernel() -> *const c_void {
    static SYMBOL: u8 = 0;
    static NAME: &std::ffi::CStr = c"a_kernel";
    let symbol = (&raw const SYMBOL).cast();
    // SAFETY: the symbol and the name are static.
    unsafe {
        __cudaRegisterFunction(
            std::ptr::null_mut(),
            symbol,
            std::ptr::null_mut(),
            NAME.as_ptr(),
            -1,
        );
    }
    symbol
}

fn value(numbers: [u32; 3]) -> [u32; 16] {
    let mut value = [0; 16];
    value[..3].copy_from_slice(&numbers);
    value
}

fn number(number: i32) -> [u32; 16] {
    value([number.cast_unsigned(), 0, 0])
}

/// The attribute for an event.
fn event_attribute(event: u64) -> LaunchAttribute {
    let [low, high] = [event & 0xffff_ffff, event >> 32].map(|half| u32::try_from(half).unwrap());
    LaunchAttribute::new(PROGRAMMATIC_EVENT, value([low, high, 0]))
}

/// Launches the kernel in four blocks, and expects a code.
fn launch(stream: u64, attributes: &[LaunchAttribute], code: c_int) {
    let config = LaunchConfig {
        grid: Dimensions([4, 1, 1]),
        block: Dimensions([32, 1, 1]),
        shared: 0,
        stream,
        attributes: attributes.as_ptr(),
        count: u32::try_from(attributes.len()).unwrap(),
    };
    gives!(
        code,
        cudaLaunchKernelExC(&raw const config, kernel(), std::ptr::null_mut())
    );
}

fn of_stream(stream: u64, attribute: u32) -> [u32; 16] {
    let mut value = [0; 16];
    ok!(cudaStreamGetAttribute(stream, attribute, &raw mut value));
    value
}

fn of_node(node: u64, attribute: u32) -> [u32; 16] {
    let mut value = [0; 16];
    ok!(cudaGraphKernelNodeGetAttribute(
        node,
        attribute,
        &raw mut value
    ));
    value
}

fn priority_of(node: u64) -> i32 {
    of_node(node, PRIORITY)[0].cast_signed()
}

fn nodes(graph: u64) -> Vec<u64> {
    let mut nodes = vec![0; 8];
    let mut count = nodes.len();
    ok!(cudaGraphGetNodes(graph, nodes.as_mut_ptr(), &raw mut count));
    nodes.truncate(count);
    nodes
}

#[test]
fn streams_keep_what_they_are_given_and_hand_it_on() {
    let _turn = my_turn();
    let (first, second) = (stream(), stream());
    assert_eq!(of_stream(first, SYNCHRONIZATION_POLICY), number(1));
    assert_eq!(of_stream(first, SYNC_DOMAIN_MAP), number(0x100));
    for (attribute, wanted) in [
        (SYNCHRONIZATION_POLICY, 3),
        (PRIORITY, -2),
        (SYNC_DOMAIN, 1),
    ] {
        let wanted = number(wanted);
        ok!(cudaStreamSetAttribute(first, attribute, &raw const wanted));
        assert_eq!(of_stream(first, attribute), wanted);
    }
    ok!(cudaStreamCopyAttributes(second, first));
    assert_eq!(of_stream(second, SYNCHRONIZATION_POLICY), number(3));
    let mut priority = 0;
    ok!(cudaStreamGetPriority(second, &raw mut priority));
    assert_eq!(priority, -2);
}

#[test]
fn streams_refuse_what_only_launches_have_and_values_that_there_are_not() {
    let _turn = my_turn();
    let stream = stream();
    for (attribute, refused) in [
        (CLUSTER_DIMENSION, 1),
        (0, 0),
        (99, 0),
        (SYNCHRONIZATION_POLICY, 9),
        (SYNC_DOMAIN, 2),
    ] {
        let refused = number(refused);
        gives!(
            INVALID_VALUE,
            cudaStreamSetAttribute(stream, attribute, &raw const refused)
        );
    }
    gives!(
        INVALID_VALUE,
        cudaStreamSetAttribute(stream, PRIORITY, std::ptr::null())
    );
}

#[test]
fn a_captured_kernel_has_the_attributes_of_its_stream_and_of_its_launch() {
    let _turn = my_turn();
    let (stream, memory) = (stream(), filled(64, 0));
    let wanted = number(-3);
    ok!(cudaStreamSetAttribute(stream, PRIORITY, &raw const wanted));
    ok!(cudaStreamBeginCapture(stream, RELAXED));
    launch(stream, &[], 0);
    let cluster = value([2, 1, 1]);
    launch(
        stream,
        &[
            LaunchAttribute::new(0, number(0)),
            LaunchAttribute::new(CLUSTER_DIMENSION, cluster),
            LaunchAttribute::new(PRIORITY, number(-1)),
        ],
        0,
    );
    ok!(cudaMemsetAsync(memory, 1, 16, stream));
    let mut graph = 0;
    ok!(cudaStreamEndCapture(stream, &raw mut graph));
    let [first, second, fill] = nodes(graph)[..] else {
        panic!("three nodes")
    };
    assert_eq!((priority_of(first), priority_of(second)), (-3, -1));
    let copy: u64 = made!(cudaGraphClone(graph));
    assert_eq!(priority_of(nodes(copy)[1]), -1);

    ok!(cudaGraphKernelNodeCopyAttributes(first, second));
    assert_eq!(of_node(first, CLUSTER_DIMENSION), cluster);
    assert_eq!(priority_of(first), -1);
    let wanted = number(0);
    ok!(cudaGraphKernelNodeSetAttribute(
        first,
        PRIORITY,
        &raw const wanted
    ));
    assert_eq!(priority_of(first), 0);
    for (node, attribute) in [(fill, PRIORITY), (first, SYNCHRONIZATION_POLICY)] {
        gives!(
            INVALID_VALUE,
            cudaGraphKernelNodeSetAttribute(node, attribute, &raw const wanted)
        );
    }
    gives!(
        NOT_SUPPORTED,
        cudaGraphKernelNodeSetAttribute(first, DEVICE_UPDATABLE, &raw const wanted)
    );
}

#[test]
fn launches_refuse_what_does_not_fit() {
    let _turn = my_turn();
    let stream = stream();
    let timed: u64 = made!(cudaEventCreateWithFlags(0));
    let cluster = |dimensions| LaunchAttribute::new(CLUSTER_DIMENSION, value(dimensions));
    launch(stream, &[cluster([4, 1, 1])], 0);
    launch(stream, &[cluster([3, 1, 1])], INVALID_CLUSTER_SIZE);
    for refused in [
        LaunchAttribute::new(SYNCHRONIZATION_POLICY, number(1)),
        LaunchAttribute::new(SYNC_DOMAIN, number(2)),
        LaunchAttribute::new(DEVICE_UPDATABLE, number(1)),
        event_attribute(timed),
    ] {
        launch(stream, &[refused], INVALID_VALUE);
    }
}

#[test]
fn an_event_that_a_kernel_triggers_joins_another_stream_to_the_capture() {
    let _turn = my_turn();
    let (origin, other, memory) = (stream(), stream(), filled(64, 0));
    let [forked, joined]: [u64; 2] =
        std::array::from_fn(|_| made!(cudaEventCreateWithFlags(DISABLE_TIMING)));
    ok!(cudaStreamBeginCapture(origin, RELAXED));
    launch(origin, &[event_attribute(forked)], 0);
    ok!(cudaStreamWaitEvent(other, forked, 0));
    ok!(cudaMemsetAsync(memory, 1, 16, other));
    ok!(cudaEventRecord(joined, other));
    ok!(cudaStreamWaitEvent(origin, joined, 0));
    let mut graph = 0;
    ok!(cudaStreamEndCapture(origin, &raw mut graph));
    assert_eq!(nodes(graph).len(), 2);
    let mut edges = 0;
    let nowhere = std::ptr::null_mut();
    ok!(cudaGraphGetEdges(
        graph,
        nowhere,
        nowhere,
        nowhere.cast(),
        &raw mut edges
    ));
    assert_eq!(edges, 1);
}
