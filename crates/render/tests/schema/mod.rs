//! Values against JSON schemas: the keywords that `report.v1.json` and the schema of SARIF use, and no others. A library for it
//! would turn on features of what cgsan is made of, so that the tests would compile all of it a second time.

use serde_json::Value;

/// What in a value breaks a schema.
pub fn faults(schema: &Value, value: &Value) -> Vec<String> {
    faults_at(schema, schema, value, "$")
}

fn faults_at(root: &Value, schema: &Value, value: &Value, at: &str) -> Vec<String> {
    let mut found = Vec::new();
    for (keyword, rule) in schema.as_object().expect("a schema is an object") {
        let broken = match keyword.as_str() {
            "$schema" | "$defs" | "definitions" | "id" | "title" | "description" | "default" => {
                false
            }
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
            "format" => value
                .as_str()
                .is_some_and(|it| !has_format(it, string(rule))),
            "anyOf" => {
                let fits = |option: &Value| faults_at(root, option, value, at).is_empty();
                !list(rule).iter().any(fits)
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
                let known = |name: &String| !schema["properties"][name].is_null();
                let others = value.as_object().into_iter().flatten();
                let others: Vec<_> = others.filter(|(name, _)| !known(name)).collect();
                if rule.is_object() {
                    for (name, value) in &others {
                        found.extend(faults_at(root, rule, value, &format!("{at}.{name}")));
                    }
                }
                *rule == false && !others.is_empty()
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
            "minimum" => value.as_f64() < rule.as_f64() && value.is_number(),
            "maximum" => value.as_f64() > rule.as_f64(),
            "uniqueItems" => {
                let items = value.as_array().map_or(&[][..], Vec::as_slice);
                let is_twice = |(at, it): (usize, &Value)| items[..at].contains(it);
                *rule == true && items.iter().enumerate().any(is_twice)
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

/// Whether a text is a reference of RFC 3986, and an absolute one where the format asks for it.
fn has_format(text: &str, format: &str) -> bool {
    let is_reference =
        regex_lite::Regex::new(r"^([A-Za-z0-9\-._~:/?#\[\]@!$&'()*+,;=]|%[0-9A-Fa-f]{2})*$");
    let is_reference = is_reference.expect("a regular expression").is_match(text);
    let scheme = text.split_once(':').map(|(scheme, _)| scheme);
    let has_scheme = scheme.is_some_and(|it| it.starts_with(|c: char| c.is_ascii_alphabetic()));
    match format {
        "uri-reference" => is_reference,
        "uri" => is_reference && has_scheme,
        other => panic!("the schema uses the format {other}, which this test does not know"),
    }
}
