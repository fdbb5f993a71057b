//! What a kernel in PTX does through the pointers that it is given: its loads read, its stores write, and addresses are followed from
//! register to register, in whatever order its instructions run.

use cgsan_observe::launches::{Does, Field, ParameterKind};
use rustc_hash::FxHashMap;

use super::numbers::{Numbers, size_of_type};

/// Bytes of a word.
const WORD: usize = 8;
/// Longer code is not followed.
const LONGEST: usize = 4 << 20;
/// So often it is gone through at most; then nothing is known of it.
const ROUNDS: usize = 16;

/// A word of a parameter: which parameter, and which of its words.
type Place = (usize, usize);

/// What is done through each word.
#[derive(Debug, Default)]
pub struct Uses {
    done: FxHashMap<Place, Does>,
    /// What was loaded of parameters and taken for numbers.
    numbers: Numbers,
    /// Whether more may be done through any.
    is_partial: bool,
}

impl Uses {
    /// The numbers in a parameter that is a structure, in their order, if they are known.
    pub fn fields(&self, parameter: usize) -> Option<Vec<Field>> {
        (!self.is_partial).then(|| self.numbers.of(parameter))
    }

    /// Those of the words of a parameter of this size.
    pub fn take(&mut self, parameter: usize, bytes: usize) -> Vec<Does> {
        if self.is_partial {
            return Vec::new();
        }
        let words = 0..bytes / WORD;
        words
            .map(|word| self.done.remove(&(parameter, word)).unwrap_or_default())
            .collect()
    }
}

/// What a kernel with parameters of these names does.
pub fn of_body(body: &str, parameters: &[&str]) -> Uses {
    let mut flow = Flow {
        parameters,
        from: FxHashMap::default(),
        loaded: FxHashMap::default(),
        uses: Uses::default(),
        has_changed: false,
    };
    if body.len() > LONGEST {
        flow.uses.is_partial = true;
        return flow.uses;
    }
    for _ in 0..ROUNDS {
        flow.has_changed = false;
        for statement in body.split(';') {
            flow.step(unlabelled(statement));
        }
        if !flow.has_changed {
            return flow.uses;
        }
    }
    flow.uses.is_partial = true;
    flow.uses
}

struct Flow<'a> {
    parameters: &'a [&'a str],
    /// The words of parameters that the value of a register may have come from.
    from: FxHashMap<&'a str, Vec<Place>>,
    /// What was loaded of parameters into a register, and not changed since.
    loaded: FxHashMap<&'a str, Vec<(usize, Field)>>,
    uses: Uses,
    has_changed: bool,
}

impl<'a> Flow<'a> {
    fn step(&mut self, statement: &'a str) {
        let Some((name, operands)) = statement.split_once(char::is_whitespace) else {
            return;
        };
        let mut parts = name.split('.');
        let kind = parts.next().unwrap_or_default();
        let space = parts.find(|it| matches!(*it, "param" | "shared" | "local"));
        let (outside, inside) = bracketed(operands);
        match (kind, space) {
            // A directive, such as a declaration of registers; or memory that is no parameter's.
            ("" | "bra" | "ret" | "exit" | "bar" | "barrier" | "membar" | "fence", _)
            | ("ld" | "ldu", Some("shared" | "local")) => {}
            ("ld", Some("param")) => {
                let kind = name.rfind('.').map_or("", |at| &name[at..]);
                let is_known = kind.starts_with(".b");
                if let Some((bytes, kind)) = size_of_type(kind) {
                    let kind = if is_known { ParameterKind::Word } else { kind };
                    self.loads_parameter(&outside, &inside, bytes, kind);
                } else {
                    self.uses.is_partial = true;
                }
            }
            ("ld" | "ldu", _) => self.does(&inside, Does::READS),
            ("st", space) => {
                if space.is_none() {
                    self.does(&inside, Does::WRITES);
                }
                // An address that is kept in memory is followed no further.
                self.does(&outside, Does::UNKNOWN);
            }
            ("atom" | "red", None) => self.does(&inside, Does::BOTH),
            ("call", _) => {
                self.does(&outside, Does::UNKNOWN);
                self.does(&inside, Does::UNKNOWN);
            }
            _ if inside.is_empty() => {
                self.computes(name, &outside);
                self.derives(&outside);
            }
            _ => {
                self.does(&inside, Does::UNKNOWN);
                self.does(&outside, Does::UNKNOWN);
            }
        }
    }

