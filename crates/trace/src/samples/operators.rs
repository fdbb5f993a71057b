//! Operators with every kind of argument, and blocks.

use cgsan_model::ExecId;

use crate::{
    AddressChange, AddressRecord, Argument, BlockRecord, Counted, FieldRecord, FrameId,
    OperatorRecord, Record, StringId, TensorRecord,
};

/// A record of each kind.
pub(crate) fn records() -> Vec<Record> {
    let block = BlockRecord {
        address: 0x7f00_0000_0200,
        bytes: 512,
        stack: Some(FrameId(1)),
    };
    let operator = OperatorRecord {
        name: StringId(2),
        arguments: arguments(),
        stack: Some(FrameId(300)),
    };
    vec![
        Record::OperatorBegin(operator.clone()),
        Record::OperatorEnd {
            results: arguments(),
        },
        Record::Operator {
            operator,
            results: vec![Argument::Absent],
        },
        Record::BlockAllocated(block),
        Record::BlockFreed(block),
        Record::Addresses(AddressRecord {
            what: AddressChange::Mapped,
            start: 4096,
            bytes: 2 << 20,
            stack: Some(FrameId(1)),
        }),
        Record::Addresses(AddressRecord {
            what: AddressChange::Unmapped,
            start: 4096,
            bytes: 2 << 20,
            stack: None,
        }),
        Record::Addresses(AddressRecord {
            what: AddressChange::Shared,
            start: 4096,
            bytes: 0,
            stack: None,
        }),
        Record::Counted(Counted {
            calls: 1000,
            blocks: 20,
            replays: vec![(ExecId(7), 300), (ExecId(8), 1)],
        }),
    ]
}

/// Every kind of argument.
pub(crate) fn arguments() -> Vec<Argument> {
    let record = TensorRecord {
        address: 0x7f00_0000_0200,
        bytes: 512,
        offset: 3,
        on_gpu: true,
        dtype: 6,
        sizes: vec![2, 300],
    };
    let tensor = Argument::Tensor(record.clone());
    vec![
        Argument::Absent,
        Argument::Bool(true),
        Argument::Integer(-3),
        Argument::Float(0.5),
        tensor.clone(),
        Argument::List(vec![tensor, Argument::Integer(i64::MIN)]),
        Argument::Other,
        Argument::Object(0x5500_0000_0100),
        Argument::Changed(record.clone()),
        Argument::Used(record),
        Argument::Field(FieldRecord {
            offset: 16,
            is_float: true,
            bits: 0.5_f64.to_bits(),
        }),
    ]
}
