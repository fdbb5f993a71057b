//! What the agent in the Python interpreter reports.

use super::{fields, tagged};
use crate::{AgentEvent, AutogradNode, Rank, StackFrame};

tagged! { growing AgentEvent {
    1 = Exception { type_name, message, traceback, uncaught };
    2 = Autograd { nodes };
    3 = Rank(rank);
    4 = CaptureBegins { mode, thread };
} }

fields! { StackFrame { file, function, line } }

fields! { AutogradNode { name, sequence, variable } }

fields! { Rank { rank, local_rank, world_size } }
