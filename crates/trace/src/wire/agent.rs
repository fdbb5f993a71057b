//! What the agent in the Python interpreter reports.

use super::{fields, tagged};
use crate::{
    AgentEvent, AutogradNode, CodeLine, DeviceMemory, GradientBuffer, HeldGraph, HostChange,
    KeptOutput, MemoryMoment, OfParameter, OptimizerChange, PoolMemory, Rank, Rebound, Segment,
    SkippedHook, SplitAround, StackFrame, StaticGradient, StorageKind, StorageName, TwinArguments,
    TwinCause, TwinDifference, TwinKind, TwinOperator, TwinUse, Uses, Verified, VerifiedGraph,
};

tagged! { growing AgentEvent {
    1 = Exception { type_name, message, traceback, uncaught };
    2 = Autograd { nodes };
    3 = Rank(rank);
    4 = CaptureBegins { mode, thread };
    5 = GraphCaptured { graph, pool, names };
    6 = InputsRebound { graph, replay, names, uses, parameters };
    7 = OutputsKept { graph, replay, containers, gradients, growing, added };
    8 = HooksSkipped { graph, replay, hooks };
    9 = HostState { graph, replay, changes, lines };
    10 = Gradients { graph, replay, gradients, tensors };
    11 = Compiled { skipped, message, stack };
    12 = NotComputed { operator, reason, stack, stays };
    13 = Verification { callables, others, stack, graphs };
    14 = GroupCreated { group, name, address, rank, size };
    15 = GroupDestroyed { group, exiting, graphs };
    16 = GroupsLeft { groups, graphs };
    17 = PartBegins { name };
    18 = PartsTold;
    19 = RecordedAgain { reason, stack };
    20 = Memory { moment, devices, pools, segments, gone, pending, settings, only };
    21 = Cell { file, number, code };
    22 = DeviceFailed { operator, reason, stack, code };
    23 = OptimizerChanged { graph, replay, changes };
    24 = GradientBuffers { graph, buffers };
    25 = TwinCompared { graph, replay, operators, differences, stopped, draws, moved, cause, fixed, still_read, set_by, arguments, constants };
    26 = TwinsLeftOut { graphs };
    27 = OutputOverwritten { output, address, made, stack, again };
    28 = OverwrittenRead { output };
    29 = HostMessage { call, stack };
    30 = EndingTimer;
    31 = HostSourcesChanged { graph, replay, sources };
    32 = Partitioned { function, file, line, graphs, operators };
    33 = BackwardOfEarlier { graph, replay, forward };
    34 = LeftCompared { graph, replay, differs };
} }

tagged! { enum MemoryMoment {
    0 = BeforeCapture;
    1 = CaptureEnds;
    2 = Replay;
    3 = ProgramEnds;
} }

fields! { DeviceMemory { device, allocated, active, reserved, reserved_peak, split, ooms } }

fields! { PoolMemory { device, pool, segments, reserved, allocated, pending, split, largest } }

fields! { Segment { device, address, bytes, pool, stream } }

tagged! { enum StorageKind {
    0 = Input;
    1 = Output;
    2 = Host;
} }

fields! { HeldGraph { graph, name, outlives, file, line } }

fields! { StorageName { name, address, kind } }

fields! { Rebound { name, kind, old, new, same_tensor, same_shape, same_dtype, function, file, line, still_held_by } }

fields! { OfParameter { then, now } }

fields! { Uses { rebound, still_held } }

fields! { KeptOutput { name, type_name, entries, address } }

fields! { GradientBuffer { gradient, parameter } }

fields! { OptimizerChange { name, key, captured, now, parameters } }

fields! { TwinDifference { kind, then, now, captured, eager, address, address_now, name, used, view, asked } }

fields! { TwinOperator { operator, stack } }

fields! { TwinArguments { file, function, numbers, truths, tensors, sizes } }

tagged! { enum TwinKind {
    0 = Operators;
    1 = Number;
    2 = Offset;
    3 = Size;
    4 = Covered;
    5 = Tensor;
    6 = MadeOnce;
    7 = MadeNow;
    8 = Contents;
    9 = Field;
} }

tagged! { enum TwinUse {
    0 = Unseen;
    1 = Read;
    2 = Overwritten;
    3 = Changed;
} }

tagged! { enum TwinCause {
    0 = Mode { name, captured, eager };
    1 = Hook { added, kind, hook, registered };
    2 = Learns { parameter, others };
} }

fields! { SkippedHook { module, kind, hook, file, line } }
fields! { SplitAround { operator, reason, file, line, function } }

fields! { HostChange { name, before, after, is_length, moved, file, line } }

fields! { CodeLine { file, line, first, last, sets_up } }

fields! { StaticGradient { name, address, of_graph } }

fields! { Verified { name, calls, differs, message, stack } }

fields! { VerifiedGraph { graph, replays, reason, stack } }

fields! { StackFrame { file, function, line } }

fields! { AutogradNode { name, sequence, variable } }

fields! { Rank { rank, local_rank, world_size } }
