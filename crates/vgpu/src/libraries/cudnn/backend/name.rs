//! The descriptor kinds (`cudnnBackendDescriptorType_t`) and attributes (`cudnnBackendAttributeName_t`) that mean
//! something here; the others are kept as they come.

/// The kinds of descriptors.
pub mod kind {
    use std::ffi::c_int;

    pub const ENGINE: c_int = 2;
    pub const ENGINE_CONFIG: c_int = 3;
    pub const CONVOLUTION_FORWARD: c_int = 10;
    pub const CONVOLUTION_BACKWARD_FILTER: c_int = 11;
    pub const CONVOLUTION_BACKWARD_DATA: c_int = 12;
    pub const MATMUL: c_int = 19;
    pub const NORM_FORWARD: c_int = 29;
    pub const NORM_BACKWARD: c_int = 30;
}

/// The attributes.
pub mod attribute {
    use std::ffi::c_int;

    pub const HEURISTIC_OPERATION_GRAPH: c_int = 201;
    pub const HEURISTIC_RESULTS: c_int = 202;
    pub const ENGINE_CONFIG_ENGINE: c_int = 300;
    pub const ENGINE_CONFIG_KNOB_CHOICES: c_int = 302;
    pub const ENGINE_CONFIG_WORKSPACE_SIZE: c_int = 303;
    pub const ENGINE_CONFIG_SHARED_MEMORY_USED: c_int = 304;
    pub const PLAN_ENGINE_CONFIG: c_int = 401;
    pub const PLAN_WORKSPACE_SIZE: c_int = 402;
    pub const PLAN_JSON: c_int = 405;
    pub const GRAPH_OPERATIONS: c_int = 801;
    pub const GRAPH_ENGINE_COUNT: c_int = 802;
    pub const ENGINE_OPERATION_GRAPH: c_int = 1300;
    pub const ENGINE_INDEX: c_int = 1301;
    pub const ENGINE_KNOB_INFO: c_int = 1302;
    pub const ENGINE_NUMERICAL_NOTE: c_int = 1303;
    pub const ENGINE_LAYOUT_INFO: c_int = 1304;
    pub const ENGINE_BEHAVIOR_NOTE: c_int = 1305;
}
