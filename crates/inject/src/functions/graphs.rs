//! Graphs.
#![expect(unsafe_code, reason = "reads the parameters that CUPTI describes")]

use cgsan_model::{Call, ExecId, GraphId};

use super::shape::{
    ExecUpdate, GraphLaunch, Instantiate, InstantiateWithLog, InstantiateWithParameters, NewGraph,
    OfGraph,
};
use super::{Function, Site, functions};
use crate::foreign::Pointer;

pub(super) const FUNCTIONS: &[Function] = functions! {
    Always 501 cuGraphCreate(site, p: NewGraph) => Call::GraphCreate { graph: GraphId(site.returned(p.out)) };
    Always 517 cuGraphDestroy(_, p: OfGraph) => Call::GraphDestroy { graph: GraphId(p.graph) };
    Always 643 cuGraphInstantiateWithFlags(site, p: Instantiate) => instantiate(site, p.out, p.graph, p.flags);
    Always 513 cuGraphInstantiate(site, p: InstantiateWithLog) => instantiate(site, p.out, p.graph, 0);
    Always 578 cuGraphInstantiate_v2(site, p: InstantiateWithLog) => instantiate(site, p.out, p.graph, 0);
    Always 656/657 cuGraphInstantiateWithParams(site, p: InstantiateWithParameters) => {
        // The structure begins with the flags.
        instantiate(site, p.out, p.graph, site.passed(p.parameters).unwrap_or(0))
    };
    Always 516 cuGraphExecDestroy(_, p: OfGraph) => Call::GraphExecDestroy { exec: ExecId(p.graph) };
    Always 561 cuGraphExecUpdate(_, p: ExecUpdate) => update(p);
    Always 696 cuGraphExecUpdate_v2(_, p: ExecUpdate) => update(p);
    AtFirst 514/515 cuGraphLaunch(site, p: GraphLaunch) => Call::GraphLaunch {
        exec: ExecId(p.exec),
        stream: site.stream(p.stream),
    };
    Capturing 580/581 cuGraphUpload(site, p: GraphLaunch) => Call::GraphUpload {
        exec: ExecId(p.exec),
        stream: site.stream(p.stream),
    };
};

/// `CUDA_GRAPH_INSTANTIATE_FLAG_AUTO_FREE_ON_LAUNCH`.
const AUTO_FREE: u64 = 1;

fn instantiate(site: &Site, out: Pointer<u64>, graph: u64, flags: u64) -> Call {
    instantiation(graph, site.returned(out), flags)
}

/// A graph was instantiated, with these flags.
pub fn instantiation(graph: u64, exec: u64, flags: u64) -> Call {
    Call::GraphInstantiate {
        graph: GraphId(graph),
        exec: ExecId(exec),
        auto_free: flags & AUTO_FREE != 0,
    }
}

fn update(p: &ExecUpdate) -> Call {
    Call::GraphExecUpdate {
        exec: ExecId(p.exec),
        graph: GraphId(p.graph),
    }
}
