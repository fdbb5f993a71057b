//! Memory, and the other calls that a capture may forbid.

use cgsan_model::{Call, NodeKind, Restricted};

use super::shape::{AllocAsync, AllocFromPoolAsync, FreeAsync, Nothing, Prefetch, PrefetchTo};
use super::{Function, functions};

pub(super) const FUNCTIONS: &[Function] = functions! {
    Capturing 243 cuMemAlloc_v2(_, _: Nothing) => Call::Restricted(Restricted::Malloc);
    Capturing 244 cuMemAllocPitch_v2(_, _: Nothing) => Call::Restricted(Restricted::Malloc);
    Capturing 371 cuMemAllocManaged(_, _: Nothing) => Call::Restricted(Restricted::MallocManaged);
    Capturing 245 cuMemFree_v2(_, _: Nothing) => Call::Restricted(Restricted::Free);
    Capturing 294 cuMemAllocHost_v2(_, _: Nothing) => Call::Restricted(Restricted::HostAlloc);
    Capturing 39 cuMemHostAlloc(_, _: Nothing) => Call::Restricted(Restricted::HostAlloc);
    Capturing 271 cuMemHostAlloc_v2(_, _: Nothing) => Call::Restricted(Restricted::HostAlloc);
    Capturing 38 cuMemFreeHost(_, _: Nothing) => Call::Restricted(Restricted::HostFree);
    Capturing 301 cuMemHostRegister(_, _: Nothing) => Call::Restricted(Restricted::HostRegister);
    Capturing 379 cuMemHostRegister_v2(_, _: Nothing) => Call::Restricted(Restricted::HostRegister);
    Capturing 302 cuMemHostUnregister(_, _: Nothing) => Call::Restricted(Restricted::HostUnregister);
    Capturing 602 cuMemPoolTrimTo(_, _: Nothing) => Call::Restricted(Restricted::MemPoolTrim);
    Capturing 21 cuModuleUnload(_, _: Nothing) => Call::Restricted(Restricted::ModuleUnload);
    Capturing 680 cuLibraryUnload(_, _: Nothing) => Call::Restricted(Restricted::ModuleUnload);
    Capturing 136 cuCtxSetLimit(_, _: Nothing) => Call::Restricted(Restricted::SetLimit);
    Capturing 308 cuProfilerStart(_, _: Nothing) => Call::Restricted(Restricted::Profiler);
    Capturing 309 cuProfilerStop(_, _: Nothing) => Call::Restricted(Restricted::Profiler);
    Capturing 313 cuCtxEnablePeerAccess(_, _: Nothing) => Call::Restricted(Restricted::Other);
    Capturing 17 cuCtxSynchronize(site, _: Nothing) => Call::DeviceSynchronize { device: site.device() };
    Capturing 800 cuCtxSynchronize_v2(site, _: Nothing) => Call::DeviceSynchronize { device: site.device() };

    Capturing 598/599 cuMemAllocAsync(site, p: AllocAsync) => Call::Work {
        stream: site.stream(p.stream),
        node: NodeKind::MemAlloc { address: site.returned(p.out), bytes: p.bytes },
    };
    Capturing 611/612 cuMemAllocFromPoolAsync(site, p: AllocFromPoolAsync) => Call::Work {
        stream: site.stream(p.stream),
        node: NodeKind::MemAlloc { address: site.returned(p.out), bytes: p.bytes },
    };
    Capturing 600/601 cuMemFreeAsync(site, p: FreeAsync) => Call::Work {
        stream: site.stream(p.stream),
        node: NodeKind::MemFree { address: p.address },
    };
    Capturing 467/468 cuMemPrefetchAsync(site, p: Prefetch) => Call::Prefetch { stream: site.stream(p.stream) };
    Capturing 716/717 cuMemPrefetchAsync_v2(site, p: PrefetchTo) => Call::Prefetch { stream: site.stream(p.stream) };
};
