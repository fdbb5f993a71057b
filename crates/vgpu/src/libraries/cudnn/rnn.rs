//! Recurrent networks: the descriptor, and the questions about memory. What they run is declared in `api/cudnn.list`.

use std::ffi::{c_int, c_uint};

use super::rnn_weights::{Cell, Network};
use super::tensor::{self, Shape};
use super::{BAD_PARAM, CUDNN};
use crate::ffi::Out;
use crate::libraries::export::{Status, export};
use crate::libraries::object::Objects;

/// The bytes of temporary and of reserved memory that a pass asks for.
const TEMPORARY: usize = 4096;

static NETWORKS: Objects<Network> = Objects::new();

export! { CUDNN;
    fn cudnnCreateRNNDescriptor(out: Out<usize>) {
        out.put_if_wanted(NETWORKS.add(Network::default()));
        Ok(())
    }

    fn cudnnDestroyRNNDescriptor(descriptor: usize) {
        NETWORKS.remove(descriptor);
        Ok(())
    }

    fn cudnnSetRNNDescriptor_v8(
        descriptor: usize, _algorithm: c_int, cell: c_int, bias: c_int, direction: c_int, _input: c_int,
        data_type: c_int, _math_precision: c_int, _math_type: c_int, input_size: c_int,
        hidden_size: c_int, projection_size: c_int, layers: c_int, _dropout: usize, _flags: c_uint,
    ) {
        let size = |number: c_int| u64::try_from(number).map_err(|_| BAD_PARAM);
        let network = Network {
            data_type,
            cell: Cell::of_mode(cell).ok_or(BAD_PARAM)?,
            biases: bias != 0,
            directions: if direction == 0 { 1 } else { 2 },
            input: size(input_size)?,
            hidden: size(hidden_size)?,
            projection: size(projection_size)?,
            layers: size(layers)?,
        };
        NETWORKS.with(descriptor, |known| *known = network).ok_or(BAD_PARAM)
    }

    fn cudnnGetRNNWeightSpaceSize(_handle: usize, descriptor: usize, size: Out<u64>) {
        size.put_if_wanted(get(descriptor)?.bytes());
        Ok(())
    }

    fn cudnnGetRNNTempSpaceSizes(
        _handle: usize, descriptor: usize, training: c_int, _input: usize, temporary: Out<usize>,
        reserved: Out<usize>,
    ) {
        get(descriptor)?;
        temporary.put_if_wanted(TEMPORARY);
        reserved.put_if_wanted(if training == 0 { 0 } else { TEMPORARY });
        Ok(())
    }

    fn cudnnGetRNNWeightParams(
        _handle: usize, descriptor: usize, pseudo_layer: c_int, _bytes: usize, weights: u64,
        matrix: c_int, matrix_shape: usize, matrix_address: Out<u64>,
        bias_shape: usize, bias_address: Out<u64>,
    ) {
        let network = get(descriptor)?;
        let (Ok(layer), Ok(matrix)) = (u64::try_from(pseudo_layer), u64::try_from(matrix)) else {
            return Err(BAD_PARAM);
        };
        let place = network.matrix(layer, matrix).ok_or(BAD_PARAM)?;
        describe(&network, matrix_shape, place.rows, place.columns)?;
        matrix_address.put_if_wanted(weights + network.in_bytes(place.offset));
        match network.bias(layer, matrix) {
            Some(offset) => {
                describe(&network, bias_shape, network.hidden, 1)?;
                bias_address.put_if_wanted(weights + network.in_bytes(offset));
            }
            None => bias_address.put_if_wanted(0),
        }
        Ok(())
    }
}

fn get(descriptor: usize) -> Result<Network, Status> {
    NETWORKS.get(descriptor).ok_or(BAD_PARAM)
}

/// Sets the shape of a weight; no descriptor means that none is asked for.
fn describe(network: &Network, descriptor: usize, rows: u64, columns: u64) -> Result<(), Status> {
    if descriptor == 0 {
        return Ok(());
    }
    let size = |number: u64| c_int::try_from(number).map_err(|_| BAD_PARAM);
    let sizes = [1, size(rows)?, size(columns)?];
    tensor::set(descriptor, Shape::packed(network.data_type, 0, &sizes))
}
