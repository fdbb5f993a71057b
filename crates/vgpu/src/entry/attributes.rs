//! The attributes of streams, kernel nodes and launches.
#![expect(unsafe_code, reason = "reads what the API promises of its parameters")]

use std::ffi::{c_uint, c_void};

use cgsan_model::{Call, Code, NodeKind};

use super::device::{GREATEST_PRIORITY, LEAST_PRIORITY};
use super::stream;
use crate::ffi::{In, Out, Untyped, entry};
use crate::gpu::attributes::{self, Attribute, Attributes, Value};
use crate::gpu::{self, StreamHandle};
use crate::graph::Node;

entry! {
    /// Gives a stream an attribute.
    fn cudaStreamSetAttribute, cudaStreamSetAttribute_ptsz, cuStreamSetAttribute, cuStreamSetAttribute_ptsz(
        this, stream: StreamHandle, number: c_uint, value: In<u8>,
    ) {
        let (attribute, mut value) = given(number, value, Attribute::is_of_streams)?;
        if attribute == Attribute::Priority {
            let wanted = attributes::number_of(&value);
            value = attributes::of_number(wanted.clamp(GREATEST_PRIORITY, LEAST_PRIORITY));
        }
        stream::properties(this, stream)?;
        let stream = stream.resolve(this);
        // What a capture answers is not recorded; that of `cudaStreamCopyAttributes`, which sets them too, is.
        gpu::perform(this, &Call::StreamGetPriority { stream }, |gpu, _| {
            gpu.stream_attributes.entry(stream).or_default().set(attribute, value);
            Ok(())
        })
    }

    /// Writes an attribute of a stream.
    fn cudaStreamGetAttribute, cudaStreamGetAttribute_ptsz, cuStreamGetAttribute, cuStreamGetAttribute_ptsz(
        this, stream: StreamHandle, number: c_uint, out: Out<u8>,
    ) {
        let attribute = known(number, Attribute::is_of_streams)?;
        stream::properties(this, stream)?;
        let stream = stream.resolve(this);
        // As above.
        let value = gpu::perform(this, &Call::StreamGetPriority { stream }, |gpu, _| {
            Ok(gpu.attributes_of(stream).get(attribute))
        })?;
        put(out, attribute, value)
    }

    /// Gives a stream the attributes of another, of the same device.
    fn cudaStreamCopyAttributes, cudaStreamCopyAttributes_ptsz, cuStreamCopyAttributes, cuStreamCopyAttributes_ptsz(
        this, to: StreamHandle, from: StreamHandle,
    ) {
        let from_device = stream::properties(this, from)?.device;
        let (to, from) = (to.resolve(this), from.resolve(this));
        // A capture answers it as it does a question for the priority (`docs/captures.md`).
        gpu::perform(this, &Call::StreamGetPriority { stream: to }, |gpu, _| {
            if gpu.device_of(to) != from_device {
                return Err(Code::INVALID_VALUE);
            }
            let attributes = gpu.attributes_of(from);
            gpu.stream_attributes.insert(to, attributes);
            Ok(())
        })
    }

    /// Gives a kernel node an attribute.
    fn cudaGraphKernelNodeSetAttribute, cuGraphKernelNodeSetAttribute(
        _this, node: u64, number: c_uint, value: In<u8>,
    ) {
        let (attribute, value) = given(number, value, Attribute::is_of_nodes)?;
        if attribute == Attribute::DeviceUpdatable {
            return Err(Code::NOT_SUPPORTED);
        }
        change(node, |node| node.attributes.set(attribute, value))
    }

    /// Writes an attribute of a kernel node.
    fn cudaGraphKernelNodeGetAttribute, cuGraphKernelNodeGetAttribute(
        _this, node: u64, number: c_uint, out: Out<u8>,
    ) {
        let attribute = known(number, Attribute::is_of_nodes)?;
        put(out, attribute, of_node(node)?.get(attribute))
    }

    /// Gives a kernel node the attributes of another.
    fn cudaGraphKernelNodeCopyAttributes, cuGraphKernelNodeCopyAttributes(_this, to: u64, from: u64) {
        let attributes = of_node(from)?;
        change(to, |node| node.attributes = attributes)
    }
}