    /// Registers get words of a parameter, or halves of words.
    fn loads_parameter(
        &mut self,
        into: &[&'a str],
        at: &[&'a str],
        bytes: usize,
        kind: ParameterKind,
    ) {
        let [name, rest @ ..] = at else { return };
        let Some(parameter) = self.parameters.iter().position(|it| it == name) else {
            return;
        };
        let offset = match rest {
            [] => Some(0),
            [offset] => offset.parse::<usize>().ok(),
            _ => None,
        };
        let Some(offset) = offset else {
            // At a place that is computed.
            self.uses.is_partial = true;
            return;
        };
        for (place, register) in into.iter().enumerate() {
            let offset = offset + place * bytes;
            // What it is put into is not used.
            if *register == "_" {
                continue;
            }
            self.adds(register, &[(parameter, offset / WORD)]);
            let field = Field {
                offset,
                bytes,
                kind,
            };
            self.holds(register, &[(parameter, field)]);
        }
    }

    /// A register holds what was loaded.
    fn holds(&mut self, register: &'a str, what: &[(usize, Field)]) {
        let known = self.loaded.entry(register).or_default();
        for it in what {
            if !known.contains(it) {
                known.push(*it);
                self.has_changed = true;
            }
        }
    }

    /// An instruction is given the values of registers: they are numbers, or go on to another one.
    fn computes(&mut self, name: &str, operands: &[&'a str]) {
        let Some((into, from)) = operands.split_first() else {
            return;
        };
        if let ("mov", [from]) = (name.split('.').next().unwrap_or_default(), from)
            && let Some(held) = self.loaded.get(from).cloned()
        {
            self.holds(into, &held);
        }
        for (parameter, field) in from.iter().filter_map(|it| self.loaded.get(it)).flatten() {
            self.has_changed |= self.uses.numbers.note(name, *parameter, *field);
        }
    }

    /// The first operand comes from the others.
    fn derives(&mut self, operands: &[&'a str]) {
        let Some((into, from)) = operands.split_first() else {
            return;
        };
        for other in from {
            if self.parameters.contains(other) {
                // The address of a parameter itself.
                self.uses.is_partial = true;
            }
            if let Some(places) = self.from.get(other).cloned() {
                self.adds(into, &places);
            }
        }
    }

    fn adds(&mut self, register: &'a str, places: &[Place]) {
        let known = self.from.entry(register).or_default();
        for place in places {
            if !known.contains(place) {
                known.push(*place);
                self.has_changed = true;
            }
        }
    }

    fn does(&mut self, registers: &[&'a str], what: Does) {
        for register in registers {
            for place in self.from.get(register).into_iter().flatten() {
                let done = self.uses.done.entry(*place).or_default();
                let all = Does {
                    reads: done.reads || what.reads,
                    writes: done.writes || what.writes,
                    more: done.more || what.more,
                };
                self.has_changed |= all != *done;
                *done = all;
            }
        }
    }
}

/// A statement without the labels, the braces and the predicate before it.
fn unlabelled(statement: &str) -> &str {
    let mut rest = statement;
    loop {
        rest = rest.trim_matches(|it: char| it.is_whitespace() || matches!(it, '{' | '}'));
        let Some((first, behind)) = rest.split_once(char::is_whitespace) else {
            return rest;
        };
        if !first.ends_with(':') && !first.starts_with('@') {
            return rest;
        }
        rest = behind;
    }
}

/// The registers, names and numbers among operands: those outside of brackets, and those inside.
fn bracketed(operands: &str) -> (Vec<&str>, Vec<&str>) {
    let (mut outside, mut inside) = (Vec::new(), Vec::new());
    let mut rest = operands;
    loop {
        let Some(open) = rest.find('[') else {
            outside.extend(words(rest));
            return (outside, inside);
        };
        outside.extend(words(&rest[..open]));
        let close = rest[open..].find(']').map_or(rest.len(), |at| open + at);
        inside.extend(words(&rest[open + 1..close]));
        rest = rest.get(close + 1..).unwrap_or_default();
    }
}

fn words(operands: &str) -> impl Iterator<Item = &str> {
    let is_between =
        |it: char| it.is_whitespace() || matches!(it, ',' | '{' | '}' | '(' | ')' | '+');
    operands.split(is_between).filter(|it| !it.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    const PARAMETERS: [&str; 3] = ["p_0", "p_1", "p_2"];

    /// What is done through each parameter of one word: `r`, `w`, and `?` where it may be more.
    fn done(body: &str) -> String {
        let mut uses = of_body(body, &PARAMETERS);
        let letters = (0..PARAMETERS.len()).map(|parameter| {
            let does = uses.take(parameter, WORD);
            let does = does.first().copied().unwrap_or(Does::UNKNOWN);
            let letters = [(does.reads, 'r'), (does.writes, 'w'), (does.more, '?')];
            let letters = letters.into_iter().filter(|(is, _)| *is);
            letters.map(|(_, letter)| letter).collect::<String>()
        });
        letters.collect::<Vec<String>>().join(" ")
    }

    #[test]
    fn addresses_are_followed_to_loads_and_stores() {
        let body = "
            .reg .b64 %rd<9>;
            ld.param.u64 %rd1, [p_0];
            ld.param.u64 %rd2, [p_1];
            cvta.to.global.u64 %rd3, %rd1;
            mul.wide.u32 %rd4, %r1, 4;
            add.s64 %rd5, %rd3, %rd4;
            ld.global.f32 %f1, [%rd5+16];
            @%p1 bra $L__BB0_2;
            cvta.to.global.u64 %rd6, %rd2;
            add.s64 %rd7, %rd6, %rd4;
        $L__BB0_2:
            @%p2 st.global.f32 [%rd7], %f1;
            ret;";
        assert_eq!(done(body), "r w ");
    }

    #[test]
    fn a_loop_brings_addresses_to_instructions_before_them() {
        let body = "
        $L: st.global.v2.f32 [%rd9], {%f1, %f2};
            ld.param.v2.u64 {%rd1, %rd2}, [p_1];
            mov.u64 %rd8, %rd1;
            mov.u64 %rd9, %rd8;
            bra $L;";
        assert_eq!(done(body), " w ");
    }

    #[test]
    fn what_is_added_to_is_read_and_written() {
        let body = "
            ld.param.u64 %rd1, [p_0]; ld.param.u64 %rd2, [p_1];
            atom.global.add.u32 %r1, [%rd1], 1; red.global.add.f32 [%rd2+8], %f1;";
        assert_eq!(done(body), "rw rw ");
    }

    #[test]
    fn what_is_handed_on_may_be_more() {
        let body = "
            ld.param.u64 %rd1, [p_0]; ld.param.u64 %rd2, [p_1]; ld.param.u64 %rd3, [p_2];
            { st.param.b64 [param0+0], %rd1; call.uni (retval0), f, (param0); }
            st.local.u64 [%rd9], %rd2;
            cp.async.ca.shared.global [%r1], [%rd3], 16;";
        assert_eq!(done(body), "? ? ?");
    }

    #[test]
    fn parameters_whose_own_address_is_taken_are_not_followed() {
        assert_eq!(
            done("mov.b64 %rd1, p_1; ld.param.u64 %rd2, [p_0];"),
            "? ? ?"
        );
        assert_eq!(done("ld.param.u64 %rd2, [p_0+%r1];"), "? ? ?");
    }

    /// The numbers in the first parameter: where they begin, their sizes, and what they are.
    fn fields(body: &str) -> Vec<(usize, usize, ParameterKind)> {
        let fields = of_body(body, &PARAMETERS).fields(0).unwrap_or_default();
        fields
            .iter()
            .map(|it| (it.offset, it.bytes, it.kind))
            .collect()
    }

    #[test]
    fn what_is_computed_with_is_a_number() {
        let body = "
            ld.param.v2.b32 {%r1, %r2}, [p_0+8];
            ld.param.f32 %f1, [p_0+16];
            ld.param.u8 %rs1, [p_0+20];
            ld.param.b64 %rd1, [p_0];
            mov.b32 %r3, %r2;
            setp.ge.s32 %p1, %r4, %r1;
            add.s32 %r4, %r4, %r3;
            mul.f32 %f2, %f1, %f1;
            cvt.u32.u8 %r5, %rs1;
            mad.lo.s64 %rd2, %rd1, 4, %rd3;
            ld.param.u64 %rd4, [p_0+24];
            mov.b64 %fd1, %rd4;
            add.f64 %fd2, %fd1, %fd1;
            ld.param.b32 %r6, [p_0+32];
            setp.eq.b32 %p2, %r6, 0;";
        let (whole, fraction) = (ParameterKind::Integer, ParameterKind::Float);
        let wanted = [
            (0, 8, whole),
            (8, 4, whole),
            (12, 4, whole),
            (16, 4, fraction),
            (20, 1, whole),
            (24, 8, fraction),
            (32, 4, ParameterKind::Word),
        ];
        assert_eq!(fields(body), wanted);
    }

    #[test]
    fn what_is_only_moved_may_be_a_gap() {
        let body = "
            ld.param.b64 %rd1, [p_0];
            ld.param.v2.b32 {%r1, _}, [p_0+8];
            ld.param.b32 %r2, [p_0+16];
            ld.param.b32 %r3, [p_0+20];
            st.local.b64 [%SP], %rd1;
            mov.b64 {%r4, %r5}, %rd1;
            add.s32 %r6, %r4, 1;
            st.local.b32 [%SP+8], %r1;
            and.b32 %r7, %r2, 255;
            cvt.u16.u32 %rs1, %r3;";
        assert_eq!(fields(body), []);
        assert_eq!(
            fields("mov.b64 %rd1, p_0; ld.param.b32 %r1, [p_0]; add.s32 %r2, %r1, 1;"),
            [],
            "the structure's own address is taken"
        );
    }

    #[test]
    fn bytes_that_are_loaded_in_two_ways_are_no_number() {
        let body = "
            ld.param.b64 %rd1, [p_0];
            ld.param.b32 %r1, [p_0+4];
            ld.param.b32 %r2, [p_0+8];
            add.s64 %rd2, %rd1, 1;
            add.s32 %r3, %r1, %r2;";
        assert_eq!(fields(body), [(8, 4, ParameterKind::Integer)]);
    }

    #[test]
    fn words_of_a_structure_are_told_apart() {
        let body =
            "ld.param.u64 %rd1, [p_0+8]; ld.global.u32 %r1, [%rd1]; st.global.u32 [%rd2], %r1;
            ld.param.u64 %rd2, [p_0+16];";
        let words = of_body(body, &PARAMETERS).take(0, 24);
        assert_eq!(words, [Does::default(), Does::READS, Does::WRITES]);
    }
}
