//! Collectives of two ranks that this process has both of: what waits for the other rank, and what does not.

use crate::runtime::{GLOBAL, NOT_READY, filled, gives, made, my_turn, ok, read, stream};

/// `ncclUint8`, `ncclSum`, and NCCL's "invalid usage".
const UINT8: i32 = 1;
const SUM: i32 = 0;
const INVALID_USAGE: i32 = 5;

const BYTES: usize = 16;

/// A rank: its communicator, a stream and memory on its device.
pub struct Rank {
    communicator: usize,
    pub stream: u64,
    pub memory: u64,
}

impl Rank {
    /// The ranks 0 and 1, whose memory holds 1 and 10.
    pub fn both() -> [Rank; 2] {
        let mut communicators = [0; 2];
        ok!(ncclCommInitAll(
            communicators.as_mut_ptr(),
            2,
            std::ptr::null()
        ));
        [0, 1].map(|rank| {
            ok!(cudaSetDevice(rank));
            Rank {
                communicator: communicators[usize::try_from(rank).unwrap()],
                stream: stream(),
                memory: filled(BYTES, if rank == 0 { 1 } else { 10 }),
            }
        })
    }

    pub fn all_reduce(&self) {
        self.all_reduce_on(self.stream);
    }

    fn all_reduce_on(&self, stream: u64) {
        ok!(ncclAllReduce(
            self.memory,
            self.memory,
            BYTES,
            UINT8,
            SUM,
            self.communicator,
            stream
        ));
    }

    pub fn destroy(ranks: [Rank; 2]) {
        for rank in ranks {
            ok!(ncclCommDestroy(rank.communicator));
            ok!(cudaStreamDestroy(rank.stream));
            ok!(cudaFree(rank.memory));
        }
    }
}

#[test]
fn what_is_behind_a_collective_waits_and_what_is_beside_it_does_not() {
    let _turn = my_turn();
    let ranks = Rank::both();
    let [first, second] = &ranks;
    ok!(cudaSetDevice(0));
    let event: u64 = made!(cudaEventCreateWithFlags(2));
    let (beside, behind) = (stream(), stream());
    let copy = filled(BYTES, 0);
    first.all_reduce();
    ok!(cudaEventRecord(event, first.stream));
    ok!(cudaStreamWaitEvent(behind, event, 0));
    ok!(cudaMemcpyAsync(copy, first.memory, BYTES, 4, behind));
    gives!(NOT_READY, cudaStreamQuery(first.stream));
    gives!(NOT_READY, cudaStreamQuery(behind));
    gives!(NOT_READY, cudaEventQuery(event));
    ok!(cudaStreamQuery(beside));

    second.all_reduce();
    ok!(cudaEventSynchronize(event));
    ok!(cudaEventQuery(event));
    ok!(cudaStreamSynchronize(behind));
    assert_eq!(read(copy, BYTES), [11; BYTES]);
    ok!(cudaStreamSynchronize(second.stream));
    assert_eq!(read(second.memory, BYTES), [11; BYTES]);
    Rank::destroy(ranks);
}

#[test]
fn the_legacy_stream_waits_for_the_collectives_of_blocking_streams() {
    let _turn = my_turn();
    let ranks = Rank::both();
    let [first, second] = &ranks;
    ok!(cudaSetDevice(0));
    let blocking: u64 = made!(cudaStreamCreateWithFlags(0));
    first.all_reduce_on(blocking);
    let copy: u64 = made!(cudaMalloc(BYTES));
    ok!(cudaMemcpyAsync(copy, first.memory, BYTES, 4, 0));
    gives!(NOT_READY, cudaStreamQuery(0));
    second.all_reduce();
    assert_eq!(read(copy, BYTES), [11; BYTES]);
    Rank::destroy(ranks);
}

#[test]
fn one_thread_begins_the_collectives_of_both_ranks_in_a_group() {
    let _turn = my_turn();
    let ranks = Rank::both();
    ok!(ncclGroupStart());
    for rank in &ranks {
        rank.all_reduce();
    }
    ok!(ncclGroupEnd());
    for rank in &ranks {
        ok!(cudaStreamSynchronize(rank.stream));
        assert_eq!(read(rank.memory, BYTES), [11; BYTES]);
    }
    Rank::destroy(ranks);
}

#[test]
fn each_replay_is_a_collective_and_a_graph_keeps_its_communicator() {
    let _turn = my_turn();
    let ranks = Rank::both();
    let graphs = [0, 1].map(|rank| {
        let it = &ranks[rank];
        ok!(cudaSetDevice(i32::try_from(rank).unwrap()));
        ok!(cudaStreamBeginCapture(it.stream, GLOBAL));
        it.all_reduce();
        let mut graph = 0;
        ok!(cudaStreamEndCapture(it.stream, &raw mut graph));
        let executable: u64 = made!(cudaGraphInstantiateWithFlags(graph, 0));
        ok!(cudaGraphDestroy(graph));
        executable
    });
    for expected in [11, 22] {
        for (rank, executable) in ranks.iter().zip(graphs) {
            ok!(cudaGraphLaunch(executable, rank.stream));
        }
        for rank in &ranks {
            ok!(cudaStreamSynchronize(rank.stream));
            assert_eq!(read(rank.memory, BYTES), [expected; BYTES]);
        }
    }
    for (rank, executable) in ranks.iter().zip(graphs) {
        gives!(INVALID_USAGE, ncclCommDestroy(rank.communicator));
        ok!(cudaGraphExecDestroy(executable));
    }
    Rank::destroy(ranks);
}

#[test]
fn an_abort_lets_go_of_a_stream_whose_peer_never_comes() {
    let _turn = my_turn();
    let [first, second] = Rank::both();
    first.all_reduce();
    gives!(NOT_READY, cudaStreamQuery(first.stream));
    ok!(ncclCommAbort(first.communicator));
    ok!(cudaStreamSynchronize(first.stream));
    assert_eq!(read(first.memory, BYTES), [1; BYTES]);
    ok!(ncclCommDestroy(second.communicator));
}
