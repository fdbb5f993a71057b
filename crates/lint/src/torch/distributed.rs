//! `torch.distributed`.

use super::state::event::{Event, Wait};
use super::state::object::{Backend, Own};
use super::state::tensor::Device;
use super::{Interp, Kind, groups, host};
use crate::interp::Args;
use crate::interp::value::Value;
use crate::syntax::ast::TextRange;

/// Calls the function of `torch.distributed`.
pub(super) fn call<'p>(
    interp: &mut Interp<'p>,
    name: &str,
    args: &Args<'p>,
    range: TextRange,
) -> Value<'p> {
    match name {
        "all_reduce"
        | "all_gather"
        | "all_gather_into_tensor"
        | "reduce_scatter"
        | "reduce_scatter_tensor"
        | "broadcast"
        | "reduce"
        | "all_to_all"
        | "all_to_all_single"
        | "scatter"
        | "gather" => {
            groups::used(interp, args, range);
            groups::collective(interp, args, range);
            let values: Vec<_> = args.all().cloned().collect();
            let device = interp.device_of(&values);
            if device == Device::Host {
                message(interp, name, range);
            }
            interp.works(&values, device, true, range);
            let site = interp.at(range);
            interp.new_object(Kind::Library(Own::Work), site)
        }
        "send" | "recv" | "isend" | "irecv" => {
            let values: Vec<_> = args.all().cloned().collect();
            if interp.device_of(&values) == Device::Host {
                message(interp, name, range);
            }
            interp.call_unknown(args)
        }
        "all_gather_object"
        | "broadcast_object_list"
        | "gather_object"
        | "recv_object_list"
        | "scatter_object_list"
        | "send_object_list" => {
            if groups::backend_of(interp, args) == Backend::Host {
                message(interp, name, range);
            }
            interp.call_unknown(args)
        }
        "init_process_group" => {
            groups::begins(interp, args);
            Value::None
        }
        "is_initialized" => Value::Bool(interp.library.groups.life.is_there()),
        "new_group" => {
            let group = groups::new_group(interp, args);
            let site = interp.at(range);
            interp.new_object(Kind::Library(Own::ProcessGroup(group)), site)
        }
        "barrier" => {
            if groups::backend_of(interp, args) != Backend::Host {
                groups::used(interp, args, range);
                host::waited(interp, Wait::Check("`barrier()`"), range);
            }
            Value::None
        }
        "HashStore" | "FileStore" | "TCPStore" | "PrefixStore" => Value::Unknown,
        "get_rank" | "get_world_size" => Value::number(),
        "is_available" | "is_nccl_available" => Value::Bool(Some(true)),
        "destroy_process_group" => {
            groups::destroyed(interp, args, range);
            Value::None
        }
        _ => interp.call_unknown(args),
    }
}

/// Ranks exchange a message of the host.
fn message(interp: &mut Interp<'_>, name: &str, range: TextRange) {
    let what = format!("`{name}` of tensors or objects of the host");
    interp.emit(Event::Message { what: &what, range });
}
