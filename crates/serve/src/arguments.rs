//! The arguments of tools.

use serde::de::DeserializeOwned;
use serde_json::Value;

/// Arguments, or what is wrong with them.
pub fn read<T: DeserializeOwned>(arguments: Value) -> Result<T, String> {
    serde_json::from_value(arguments).map_err(|error| format!("wrong arguments: {error}"))
}