/// `cudaLaunchAttribute`, `CUlaunchAttribute`.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
struct LaunchAttribute {
    number: c_uint,
    padding: c_uint,
    value: [u8; 64],
}

crate::ffi::plain! {
    LaunchAttribute { number: c_uint, padding: c_uint, value: [u8; 64] }
}

/// More attributes than there are, each of which a launch has once.
const MOST: c_uint = 64;

/// The attributes that a launch is configured with. Those that are not known, as newer programs may have them, are left out.
pub(super) fn of_launch(list: *const c_void, count: c_uint) -> Result<Attributes, Code> {
    let mut attributes = Attributes::default();
    if count > MOST {
        return Err(Code::INVALID_VALUE);
    }
    // SAFETY: the configuration promises so many attributes there.
    let list = unsafe { Untyped::new(list.cast_mut()).input::<LaunchAttribute>() };
    for LaunchAttribute { number, value, .. } in list.list(count as usize)? {
        if let Some(attribute) = Attribute::of(number) {
            if !attribute.is_of_launches() {
                return Err(Code::INVALID_VALUE);
            }
            attributes.set(attribute, checked(attribute, &value)?);
        }
    }
    Ok(attributes)
}

fn known(number: c_uint, has_it: fn(Attribute) -> bool) -> Result<Attribute, Code> {
    let attribute = Attribute::of(number).filter(|attribute| has_it(*attribute));
    attribute.ok_or(Code::INVALID_VALUE)
}

/// The attribute with a number, and a value that it can have.
fn given(
    number: c_uint,
    value: In<u8>,
    has_it: fn(Attribute) -> bool,
) -> Result<(Attribute, Value), Code> {
    let attribute = known(number, has_it)?;
    // Programs for CUDA 11 give no more than the attribute needs.
    let bytes = value.list(attribute.size())?;
    Ok((attribute, checked(attribute, &bytes)?))
}

fn checked(attribute: Attribute, bytes: &[u8]) -> Result<Value, Code> {
    let mut value = Value::default();
    for (place, byte) in value.iter_mut().zip(&bytes[..attribute.size()]) {
        *place = *byte;
    }
    attribute.check(&value)?;
    Ok(value)
}

fn put(out: Out<u8>, attribute: Attribute, value: Value) -> Result<(), Code> {
    if out.is_null() {
        return Err(Code::INVALID_VALUE);
    }
    out.put_all(value, attribute.size());
    Ok(())
}

fn of_node(node: u64) -> Result<Attributes, Code> {
    let gpu = gpu::lock();
    let (graph, place) = gpu.graphs.node(node)?;
    let node = &gpu.graphs.graph(graph)?.nodes()[place];
    match node.kind {
        NodeKind::Kernel { .. } => Ok(node.attributes.clone()),
        _ => Err(Code::INVALID_VALUE),
    }
}

fn change(node: u64, how: impl FnOnce(&mut Node)) -> Result<(), Code> {
    let mut gpu = gpu::lock();
    let (graph, place) = gpu.graphs.node(node)?;
    gpu.forbid_while_captured(graph)?;
    let is_embedded = gpu.graphs.is_embedded(graph);
    let node = gpu.graphs.graph_mut(graph)?.node_mut(place)?;
    match node.kind {
        // What the node that has the graph does was fixed when it was made.
        NodeKind::Kernel { .. } if is_embedded => Err(Code::NOT_SUPPORTED),
        NodeKind::Kernel { .. } => {
            how(node);
            Ok(())
        }
        _ => Err(Code::INVALID_VALUE),
    }
}

#[cfg(test)]
mod tests {
    #[test]
    fn launch_attributes_are_laid_out_as_in_the_headers_of_cuda_12_and_13() {
        assert_eq!(size_of::<super::LaunchAttribute>(), 72);
    }
}
