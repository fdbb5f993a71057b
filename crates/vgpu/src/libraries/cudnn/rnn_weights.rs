//! Where the weights of a recurrent network lie: the matrices of each pseudo-layer (a layer in one direction), first those
//! for the input, then those for the state, then a projection; after all matrices the biases, in the same order.

use std::ffi::c_int;

/// What a network is made of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Cell {
    /// One gate (`CUDNN_RNN_RELU`, `CUDNN_RNN_TANH`).
    #[default]
    Simple,
    /// Four gates (`CUDNN_LSTM`).
    Lstm,
    /// Three gates (`CUDNN_GRU`).
    Gru,
}

impl Cell {
    /// The cell of a `cudnnRNNMode_t`.
    pub fn of_mode(mode: c_int) -> Option<Cell> {
        match mode {
            0 | 1 => Some(Cell::Simple),
            2 => Some(Cell::Lstm),
            3 => Some(Cell::Gru),
            _ => None,
        }
    }

    fn gates(self) -> u64 {
        match self {
            Cell::Simple => 1,
            Cell::Lstm => 4,
            Cell::Gru => 3,
        }
    }
}

/// A recurrent network; sizes in elements.
#[derive(Clone, Copy, Debug, Default)]
pub struct Network {
    /// `cudnnDataType_t`.
    pub data_type: c_int,
    /// Its cells.
    pub cell: Cell,
    /// Whether it has biases.
    pub biases: bool,
    /// 1, or 2 if it goes both ways.
    pub directions: u64,
    /// The size of an input.
    pub input: u64,
    /// The size of the state.
    pub hidden: u64,
    /// The size to which an output is projected; 0 or the size of the state for none.
    pub projection: u64,
    /// How many layers it has.
    pub layers: u64,
}

/// A matrix among the weights, in elements.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Matrix {
    /// Where it begins.
    pub offset: u64,
    /// Its rows.
    pub rows: u64,
    /// Its columns.
    pub columns: u64,
}

impl Network {
    /// The bytes of all weights.
    pub fn bytes(&self) -> u64 {
        let biases = if self.biases {
            self.pseudo_layers() * self.biases_of_a_layer()
        } else {
            0
        };
        self.in_bytes(self.all_matrices() + biases)
    }

    /// So many elements, in bytes.
    pub fn in_bytes(&self, elements: u64) -> u64 {
        let element = match self.data_type {
            1 => 8,
            2 | 9 => 2,
            _ => 4,
        };
        elements * element
    }

    /// A matrix of a pseudo-layer: one a gate for the input, one a gate for the state, and the projection.
    pub fn matrix(&self, layer: u64, number: u64) -> Option<Matrix> {
        if layer >= self.pseudo_layers() {
            return None;
        }
        let gates = self.cell.gates();
        let start: u64 = (0..layer).map(|layer| self.matrices_of(layer)).sum();
        let (input, output) = (self.input_of(layer), self.output());
        let of_inputs = gates * self.hidden * input;
        let of_states = gates * self.hidden * output;
        if number < gates {
            return Some(Matrix {
                offset: start + number * self.hidden * input,
                rows: self.hidden,
                columns: input,
            });
        }
        if number < 2 * gates {
            return Some(Matrix {
                offset: start + of_inputs + (number - gates) * self.hidden * output,
                rows: self.hidden,
                columns: output,
            });
        }
        (number == 2 * gates && self.is_projected()).then_some(Matrix {
            offset: start + of_inputs + of_states,
            rows: output,
            columns: self.hidden,
        })
    }

    /// Where the bias of a matrix begins, in elements, if it has one.
    pub fn bias(&self, layer: u64, number: u64) -> Option<u64> {
        let has_one = self.biases && layer < self.pseudo_layers() && number < 2 * self.cell.gates();
        has_one
            .then(|| self.all_matrices() + layer * self.biases_of_a_layer() + number * self.hidden)
    }

    fn pseudo_layers(&self) -> u64 {
        self.layers * self.directions
    }

    fn is_projected(&self) -> bool {
        self.projection != 0 && self.projection != self.hidden
    }

    /// The size of what a pseudo-layer hands on.
    fn output(&self) -> u64 {
        if self.is_projected() {
            self.projection
        } else {
            self.hidden
        }
    }

    fn input_of(&self, layer: u64) -> u64 {
        if layer < self.directions {
            self.input
        } else {
            self.output() * self.directions
        }
    }

    fn matrices_of(&self, layer: u64) -> u64 {
        let projection = if self.is_projected() {
            self.output() * self.hidden
        } else {
            0
        };
        let columns = self.input_of(layer) + self.output();
        self.cell.gates() * self.hidden * columns + projection
    }

    fn all_matrices(&self) -> u64 {
        (0..self.pseudo_layers())
            .map(|layer| self.matrices_of(layer))
            .sum()
    }

    fn biases_of_a_layer(&self) -> u64 {
        2 * self.cell.gates() * self.hidden
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lstm() -> Network {
        Network {
            data_type: 0,
            cell: Cell::Lstm,
            biases: true,
            directions: 2,
            input: 3,
            hidden: 5,
            projection: 0,
            layers: 2,
        }
    }

    #[test]
    fn the_size_is_that_of_pytorchs_parameters() {
        let one_way = 4 * 5 * 3 + 4 * 5 * 5 + 2 * 4 * 5;
        let second = 4 * 5 * 10 + 4 * 5 * 5 + 2 * 4 * 5;
        assert_eq!(lstm().bytes(), 4 * 2 * (one_way + second));
    }

    #[test]
    fn matrices_follow_each_other_without_gaps() {
        let network = lstm();
        let mut next = 0;
        for layer in 0..4 {
            for number in 0..8 {
                let matrix = network
                    .matrix(layer, number)
                    .expect("the layer has eight matrices");
                assert_eq!(matrix.offset, next);
                next += matrix.rows * matrix.columns;
            }
            assert_eq!(network.matrix(layer, 8), None);
        }
        assert_eq!(network.bias(0, 0), Some(next));
        assert_eq!(network.bias(3, 7), Some(next + 4 * 8 * 5 - 5));
        assert_eq!(network.matrix(4, 0), None);
    }

    #[test]
    fn a_projection_narrows_what_is_handed_on() {
        let network = Network {
            projection: 2,
            directions: 1,
            ..lstm()
        };
        let projection = network.matrix(0, 8).expect("the network is projected");
        assert_eq!((projection.rows, projection.columns), (2, 5));
        assert_eq!(network.matrix(1, 0).map(|matrix| matrix.columns), Some(2));
    }
}
