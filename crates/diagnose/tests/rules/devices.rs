//! CG131: two devices, which the virtual GPU does not have.

use cgsan_model::{Call, CaptureMode, Device, EventId, Stream};

use crate::support::{LEGACY, ORIGIN, Program, tensor};

const OTHER: Device = Device(1);

/// A capture on cuda:0 at line 4, with `body` at line 6.
fn capture(body: impl FnOnce(&mut Program)) -> Program {
    Program::capturing(&["train.py:6 <module>"], body)
}

#[test]
fn memory_is_allocated_on_another_device() {
    let mut program = capture(|it| it.allocate(Stream::Legacy(OTHER)));
    insta::assert_snapshot!(program.describe());
}

#[test]
fn memory_is_allocated_for_a_stream_of_another_device() {
    let stream = Stream::Created(0x50);
    let mut program = capture(|it| {
        it.call(Call::StreamCreate {
            stream,
            device: OTHER,
            non_blocking: true,
            priority: 0,
        });
        it.allocate(stream);
    });
    assert_eq!(program.ids(), ["CG131"]);
}

#[test]
fn a_value_of_another_device_is_read() {
    let mut program = capture(|it| it.item(Stream::Legacy(OTHER)));
    insta::assert_snapshot!(program.describe());
}

#[test]
fn a_copy_from_another_device() {
    let mut program = capture(|it| it.wait_stream(Stream::Legacy(OTHER), ORIGIN));
    insta::assert_snapshot!(program.describe());
}

#[test]
fn another_device_is_waited_for_on_purpose() {
    let mut program = capture(|it| {
        it.call(Call::DeviceSynchronize { device: OTHER });
    });
    assert!(!program.ids().contains(&"CG131"));
}

#[test]
fn memory_is_allocated_on_the_device_of_the_capture() {
    let mut program = capture(|it| it.allocate(LEGACY));
    assert_eq!(program.ids(), ["CG103"]);
}

#[test]
fn work_on_another_device_beside_a_capture_is_not_refused() {
    let mut program = capture(|it| {
        it.launch(ORIGIN).launch(Stream::Legacy(OTHER));
    });
    assert!(program.ids().is_empty());
}

#[test]
fn another_thread_allocates_on_another_device() {
    let mut program = Program::new();
    program.line(4).begin_graph(CaptureMode::Global);
    program
        .thread(101, "Thread-1 (worker)")
        .at(&["train.py:9 worker"])
        .allocate(Stream::Legacy(OTHER));
    assert_eq!(program.ids(), ["CG111"]);
}

#[test]
fn a_copy_to_another_device_waits_for_it() {
    let event = EventId(0x70);
    let mut program = capture(|it| {
        it.begin_operator("copy_", &[tensor(0x1000), tensor(0x2000)]);
        it.call(Call::EventCreate {
            event,
            device: OTHER,
            timing: false,
        });
        it.call(Call::EventRecord {
            event,
            stream: Stream::Legacy(OTHER),
            external: false,
        });
        it.wait_event(ORIGIN, event);
        it.end_operator(&[tensor(0x1000)]);
    });
    let finding = &program.diagnose().findings[0];
    assert_eq!(finding.id, "CG107");
    assert!(finding.help[0].contains("copies between devices"));
}
