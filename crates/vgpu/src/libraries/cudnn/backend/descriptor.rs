//! Descriptors: a kind, the attributes that were set, and the answers that cuDNN adds to them.

use std::collections::BTreeMap;
use std::ffi::c_int;

use super::attribute::Value;
use super::name::{attribute, kind};

/// A descriptor.
#[derive(Clone, Debug)]
pub struct Descriptor {
    kind: c_int,
    attributes: BTreeMap<c_int, Value>,
}

impl Descriptor {
    /// An empty descriptor of a `cudnnBackendDescriptorType_t`.
    pub fn new(kind: c_int) -> Descriptor {
        Descriptor {
            kind,
            attributes: BTreeMap::new(),
        }
    }

    /// Sets an attribute.
    pub fn set(&mut self, name: c_int, value: Value) {
        self.attributes.insert(name, value);
    }

    /// An attribute: as it was set, or what cuDNN knows.
    ///
    /// Any graph has one engine, without knobs, notes and workspace.
    pub fn get(&self, name: c_int) -> Option<Value> {
        if let Some(value) = self.attributes.get(&name) {
            return Some(value.clone());
        }
        match name {
            attribute::HEURISTIC_RESULTS => self.best_engine().map(Value::descriptor),
            attribute::ENGINE_INDEX
            | attribute::PLAN_WORKSPACE_SIZE
            | attribute::ENGINE_CONFIG_WORKSPACE_SIZE
            | attribute::ENGINE_CONFIG_SHARED_MEMORY_USED => Some(Value::number(0)),
            attribute::GRAPH_ENGINE_COUNT => Some(Value::number(1)),
            attribute::ENGINE_CONFIG_KNOB_CHOICES
            | attribute::ENGINE_KNOB_INFO
            | attribute::ENGINE_NUMERICAL_NOTE
            | attribute::ENGINE_LAYOUT_INFO
            | attribute::ENGINE_BEHAVIOR_NOTE => Some(Value::nothing()),
            attribute::PLAN_JSON => Some(Value::text("{}")),
            _ => None,
        }
    }

    /// The name of the kernel that a plan launches: what the most telling operation of its graph does.
    pub fn kernel(&self) -> &'static str {
        const NAMES: [(c_int, &str); 6] = [
            (kind::CONVOLUTION_FORWARD, "cudnn::convolution_forward"),
            (
                kind::CONVOLUTION_BACKWARD_DATA,
                "cudnn::convolution_backward_data",
            ),
            (
                kind::CONVOLUTION_BACKWARD_FILTER,
                "cudnn::convolution_backward_filter",
            ),
            (kind::NORM_FORWARD, "cudnn::norm_forward"),
            (kind::NORM_BACKWARD, "cudnn::norm_backward"),
            (kind::MATMUL, "cudnn::scaled_dot_product_attention"),
        ];
        let operations = self.operations();
        NAMES
            .iter()
            .find(|(kind, _)| operations.contains(kind))
            .map_or("cudnn::graph", |(_, name)| name)
    }

    /// The engine that a heuristic proposes for its graph.
    fn best_engine(&self) -> Option<Descriptor> {
        let graph = self.attributes.get(&attribute::HEURISTIC_OPERATION_GRAPH)?;
        let mut engine = Descriptor::new(kind::ENGINE);
        engine.set(attribute::ENGINE_OPERATION_GRAPH, graph.clone());
        let mut config = Descriptor::new(kind::ENGINE_CONFIG);
        config.set(attribute::ENGINE_CONFIG_ENGINE, Value::descriptor(engine));
        Some(config)
    }

    /// The kinds of the operations in a plan's graph.
    fn operations(&self) -> Vec<c_int> {
        let operations = self
            .inner(attribute::PLAN_ENGINE_CONFIG)
            .and_then(|config| config.inner(attribute::ENGINE_CONFIG_ENGINE))
            .and_then(|engine| engine.inner(attribute::ENGINE_OPERATION_GRAPH))
            .and_then(|graph| graph.attributes.get(&attribute::GRAPH_OPERATIONS));
        match operations {
            Some(Value::Descriptors(operations)) => {
                operations.iter().map(|operation| operation.kind).collect()
            }
            _ => Vec::new(),
        }
    }

    fn inner(&self, name: c_int) -> Option<&Descriptor> {
        self.attributes.get(&name)?.first_descriptor()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `CUDNN_BACKEND_OPERATIONGRAPH_DESCRIPTOR`, `_ENGINEHEUR_`, `_EXECUTION_PLAN_`.
    const GRAPH: c_int = 15;
    const HEURISTIC: c_int = 4;
    const PLAN: c_int = 5;

    fn heuristic(operation: c_int) -> Descriptor {
        let mut graph = Descriptor::new(GRAPH);
        graph.set(
            attribute::GRAPH_OPERATIONS,
            Value::descriptor(Descriptor::new(operation)),
        );
        let mut heuristic = Descriptor::new(HEURISTIC);
        heuristic.set(
            attribute::HEURISTIC_OPERATION_GRAPH,
            Value::descriptor(graph),
        );
        heuristic
    }

    #[test]
    fn a_heuristic_proposes_one_engine_whose_plan_names_its_operation() {
        let results = heuristic(kind::CONVOLUTION_FORWARD)
            .get(attribute::HEURISTIC_RESULTS)
            .expect("the heuristic has a graph");
        assert_eq!(results.count(), 1);
        let mut plan = Descriptor::new(PLAN);
        plan.set(attribute::PLAN_ENGINE_CONFIG, results);
        assert_eq!(plan.kernel(), "cudnn::convolution_forward");
    }

    #[test]
    fn a_heuristic_without_a_graph_knows_no_engine() {
        let empty = Descriptor::new(HEURISTIC);
        assert!(empty.get(attribute::HEURISTIC_RESULTS).is_none());
    }

    #[test]
    fn an_attribute_that_was_never_set_is_not_there() {
        assert!(Descriptor::new(PLAN).get(9999).is_none());
    }
}
