//! What a record costs the program.

use crate::support::Program;

/// The most that a recorded launch may cost in a release build, in nanoseconds: a quarter of what the program may feel.
const TARGET_NS: f64 = 500.0;

#[test]
fn a_launch_with_a_known_stack_costs_next_to_nothing() {
    let program = Program::new(
        "
start()
def launch(): return probe.probe_launch(100000)
def layer(): return launch()
def model(): return layer()
def train(): return model()
train()
print(min(train() for _ in range(5)))
",
    );
    let output = program.run();
    let nanoseconds: f64 = String::from_utf8_lossy(&output.stdout)
        .trim()
        .parse()
        .unwrap();
    println!("a recorded launch with five Python frames: {nanoseconds:.0} ns");
    // Other work on the machine and an unoptimised build may slow it down, but not by this much.
    assert!(nanoseconds < 10.0 * TARGET_NS);
}
