//! Operators of PyTorch and blocks of its allocator.

use super::{fields, tagged};
use crate::{
    AddressChange, AddressRecord, Argument, BlockRecord, Counted, FieldRecord, OperatorRecord,
    TensorRecord,
};

tagged! { enum Argument {
    0 = Absent;
    1 = Bool(value);
    2 = Integer(value);
    3 = Float(value);
    4 = Tensor(tensor);
    5 = List(items);
    6 = Other;
    7 = Object(address);
    8 = Changed(tensor);
    9 = Used(tensor);
    10 = Field(field);
} }

fields! { TensorRecord { address, bytes, offset, on_gpu, dtype, sizes } }

fields! { FieldRecord { offset, is_float, bits } }

// The last in their records, so these three may grow.
fields! { OperatorRecord { name, arguments, stack } }

fields! { BlockRecord { address, bytes, stack } }

tagged! { enum AddressChange {
    0 = Mapped;
    1 = Unmapped;
    2 = Shared;
} }

fields! { AddressRecord { what, start, bytes, stack } }

fields! { Counted { calls, blocks, replays } }
