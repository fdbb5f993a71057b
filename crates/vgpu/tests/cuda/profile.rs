//! What a profiler is given through CUPTI.

use std::ffi::{c_int, c_void};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};

use crate::runtime::{RELAXED, filled, made, my_turn, ok, stream};

const FILL: u32 = 2;
const RUNTIME: u32 = 5;
const EXTERNAL: u32 = 39;

type Clock = extern "C" fn() -> u64;
type Request = extern "C" fn(*mut *mut u8, *mut usize, *mut usize);
type Complete = extern "C" fn(*mut c_void, u32, *mut u8, usize, usize);

unsafe extern "C" {
    fn cuptiActivityRegisterTimestampCallback(clock: Option<Clock>) -> c_int;
    fn cuptiActivityRegisterCallbacks(
        request: Option<Request>,
        complete: Option<Complete>,
    ) -> c_int;
    fn cuptiActivityEnable(kind: u32) -> c_int;
    fn cuptiActivityDisable(kind: u32) -> c_int;
    fn cuptiActivityFlushAll(flag: u32) -> c_int;
    fn cuptiActivityGetNextRecord(buffer: *mut u8, used: usize, record: *mut *mut u8) -> c_int;
    fn cuptiActivityGetNumDroppedRecords(
        context: *mut c_void,
        stream: u32,
        dropped: *mut usize,
    ) -> c_int;
    fn cuptiActivityPushExternalCorrelationId(kind: u32, id: u64) -> c_int;
    fn cuptiActivityPopExternalCorrelationId(kind: u32, id: *mut u64) -> c_int;
}

/// Room for a few records, so that there are several buffers.
const ROOM: usize = 320;

/// The records that were given back, each with more bytes than any has.
static RECORDS: Mutex<Vec<Vec<u8>>> = Mutex::new(Vec::new());

extern "C" fn clock() -> u64 {
    static TIME: AtomicU64 = AtomicU64::new(1000);
    TIME.fetch_add(1, Ordering::Relaxed)
}

extern "C" fn request(buffer: *mut *mut u8, room: *mut usize, most: *mut usize) {
    let memory: &'static mut [u8] = vec![0; ROOM + 256].leak();
    // SAFETY: the caller has given places for these.
    unsafe {
        buffer.write(memory.as_mut_ptr());
        room.write(ROOM);
        most.write(0);
    }
}

extern "C" fn complete(_: *mut c_void, _: u32, buffer: *mut u8, room: usize, used: usize) {
    assert!(used <= room && room == ROOM);
    let mut record = std::ptr::null_mut();
    // SAFETY: the buffer has been given back, and behind its room there are bytes as well.
    while unsafe { cuptiActivityGetNextRecord(buffer, used, &raw mut record) } == 0 {
        // SAFETY: as above.
        let bytes = unsafe { std::slice::from_raw_parts(record, 256) };
        let mut records = RECORDS.lock().unwrap_or_else(PoisonError::into_inner);
        records.push(bytes.to_vec());
    }
}

fn u32_at(record: &[u8], at: usize) -> u32 {
    u32::from_le_bytes(record[at..at + 4].try_into().unwrap())
}

fn u64_at(record: &[u8], at: usize) -> u64 {
    u64::from_le_bytes(record[at..at + 8].try_into().unwrap())
}

