//! The records. A new record is a new line in the first table, with the next tag.

use super::{fields, tagged};
use crate::{CallRecord, Entry, NativeFrame, ProcessInfo, Record};

tagged! { enum Record {
    1 = Process(process);
    2 = String { id, text };
    3 = Code { id, file, function, first_line };
    4 = Frame { id, parent, code, line };
    5 = NativeStack { id, frames };
    6 = Function { id, name };
    7 = ThreadName { name };
    8 = Call(call);
    9 = Agent { event, stack };
    10 = UnreadableAgentEvent;
    11 = Exception { type_name, message, stack };
    12 = Missing { function, stack };
    13 = ComputedValueRead { stack };
    14 = Fork { child };
    15 = End;
    16 = Note { text };
    17 = NativeName { module, address, name };
    18 = Contradiction { calls };
    19 = Watched { on };
    20 = OperatorBegin(operator);
    21 = OperatorEnd { results };
    22 = Operator { results, operator };
    23 = BlockAllocated(block);
    24 = BlockFreed(block);
    25 = Counted(counted);
    26 = Ordered { on };
    30 = Tried { looks };
    31 = ExecutableMemory { exec, before, after };
    32 = KernelNotComputed { function, stack };
    33 = Addresses(change);
    34 = Summarized { entries, summary };
} }

// The time and the thread come first, so that they are known of a record of any tag.
fields! { Entry { time_ns, thread, record } }

fields! { ProcessInfo {
    pid, arguments, directory, started, python, torch, device, virtual_gpu, rank,
    host, started_ns, run, job,
} }

fields! { CallRecord {
    function, runtime, library, call, result, stack, native, autograd_sequence,
} }

fields! { NativeFrame { module, address } }
