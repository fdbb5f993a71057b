//! The bill of materials: what is inside, in the format of `CycloneDX` 1.5.

use serde_json::{Value, json};

use crate::failure::{Context, Result};

use super::inside::Package;
use super::tools::Linked;

/// The whole document.
pub fn text(packages: &[Package], linked: &[Linked], version: &str) -> Result<String> {
    let compiler = super::licenses::compiler_version()?;
    let mut components: Vec<Value> = packages.iter().map(component).collect();
    components.push(json!({
        "type": "library",
        "bom-ref": "rust-standard-library",
        "name": "rust-standard-library",
        "version": compiler,
        "licenses": [{ "expression": "MIT OR Apache-2.0" }],
    }));
    components.extend(linked.iter().map(|linked| {
        json!({
            "type": "library",
            "bom-ref": linked.name,
            "name": linked.name,
            "version": linked.version,
            "licenses": [{ "expression": linked.license }],
        })
    }));
    let dependencies = packages.iter().map(|package| {
        let uses = package.dependencies.iter();
        json!({
            "ref": url(&package.name, &package.version),
            "dependsOn": uses.map(|(name, version)| url(name, version)).collect::<Vec<_>>(),
        })
    });
    let document = json!({
        "$schema": "http://cyclonedx.org/schema/bom-1.5.schema.json",
        "bomFormat": "CycloneDX",
        "specVersion": "1.5",
        "version": 1,
        "metadata": {
            "component": {
                "type": "application",
                "bom-ref": "cgsan-wheel",
                "name": "cgsan",
                "version": version,
                "purl": format!("pkg:pypi/cgsan@{version}"),
                "licenses": [{ "expression": "MIT OR Apache-2.0" }],
            },
        },
        "components": components,
        "dependencies": dependencies.collect::<Vec<_>>(),
    });
    let mut text = serde_json::to_string_pretty(&document)
        .context(|| "cannot write the bill of materials".to_owned())?;
    text.push('\n');
    Ok(text)
}

fn component(package: &Package) -> Value {
    let mut component = json!({
        "type": "library",
        "bom-ref": url(&package.name, &package.version),
        "name": package.name,
        "version": package.version,
        "licenses": [{ "expression": package.license }],
    });
    if let Some(checksum) = &package.checksum {
        // Ours are not published, so nothing can be found under such a name.
        component["purl"] = url(&package.name, &package.version).into();
        component["hashes"] = json!([{ "alg": "SHA-256", "content": checksum }]);
    }
    if let Some(repository) = &package.repository {
        component["externalReferences"] = json!([{ "type": "vcs", "url": repository }]);
    }
    component
}

fn url(name: &str, version: &str) -> String {
    format!("pkg:cargo/{name}@{version}")
}
