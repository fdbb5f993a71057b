//! Mutations of a program by whole lines and names. Most changes of single bytes end in a syntax error; these leave
//! Python, and so reach the interpreter behind the parser.

use libfuzzer_sys::fuzzer_mutate;

/// Changes `data` in place, of which `size` bytes are in use and `most` may be; returns how many are in use then.
pub fn mutate(data: &mut [u8], size: usize, most: usize, seed: u32) -> usize {
    let mut random = Random(u64::from(seed));
    let changed = match str::from_utf8(&data[..size]) {
        Ok(text) if random.below(4) != 0 => change(text, &mut random),
        _ => None,
    };
    match changed {
        Some(text) if text.len() <= most.min(data.len()) => {
            data[..text.len()].copy_from_slice(text.as_bytes());
            text.len()
        }
        _ => fuzzer_mutate(data, size, most),
    }
}

fn change(text: &str, random: &mut Random) -> Option<String> {
    let mut lines: Vec<String> = text.split_inclusive('\n').map(str::to_owned).collect();
    if lines.is_empty() {
        return None;
    }
    for _ in 0..=random.below(3) {
        let at = random.below(lines.len());
        match random.below(6) {
            0 => drop(lines.remove(at)),
            1 => {
                let copy = lines[at].clone();
                lines.insert(random.below(lines.len() + 1), copy);
            }
            2 => {
                let line = lines.remove(at);
                lines.insert(random.below(lines.len() + 1), line);
            }
            3 => lines[at].insert_str(0, "    "),
            4 => {
                let rest = lines[at].strip_prefix("    ")?.to_owned();
                lines[at] = rest;
            }
            _ => lines[at] = with_another_name(&lines, at, random)?,
        }
        if lines.is_empty() {
            return None;
        }
    }
    Some(lines.concat())
}

/// The line, with one of its names replaced by a name of another line.
fn with_another_name(lines: &[String], at: usize, random: &mut Random) -> Option<String> {
    let other = names(&lines[random.below(lines.len())]);
    let own = names(&lines[at]);
    if own.is_empty() || other.is_empty() {
        return None;
    }
    let (start, old) = own[random.below(own.len())];
    let (_, new) = other[random.below(other.len())];
    let mut line = lines[at].clone();
    line.replace_range(start..start + old.len(), new);
    Some(line)
}

/// The names, dotted ones whole, and where they begin.
fn names(line: &str) -> Vec<(usize, &str)> {
    let is_part = |it: char| it.is_alphanumeric() || it == '_' || it == '.';
    let mut found = Vec::new();
    let mut rest = 0;
    while let Some(skipped) = line[rest..].find(is_part) {
        let start = rest + skipped;
        let length = line[start..]
            .find(|it| !is_part(it))
            .unwrap_or(line.len() - start);
        found.push((start, &line[start..start + length]));
        rest = start + length;
    }
    found
}

/// splitmix64: all that is asked of it is to follow from the seed.
struct Random(u64);

impl Random {
    fn below(&mut self, bound: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut it = self.0;
        it = (it ^ (it >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        it = (it ^ (it >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        it ^= it >> 31;
        usize::try_from(it % bound.max(1) as u64).unwrap_or(0)
    }
}
