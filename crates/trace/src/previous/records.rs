//! The records of format 1.

use super::{Old, old_fields, unchanged, variant};
use crate::wire::{Input, Unread};
use crate::{
    CallRecord, CodeId, Entry, FrameId, NativeFrame, NativeStackId, ProcessInfo, Record, StringId,
};

/// The record of a payload, which must hold nothing else.
pub(crate) fn entry(payload: &[u8]) -> Result<Entry, Unread> {
    let mut input = Input::new(payload);
    let entry = Entry::read(&mut input)?;
    if input.is_empty() {
        Ok(entry)
    } else {
        Err(Unread::Damaged)
    }
}

/// The place of `Record::Agent`, whose event was JSON.
const AGENT: u32 = 8;

impl Old for Record {
    fn read(input: &mut Input<'_>) -> Result<Self, Unread> {
        let number = u32::read(input)?;
        if number == AGENT {
            let json = String::read(input)?;
            let stack = Old::read(input)?;
            return Ok(match serde_json::from_str(&json) {
                Ok(event) => Record::Agent { event, stack },
                Err(_) => Record::UnreadableAgentEvent,
            });
        }
        Ok(variant!(number, input, Record {
            0 = Process(process);
            1 = String { id, text };
            2 = Code { id, file, function, first_line };
            3 = Frame { id, parent, code, line };
            4 = NativeStack { id, frames };
            5 = Function { id, name };
            6 = ThreadName { name };
            7 = Call(call);
            9 = Exception { type_name, message, stack };
            10 = Missing { function, stack };
            11 = ComputedValueRead { stack };
            12 = Fork { child };
            13 = End;
            14 = Note { text };
            15 = NativeName { module, address, name };
            16 = Contradiction { calls };
            17 = Watched { on };
        }))
    }
}

old_fields! { Entry { time_ns, thread, record } }

old_fields! { ProcessInfo {
    pid, arguments, directory, started, python, torch, device, virtual_gpu, rank,
} without { host, started_ns, run, job } }

old_fields! { CallRecord {
    function, runtime, library, call, result, stack, native, autograd_sequence,
} }

old_fields! { NativeFrame { module, address } }

unchanged!(CodeId, FrameId, NativeStackId, StringId);