#[test]
fn a_profiler_is_given_calls_and_the_work_that_they_enqueued() {
    let _turn = my_turn();
    let (memory, stream) = (filled(64, 0), stream());
    ok!(cudaStreamBeginCapture(stream, RELAXED));
    ok!(cudaMemsetAsync(memory, 1, 16, stream));
    let mut graph = 0;
    ok!(cudaStreamEndCapture(stream, &raw mut graph));
    let executable: u64 = made!(cudaGraphInstantiateWithFlags(graph, 0));
    // A fill, and then the graph inside another.
    let mut parent = 0;
    ok!(cudaStreamBeginCapture(stream, RELAXED));
    ok!(cudaMemsetAsync(memory, 4, 48, stream));
    ok!(cudaStreamEndCapture(stream, &raw mut parent));
    let (mut first, mut count) = (0, 1);
    ok!(cudaGraphGetNodes(parent, &raw mut first, &raw mut count));
    let _child: u64 = made!(cudaGraphAddChildGraphNode(
        parent,
        &raw const first,
        1,
        graph
    ));
    let nesting: u64 = made!(cudaGraphInstantiateWithFlags(parent, 0));

    // SAFETY: the functions are given what their documentation asks for.
    unsafe {
        assert_eq!(cuptiActivityRegisterTimestampCallback(Some(clock)), 0);
        assert_eq!(
            cuptiActivityRegisterCallbacks(Some(request), Some(complete)),
            0
        );
        for kind in [FILL, RUNTIME, EXTERNAL] {
            assert_eq!(cuptiActivityEnable(kind), 0);
        }
        assert_eq!(cuptiActivityPushExternalCorrelationId(3, 77), 0);
    }
    ok!(cudaMemsetAsync(memory, 2, 32, stream));
    let mut id = 0;
    // SAFETY: as above.
    unsafe {
        assert_eq!(cuptiActivityPopExternalCorrelationId(3, &raw mut id), 0);
        assert_eq!(cuptiActivityPopExternalCorrelationId(3, &raw mut id), 16);
    }
    assert_eq!(id, 77);
    ok!(cudaGraphLaunch(executable, stream));
    ok!(cudaGraphLaunch(nesting, stream));
    let mut dropped = 1;
    // SAFETY: as above.
    unsafe {
        for kind in [FILL, RUNTIME, EXTERNAL] {
            assert_eq!(cuptiActivityDisable(kind), 0);
        }
    }
    // Nobody wants to know.
    ok!(cudaMemsetAsync(memory, 3, 8, stream));
    // SAFETY: as above.
    unsafe {
        assert_eq!(cuptiActivityFlushAll(1), 0);
        let nowhere = std::ptr::null_mut();
        assert_eq!(
            cuptiActivityGetNumDroppedRecords(nowhere, 0, &raw mut dropped),
            0
        );
        assert_eq!(cuptiActivityRegisterTimestampCallback(None), 0);
    }
    assert_eq!(dropped, 0);

    let records = RECORDS.lock().unwrap_or_else(PoisonError::into_inner);
    let kinds: Vec<u32> = records.iter().map(|record| u32_at(record, 0)).collect();
    let replays = [FILL, RUNTIME, FILL, FILL, RUNTIME];
    assert_eq!(kinds, [&[EXTERNAL, FILL, RUNTIME], &replays[..]].concat());
    let [external, eager, memset, replayed, launch, nesting @ ..] = &records[..] else {
        unreachable!()
    };
    assert_eq!((u32_at(external, 4), u64_at(external, 8)), (3, 77));
    assert_eq!((u32_at(memset, 4), u32_at(launch, 4)), (51, 311));
    let call = u32_at(memset, 32);
    assert_eq!((u32_at(external, 16), u32_at(eager, 44)), (call, call));
    assert_eq!(u32_at(replayed, 44), u32_at(launch, 32));
    // The value, the bytes, the executable graph.
    assert_eq!((u32_at(eager, 4), u64_at(eager, 8)), (2, 32));
    assert_eq!((u32_at(replayed, 4), u64_at(replayed, 8)), (1, 16));
    assert_eq!(u32_at(eager, 72), 0);
    assert_ne!(u32_at(replayed, 72), 0);
    assert_eq!(u64_at(replayed, 64) >> 32, u64::from(u32_at(replayed, 72)));
    // What is inside the other graph belongs to that one's launch, as a node of its own.
    let [before, inside, launch] = nesting else {
        unreachable!()
    };
    assert_eq!((u64_at(before, 8), u64_at(inside, 8)), (48, 16));
    for record in [before, inside] {
        assert_eq!(u32_at(record, 44), u32_at(launch, 32));
        assert_eq!(u64_at(record, 64) >> 32, u64::from(u32_at(record, 72)));
    }
    assert_ne!(u64_at(before, 64), u64_at(inside, 64));
    let mut identity = 0;
    ok!(cudaStreamGetId(stream, &raw mut identity));
    assert_eq!(u64::from(u32_at(eager, 40)), identity);
    // The call began before its work, which took some time.
    assert!(u64_at(memset, 8) <= u64_at(eager, 16) && u64_at(eager, 16) < u64_at(eager, 24));
}
