//! The tests' own reading of tracebacks.

mod support;

use std::path::Path;

use support::exception::{Exception, first_exception, mask};

#[test]
fn the_first_exception_is_the_cause_and_not_what_followed() {
    let stderr = "\
warning: something else
Traceback (most recent call last):
  File \"/p/case.py\", line 13, in <module>
    f()
  File \"/p/case.py\", line 7, in f
    y = x * 2
        ~~^~~
  File \"/lib/torch.py\", line 99, in mul
torch.AcceleratorError: CUDA error: first
More of the message

During handling of the above exception, another exception occurred:

Traceback (most recent call last):
  File \"/p/case.py\", line 12, in <module>
RuntimeError: second
";
    assert_eq!(
        first_exception(stderr, Path::new("/p/case.py")),
        Some(Exception {
            text: "torch.AcceleratorError: CUDA error: first".to_owned(),
            lines: vec![13, 7],
        })
    );
    assert_eq!(
        first_exception("all is well\n", Path::new("/p/case.py")),
        None
    );
}

#[test]
fn masking_hides_numbers_of_any_length() {
    assert_eq!(mask("43.55 GiB of 9 GiB."), "# GiB of # GiB.");
}

#[test]
fn masking_leaves_other_processes_out() {
    assert_eq!(
        mask("32.78 GiB is free. Process 3789 has 2.17 GiB memory in use. Including"),
        mask("35.00 GiB is free. Including")
    );
}
