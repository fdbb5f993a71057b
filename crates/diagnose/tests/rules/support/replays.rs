//! Operators, blocks of memory, and graphs that are replayed.

use cgsan_model::{Call, CaptureMode, CopyKind, ExecId, GraphId, HostMemory, NodeKind, Stream};
use cgsan_trace::{Argument, BlockRecord, OperatorRecord, Record, TensorRecord};

use super::{LEGACY, ORIGIN, Program};

/// The size of every block and tensor.
const BYTES: u64 = 512;

/// The frame of PyTorch that leaves `torch.autocast`.
pub(crate) const fn autocast_exits() -> &'static str {
    "torch/amp/autocast_mode.py:390 autocast.__exit__"
}

/// A tensor on the GPU that begins at an address.
pub(crate) fn tensor(address: u64) -> Argument {
    sized(address, &[128])
}

/// A tensor on the GPU of these sizes.
pub(crate) fn sized(address: u64, sizes: &[u64]) -> Argument {
    Argument::Tensor(TensorRecord {
        address,
        bytes: BYTES,
        offset: 0,
        on_gpu: true,
        dtype: 6,
        sizes: sizes.to_vec(),
    })
}

/// A tensor in the memory of the host.
pub(crate) fn host(address: u64) -> Argument {
    Argument::Tensor(TensorRecord {
        address,
        bytes: BYTES,
        offset: 0,
        on_gpu: false,
        dtype: 6,
        sizes: vec![128],
    })
}

impl Program {
    /// PyTorch's allocator gives out a block.
    pub(crate) fn block(&mut self, address: u64) -> &mut Program {
        let record = self.block_record(address);
        self.push(Record::BlockAllocated(record));
        self
    }

    /// The block goes back to the allocator.
    pub(crate) fn free(&mut self, address: u64) -> &mut Program {
        let record = self.block_record(address);
        self.push(Record::BlockFreed(record));
        self
    }

    /// The same with a block of another size.
    pub(crate) fn sized_block(&mut self, address: u64, bytes: u64) -> &mut Program {
        let stack = self.frame();
        self.push(Record::BlockAllocated(BlockRecord {
            address,
            bytes,
            stack,
        }));
        self
    }

    fn block_record(&mut self, address: u64) -> BlockRecord {
        BlockRecord {
            address,
            bytes: BYTES,
            stack: self.frame(),
        }
    }

    /// An operator begins; `name` is without its namespace, if that is PyTorch's.
    pub(crate) fn begin_operator(&mut self, name: &str, arguments: &[Argument]) -> &mut Program {
        let record = self.operator_record(name, arguments);
        self.push(Record::OperatorBegin(record));
        self
    }

    /// The innermost operator ends.
    pub(crate) fn end_operator(&mut self, results: &[Argument]) -> &mut Program {
        self.push(Record::OperatorEnd {
            results: results.to_vec(),
        });
        self
    }

    /// An operator that makes no call to CUDA: one on the host, or a view.
    pub(crate) fn idle_operator(
        &mut self,
        name: &str,
        arguments: &[Argument],
        results: &[Argument],
    ) -> &mut Program {
        let operator = self.operator_record(name, arguments);
        self.push(Record::Operator {
            operator,
            results: results.to_vec(),
        });
        self
    }

    fn operator_record(&mut self, name: &str, arguments: &[Argument]) -> OperatorRecord {
        OperatorRecord {
            name: if name.contains("::") {
                self.string(name)
            } else {
                self.string(&format!("aten::{name}"))
            },
            arguments: arguments.to_vec(),
            stack: self.frame(),
        }
    }

    /// An operator that launches a kernel on a stream.
    pub(crate) fn operator(
        &mut self,
        name: &str,
        stream: Stream,
        arguments: &[Argument],
        results: &[Argument],
    ) -> &mut Program {
        self.begin_operator(name, arguments)
            .launch(stream)
            .end_operator(results)
    }

    /// The same, with its result in a new block.
    pub(crate) fn make(
        &mut self,
        name: &str,
        stream: Stream,
        arguments: &[Argument],
        address: u64,
    ) -> &mut Program {
        self.begin_operator(name, arguments)
            .block(address)
            .launch(stream)
            .end_operator(&[tensor(address)])
    }

    /// `to.copy_(from)`, where `from` is pinned memory of the host.
    pub(crate) fn copy_from_pinned(&mut self, stream: Stream, to: u64, from: u64) -> &mut Program {
        self.begin_operator("copy_", &[tensor(to), host(from)])
            .call(Call::Work {
                stream,
                node: NodeKind::Memcpy {
                    kind: CopyKind::HostToDevice(HostMemory::Pinned),
                    dst: to,
                    src: from,
                    bytes: BYTES,
                },
            })
            .end_operator(&[tensor(to)])
    }

    /// `to.copy_(from)`, where `to` is pinned memory of the host.
    pub(crate) fn copy_to_pinned(&mut self, stream: Stream, to: u64, from: u64) -> &mut Program {
        self.begin_operator("copy_", &[host(to), tensor(from)])
            .call(Call::Work {
                stream,
                node: NodeKind::Memcpy {
                    kind: CopyKind::DeviceToHost(HostMemory::Pinned),
                    dst: to,
                    src: from,
                    bytes: BYTES,
                },
            })
            .end_operator(&[host(to)])
    }

    /// `with torch.cuda.graph(…):` at the current frames, with what `body` does in it. `number` names the graph.
    pub(crate) fn graph(&mut self, number: u64, body: impl FnOnce(&mut Program)) -> &mut Program {
        let with = self.stack.clone();
        self.begin_graph(CaptureMode::Global);
        assert!(self.last.is_success(), "the capture begins");
        body(self);
        self.stack = with;
        self.end_graph_as(graph(number));
        assert!(self.last.is_success(), "the capture ends well");
        self.call(Call::GraphInstantiate {
            graph: graph(number),
            exec: exec(number),
            auto_free: false,
        })
    }

    /// `graph.replay()` at the current frames, on the default stream.
    pub(crate) fn replay(&mut self, number: u64) -> &mut Program {
        self.replay_on(LEGACY, number)
    }

    /// The same on another stream.
    pub(crate) fn replay_on(&mut self, stream: Stream, number: u64) -> &mut Program {
        self.within(&["torch/cuda/graphs.py:140 CUDAGraph.replay"], |it| {
            it.call(Call::GraphLaunch {
                exec: exec(number),
                stream,
            });
        });
        assert!(self.last.is_success(), "the graph is launched");
        self
    }

    /// In a capture: `name(argument)` with its result in a new block.
    pub(crate) fn captured(&mut self, name: &str, argument: u64, result: u64) -> &mut Program {
        self.make(name, ORIGIN, &[tensor(argument)], result)
    }

    /// Outside of any capture, the same.
    pub(crate) fn eager(&mut self, name: &str, argument: u64, result: u64) -> &mut Program {
        self.make(name, LEGACY, &[tensor(argument)], result)
    }
}

fn graph(number: u64) -> GraphId {
    GraphId(0x900 + number)
}

/// The executable graph of a number.
pub(crate) fn exec(number: u64) -> ExecId {
    ExecId(0xa00 + number)
}
