//! cuDNN's graph interface: descriptors with attributes, one engine for any graph, and plans that launch a kernel.

mod attribute;
mod descriptor;
mod name;

use std::ffi::c_int;

use super::{BAD_PARAM, CUDNN};
use crate::ffi::{InOut, Out, Untyped};
use crate::gpu;
use crate::libraries::export::export;
use crate::libraries::handle;
use crate::libraries::object::Objects;
use attribute::Elements;
use descriptor::Descriptor;

static DESCRIPTORS: Objects<Descriptor> = Objects::new();

export! { CUDNN;
    fn cudnnBackendCreateDescriptor(kind: c_int, out: Out<usize>) {
        out.put_if_wanted(DESCRIPTORS.add(Descriptor::new(kind)));
        Ok(())
    }

    fn cudnnBackendDestroyDescriptor(descriptor: usize) {
        DESCRIPTORS.remove(descriptor);
        Ok(())
    }

    fn cudnnBackendInitialize, cudnnBackendFinalize(descriptor: usize) {
        DESCRIPTORS.with(descriptor, |_| ()).ok_or(BAD_PARAM)
    }

    fn cudnnBackendSetAttribute(
        descriptor: usize, name: c_int, kind: c_int, count: i64, elements: Untyped,
    ) {
        let value = attribute::read(kind, count, elements, |descriptor| DESCRIPTORS.get(descriptor))?;
        DESCRIPTORS.with(descriptor, |known| known.set(name, value)).ok_or(BAD_PARAM)
    }

    fn cudnnBackendGetAttribute(
        descriptor: usize, name: c_int, kind: c_int, room: i64, count: InOut<i64>, elements: Untyped,
    ) {
        let known = DESCRIPTORS.get(descriptor).ok_or(BAD_PARAM)?;
        let value = known.get(name).ok_or(super::NOT_SUPPORTED)?;
        count.set(value.count());
        let to = Elements { kind, room, start: elements };
        value.write(to, |descriptor, value| {
            DESCRIPTORS.with(descriptor, |known| *known = value.clone());
        });
        Ok(())
    }

    fn cudnnBackendExecute(handle: usize, plan: usize, _variant_pack: usize) {
        let plan = DESCRIPTORS.get(plan).ok_or(BAD_PARAM)?;
        let stream = handle::stream(&CUDNN, handle)?;
        CUDNN.launched(gpu::launch(stream, plan.kernel()))
    }
}
