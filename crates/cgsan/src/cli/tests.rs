//! What holds of the command line as a whole.

use clap::{CommandFactory as _, Parser as _};

use super::{Arguments, Command};

#[test]
fn the_command_line_is_consistent() {
    Arguments::command().debug_assert();
}

#[test]
fn what_follows_the_program_is_the_programs() {
    let run = |words: &[&str]| match Arguments::parse_from(words).command {
        Command::Run(options) => options,
        other => panic!("{other:?}"),
    };
    let options = run(&[
        "cgsan", "run", "--strict", "python", "a.py", "--json", "-o", "x",
    ]);
    assert!(options.strict && !options.display.json);
    assert_eq!(options.program, ["python", "a.py", "--json", "-o", "x"]);
    let options = run(&["cgsan", "run", "--json", "--", "python", "--", "--strict"]);
    assert!(options.display.json && !options.strict);
    assert_eq!(options.program, ["python", "--", "--strict"]);
    assert!(Arguments::try_parse_from(["cgsan", "run", "--no-such-option", "python"]).is_err());
    assert!(Arguments::try_parse_from(["cgsan", "run"]).is_err());
}

#[test]
fn a_schedule_needs_values() {
    let without = [
        "cgsan",
        "run",
        "--no-values",
        "--schedule",
        "lazy",
        "python",
    ];
    assert!(Arguments::try_parse_from(without).is_err());
}

#[test]
fn every_option_stands_under_a_heading() {
    let mut command = Arguments::command();
    command.build();
    for subcommand in command.get_subcommands() {
        let options = subcommand.get_opts().filter(|it| !it.is_hide_set());
        for option in options {
            let heading = option.get_help_heading();
            assert!(
                heading.is_some(),
                "cgsan {} {option}",
                subcommand.get_name()
            );
        }
    }
}
