//! Lets the tests stand in for the CUDA runtime as the library does: their functions are for all to use.

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    println!("cargo:rustc-link-arg-tests=-rdynamic");
}
