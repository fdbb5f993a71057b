//! The shortest part of a program that still shows something, e.g. that the model contradicts the driver.

/// Up to which length two items at a time are tried: their pairs are many.
const PAIRS_UP_TO: usize = 256;

/// Leaves out items as long as the rest still shows what the whole does. The last item stays, and what may not go.
///
/// Whether a part shows it is asked often, of parts that are mostly shorter than the one before; an answer of no is never
/// wrong, so the caller may end a search that takes too long.
pub fn shortest<T: Clone>(
    program: &[T],
    may_go: impl Fn(&T) -> bool,
    mut shows: impl FnMut(&[T]) -> bool,
) -> Vec<T> {
    let mut rest = program.to_vec();
    loop {
        let before = rest.len();
        drop_runs(&mut rest, &may_go, &mut shows);
        if rest.len() <= PAIRS_UP_TO {
            drop_pairs(&mut rest, &may_go, &mut shows);
        }
        if rest.len() == before {
            return rest;
        }
    }
}

/// Drops items that follow each other: half of the program at a time, then a quarter, down to single ones. The last go
/// first, since less depends on them.
fn drop_runs<T: Clone>(
    rest: &mut Vec<T>,
    may_go: &impl Fn(&T) -> bool,
    shows: &mut impl FnMut(&[T]) -> bool,
) {
    let mut length = rest.len().next_power_of_two();
    while length > 1 {
        length /= 2;
        let mut end = rest.len().saturating_sub(1);
        while end > 0 {
            let start = end.saturating_sub(length);
            let mut fewer = rest[..start].to_vec();
            fewer.extend(rest[start..end].iter().filter(|it| !may_go(it)).cloned());
            fewer.extend_from_slice(&rest[end..]);
            if fewer.len() < rest.len() && shows(&fewer) {
                *rest = fewer;
            }
            end = start;
        }
    }
}

/// A capture's begin and end can only go together, and so can an exchange of the mode and its return.
fn drop_pairs<T: Clone>(
    rest: &mut Vec<T>,
    may_go: &impl Fn(&T) -> bool,
    shows: &mut impl FnMut(&[T]) -> bool,
) {
    let mut later = rest.len().saturating_sub(1);
    while later > 1 {
        later -= 1;
        for earlier in (0..later).rev() {
            if !may_go(&rest[later]) || !may_go(&rest[earlier]) {
                continue;
            }
            let mut fewer = rest.clone();
            fewer.remove(later);
            fewer.remove(earlier);
            if shows(&fewer) {
                *rest = fewer;
                later = later.saturating_sub(1);
                break;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What is left of the numbers below `count` when the wanted ones show it.
    fn left(count: u32, wanted: &[u32], may_go: impl Fn(&u32) -> bool) -> Vec<u32> {
        let program: Vec<u32> = (0..count).collect();
        shortest(&program, may_go, |part| {
            wanted.iter().all(|it| part.contains(it))
        })
    }

    #[test]
    fn what_is_needed_stays_and_nothing_else() {
        assert_eq!(left(1000, &[3, 500, 501], |_| true), [3, 500, 501, 999]);
        assert_eq!(left(1, &[], |_| true), [0]);
        assert_eq!(left(9, &[], |number| *number != 4), [4, 8]);
    }

    #[test]
    fn what_goes_in_pairs_only_goes() {
        let program = [1, 2, 9, -1, 3, -2, 0];
        let balanced = |part: &[i32]| {
            part.iter()
                .filter(|it| it.abs() != 9 && **it != 3)
                .sum::<i32>()
                == 0
        };
        assert_eq!(shortest(&program, |it| *it != 9, balanced), [9, 0]);
    }

    #[test]
    fn a_search_that_is_ended_gives_what_it_has() {
        let program: Vec<u32> = (0..100).collect();
        let mut left = 1;
        let half = shortest(
            &program,
            |_| true,
            |_| {
                left -= 1;
                left == 0
            },
        );
        assert_eq!(half.last(), Some(&99));
        assert!(half.len() < program.len());
        let empty: [u32; 0] = [];
        assert_eq!(shortest(&empty, |_| true, |_| true), empty);
    }
}
