//! Values against a JSON schema: the keywords that cgsan's schemas use, and no others. A library for it would turn on features
//! of what cgsan is made of, so that the tests would compile all of it a second time.

use serde_json::Value;

/// What in a value breaks a schema.
pub fn faults(schema: &Value, value: &Value) -> Vec<String> {
    faults_at(schema, schema, value, "$")
}

fn faults_at(root: &Value, schema: &Value, value: &Value, at: &str) -> Vec<String> {
    let mut found = Vec::new();
    for (keyword, rule) in schema.as_object().expect("a schema is an object") {
        let broken = match keyword.as_str() {
            "$schema" | "$defs" | "title" | "description" => false,
            "$ref" => {
                let pointer = rule.as_str().and_then(|name| name.strip_prefix('#'));
                let target = pointer.and_then(|pointer| root.pointer(pointer));
                found.extend(faults_at(root, target.expect("it is defined"), value, at));
                false
            }
            "const" => value != rule,
            "enum" => !list(rule).contains(value),
            "type" => match rule {
                Value::Array(types) => !types.iter().any(|name| has_type(value, name)),
                name => !has_type(value, name),
            },
            "pattern" => {
                let rule = regex_lite::Regex::new(string(rule)).expect("a regular expression");
                value.as_str().is_some_and(|it| !rule.is_match(it))
            }
            "oneOf" => {
                let fits = |option: &&Value| faults_at(root, option, value, at).is_empty();
                list(rule).iter().filter(fits).count() != 1
            }
            "required" => list(rule).iter().any(|name| {
                let name = name.as_str().unwrap_or_default();
                value
                    .as_object()
                    .is_some_and(|object| !object.contains_key(name))
            }),
            "additionalProperties" => {
                assert_eq!(rule, false);
                let known = &schema["properties"];
                let names = value.as_object().map(|object| object.keys());
                names.is_some_and(|mut names| names.any(|name| known.get(name).is_none()))
            }
            "properties" => {
                for (name, rule) in rule.as_object().expect("properties are an object") {
                    if let Some(value) = value.get(name) {
                        found.extend(faults_at(root, rule, value, &format!("{at}.{name}")));
                    }
                }
                false
            }
            "items" => {
                for (index, value) in value.as_array().into_iter().flatten().enumerate() {
                    found.extend(faults_at(root, rule, value, &format!("{at}[{index}]")));
                }
                false
            }
            "minItems" => value
                .as_array()
                .is_some_and(|it| Some(it.len()) < length(rule)),
            "maxItems" => value.as_array().map(Vec::len) > length(rule),
            unknown => panic!("the schema uses `{unknown}`, which this test does not know"),
        };
        if broken {
            found.push(format!("{at}: {keyword}: {rule}: {value}"));
        }
    }
    found
}

fn string(value: &Value) -> &str {
    value.as_str().expect("it is a string")
}

fn list(value: &Value) -> &[Value] {
    value.as_array().expect("it is a list")
}

/// A number of elements.
fn length(rule: &Value) -> Option<usize> {
    rule.as_u64().and_then(|it| usize::try_from(it).ok())
}

fn has_type(value: &Value, name: &Value) -> bool {
    match name.as_str() {
        Some("object") => value.is_object(),
        Some("array") => value.is_array(),
        Some("string") => value.is_string(),
        Some("integer") => value.is_i64() || value.is_u64(),
        Some("number") => value.is_number(),
        Some("boolean") => value.is_boolean(),
        Some("null") => value.is_null(),
        other => panic!("the schema uses the type {other:?}, which this test does not know"),
    }
}
