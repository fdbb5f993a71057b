//! Incidents that a text shows again, byte for byte, as a program does that fails in a loop: they need not be taken apart
//! once more.

use std::collections::VecDeque;

/// Incidents that are remembered.
const MOST: usize = 8;

/// Bytes of an incident that is remembered.
const LONGEST: usize = 64 << 10;

/// The bytes of the last incidents, and of the one that is being read.
#[derive(Default)]
pub struct Repetitions {
    known: VecDeque<Known>,
    /// The lines of the incident that is open, if it is open alone and not too long.
    current: Option<Vec<u8>>,
}

struct Known {
    /// The incident and the line that ended it: what stands behind an incident decides whether it is over.
    bytes: Vec<u8>,
    /// How many of the bytes are the incident.
    length: usize,
}

impl Repetitions {
    /// Notes the line that began the only open incident.
    pub fn begin(&mut self, line: &[u8]) {
        self.current = Some(line.to_vec());
    }

    /// Notes a further line of it, or of another one.
    pub fn go_on(&mut self, line: &[u8], is_alone: bool) {
        if let Some(current) = &mut self.current {
            current.extend_from_slice(line);
        }
        if !is_alone
            || self
                .current
                .as_ref()
                .is_some_and(|current| current.len() > LONGEST)
        {
            self.current = None;
        }
    }

    /// Notes the line that ended it.
    pub fn end(&mut self, line: &[u8]) {
        let Some(mut bytes) = self.current.take() else {
            return;
        };
        let length = bytes.len();
        bytes.extend_from_slice(line);
        if self.known.iter().any(|known| known.bytes == bytes) {
            return;
        }
        if self.known.len() == MOST {
            self.known.pop_front();
        }
        self.known.push_back(Known { bytes, length });
    }

    /// How many bytes at the beginning of these lines are an incident that was there before.
    pub fn known(&self, lines: &[u8]) -> Option<usize> {
        self.known
            .iter()
            .find(|known| lines.starts_with(&known.bytes))
            .map(|known| known.length)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn with_one() -> Repetitions {
        let mut repetitions = Repetitions::default();
        repetitions.begin(b"Traceback\n");
        repetitions.go_on(b"Error: x\n", true);
        repetitions.end(b"step 2\n");
        repetitions
    }

    #[test]
    fn an_incident_is_known_by_its_lines_and_the_one_behind() {
        let repetitions = with_one();
        let length = "Traceback\nError: x\n".len();
        assert_eq!(
            repetitions.known(b"Traceback\nError: x\nstep 2\nstep 3\n"),
            Some(length)
        );
        assert_eq!(
            repetitions.known(b"Traceback\nError: x\nmore of it\n"),
            None
        );
        assert_eq!(repetitions.known(b"Traceback\nError: x\n"), None);
    }

    #[test]
    fn lines_of_several_incidents_at_once_are_not_remembered() {
        let mut repetitions = Repetitions::default();
        repetitions.begin(b"[rank0]: Traceback\n");
        repetitions.go_on(b"[rank1]: Traceback\n", false);
        repetitions.end(b"step 2\n");
        assert_eq!(
            repetitions.known(b"[rank0]: Traceback\n[rank1]: Traceback\nstep 2\n"),
            None
        );
    }
}
