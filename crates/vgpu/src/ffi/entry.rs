//! How an entry point is declared.

/// Declares entry points of the runtime and the driver.
///
/// Names that share a signature and a meaning share a body. `this` is the [`Function`](crate::api::Function) that was
/// called, under its declared names. The body is a `Result<(), Code>`.
///
/// ```text
/// entry! {
///     fn cudaStreamQuery, cudaStreamQuery_ptsz, cuStreamQuery(this, stream: StreamHandle) {
///         gpu::call(this, Call::StreamQuery { stream: stream.resolve(this) })
///     }
/// }
/// ```
macro_rules! entry {
    ($($(#[$attribute:meta])* fn $($name:ident),+ ($($parameters:tt)*) $body:block)*) => {
        $($crate::ffi::entry! { @names [$(#[$attribute])*] [$($name)+] ($($parameters)*) $body })*
    };
    (@names $attributes:tt [] $parameters:tt $body:block) => {};
    (@names [$(#[$attribute:meta])*] [$name:ident $($rest:ident)*] $parameters:tt $body:block) => {
        $crate::ffi::entry! { @one [$(#[$attribute])*] $name $parameters $body }
        $crate::ffi::entry! { @names [$(#[$attribute])*] [$($rest)*] $parameters $body }
    };
    (@one [$(#[$attribute:meta])*] $name:ident
        ($this:ident $(, $parameter:ident: $type:ty)* $(,)?) $body:block) => {
        $(#[$attribute])*
        #[allow(unsafe_code, reason = "exports the function")]
        #[unsafe(no_mangle)]
        pub extern "C" fn $name($($parameter: $type),*) -> std::ffi::c_int {
            const THIS: &$crate::api::Function = &$crate::api::functions::$name;
            $crate::ffi::guard_function(THIS, || {
                #[allow(unused_variables, reason = "not every call is recorded")]
                let $this = THIS;
                $body
            })
        }
    };
}

pub(crate) use entry;
