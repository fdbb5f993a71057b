//! What rules note on the way, to be asked for when a replay, a hook or the end of a thread comes to it. Each file of rules keeps
//! its own, in a type that it alone knows.

use std::any::Any;
use std::cell::OnceCell;

/// What the rules have noted: a list with one entry for each type. An entry is there once somebody asks for it, and stays.
#[derive(Debug, Default)]
pub(super) struct Notes(OnceCell<Box<Entry>>);

#[derive(Debug)]
struct Entry {
    noted: Box<dyn Any>,
    others: Notes,
}

impl Notes {
    /// What a file of rules has noted, in its type.
    pub(super) fn of<T: Any + Default>(&self) -> &T {
        let mut at = self;
        loop {
            let entry = at.0.get_or_init(|| Box::new(Entry::of::<T>()));
            match entry.noted.downcast_ref() {
                Some(noted) => return noted,
                None => at = &entry.others,
            }
        }
    }

    /// The same, to note more.
    pub(super) fn of_mut<T: Any + Default>(&mut self) -> &mut T {
        self.0.get_or_init(|| Box::new(Entry::of::<T>()));
        let entry = self.0.get_mut().expect("it is there now");
        match entry.noted.downcast_mut() {
            Some(noted) => noted,
            None => entry.others.of_mut(),
        }
    }
}

impl Entry {
    /// One in which nothing is noted yet.
    fn of<T: Any + Default>() -> Self {
        Self {
            noted: Box::new(T::default()),
            others: Notes::default(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Notes;

    #[test]
    fn each_type_has_an_entry_of_its_own() {
        let mut notes = Notes::default();
        notes.of_mut::<Vec<u8>>().push(1);
        notes.of_mut::<String>().push('a');
        notes.of_mut::<Vec<u8>>().push(2);
        assert_eq!(notes.of::<Vec<u8>>(), &[1, 2]);
        assert_eq!(notes.of::<String>(), "a");
        assert_eq!(notes.of::<Option<u8>>(), &None);
    }
}
