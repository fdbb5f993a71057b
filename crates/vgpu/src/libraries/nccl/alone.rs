//! Collectives among one rank: each moves its input to its output.
//!
//! What is enqueued was measured on an H100 with NCCL 2.28: a copy where the buffers differ, nothing where they are the
//! same, a kernel where the operation scales its input.

use super::data::Reduction;
use super::operation::{Collective, Kind, Operator};
use super::{INVALID_USAGE, cuda, last_error};
use crate::gpu::{self, StreamHandle};
use crate::libraries::export::Status;
use crate::memory::backing::pointer;

/// Enqueues the collectives of a group.
pub fn enqueue(stream: StreamHandle, collectives: &[Collective]) -> Result<(), Status> {
    let is_send = |collective: &&Collective| matches!(collective.kind, Kind::Send { .. });
    let is_receive = |collective: &&Collective| matches!(collective.kind, Kind::Receive { .. });
    let mut sends = collectives.iter().filter(is_send);
    for collective in collectives {
        match &collective.kind {
            Kind::Send { .. } => {}
            Kind::Receive { .. } => {
                let send = sends.next().ok_or_else(unmatched)?;
                let count = send.count.min(collective.count);
                copy(
                    stream,
                    &Collective {
                        count,
                        from: send.from,
                        ..collective.clone()
                    },
                )?;
            }
            kind if scales(kind, collective) => cuda(gpu::launch(stream, "nccl::oneRankReduce"))?,
            _ => copy(stream, collective)?,
        }
    }
    let receives = collectives.iter().filter(is_receive).count();
    if collectives.iter().filter(is_send).count() > receives {
        return Err(unmatched());
    }
    Ok(())
}

/// Copies the buffers, unless they are one.
fn copy(stream: StreamHandle, collective: &Collective) -> Result<(), Status> {
    let Collective { from, to, .. } = *collective;
    if from == to {
        return Ok(());
    }
    let bytes = collective.count * collective.data.size();
    cuda(gpu::copy(
        stream,
        pointer(to),
        pointer::<std::ffi::c_void>(from).cast_const(),
        bytes,
    ))
}

/// Whether a reduction multiplies its input: averages of floating-point numbers do, of integers do not.
fn scales(kind: &Kind, collective: &Collective) -> bool {
    match kind {
        Kind::AllReduce(operator)
        | Kind::Reduce { operator, .. }
        | Kind::ReduceScatter(operator) => match operator {
            Operator::Scaled(_) => true,
            Operator::Plain(reduction) => {
                *reduction == Reduction::Average && collective.data.is_float()
            }
        },
        _ => false,
    }
}

fn unmatched() -> Status {
    last_error::set(
        "a send or receive of a rank to itself needs its counterpart in the same group",
    );
    INVALID_USAGE
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::libraries::nccl::data::DataType;
    use crate::libraries::nccl::operation::Factor;

    #[test]
    fn averages_scale_floating_point_numbers_only() {
        let scales = |operator: Operator, data| {
            let kind = Kind::AllReduce(operator);
            let collective = Collective {
                kind: kind.clone(),
                data,
                count: 1,
                from: 0,
                to: 0,
            };
            scales(&kind, &collective)
        };
        let average = Operator::Plain(Reduction::Average);
        assert!(scales(average.clone(), DataType::Float32));
        assert!(!scales(average, DataType::Int32));
        assert!(!scales(Operator::Plain(Reduction::Sum), DataType::Float32));
        assert!(scales(Operator::Scaled(Factor::At(0)), DataType::Int32));
    }
}
