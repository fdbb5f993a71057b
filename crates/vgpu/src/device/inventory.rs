//! Which devices the machine has, and which of them the program may see.

use std::env;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU32, Ordering};

use cgsan_model::{Code, Device};

use super::uuid_text;

/// The most devices that a virtual machine has.
pub const MOST: u32 = 64;

/// How many devices were asked for; 0 if nobody asked.
static WANTED: AtomicU32 = AtomicU32::new(0);

/// A device of the machine, by its place there. NVML counts these; CUDA counts those that `CUDA_VISIBLE_DEVICES` leaves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Card(pub u32);

/// Sets how many devices the machine has. It counts before the first use.
pub fn set_count(count: u32) {
    WANTED.store(count.min(MOST), Ordering::Relaxed);
}

/// How many devices the machine has: what was asked for, or else one for each rank that a launcher started here.
pub fn cards() -> u32 {
    static CARDS: OnceLock<u32> = OnceLock::new();
    *CARDS.get_or_init(|| match WANTED.load(Ordering::Relaxed) {
        0 => ranks_of_this_machine(|name| env::var(name).ok()).clamp(1, MOST),
        count => count,
    })
}

/// What launchers such as `torchrun` say about the ranks of this machine; 0 if there is no launcher.
fn ranks_of_this_machine(variable: impl Fn(&str) -> Option<String>) -> u32 {
    ["LOCAL_WORLD_SIZE", "WORLD_SIZE"]
        .into_iter()
        .find_map(|name| variable(name)?.parse().ok())
        .unwrap_or(0)
}

/// The cards that the program sees, in the order of its ordinals.
fn visible() -> &'static [Card] {
    static VISIBLE: OnceLock<Vec<Card>> = OnceLock::new();
    VISIBLE.get_or_init(|| match env::var("CUDA_VISIBLE_DEVICES") {
        Ok(list) => selected(&list, cards()),
        Err(_) => (0..cards()).map(Card).collect(),
    })
}

/// The cards that `CUDA_VISIBLE_DEVICES` names, by number or by the beginning of an identity. The first name that fits
/// nothing ends the list, and a card that is named twice empties it.
fn selected(list: &str, cards: u32) -> Vec<Card> {
    let mut chosen = Vec::new();
    for name in list.split(',') {
        let Some(card) = named(name.trim(), cards) else {
            break;
        };
        if chosen.contains(&card) {
            return Vec::new();
        }
        chosen.push(card);
    }
    chosen
}

fn named(name: &str, cards: u32) -> Option<Card> {
    if name.starts_with("GPU-") {
        let mut fitting = (0..cards)
            .map(Card)
            .filter(|card| uuid_text(*card).starts_with(name));
        return fitting.next().filter(|_| fitting.next().is_none());
    }
    let number = name.parse().ok()?;
    (number < cards).then_some(Card(number))
}

/// How many devices the program sees.
pub fn count() -> u32 {
    u32::try_from(visible().len()).unwrap_or(MOST)
}

/// The device of an ordinal.
pub fn check(ordinal: i32) -> Result<Device, Code> {
    let device = u32::try_from(ordinal).map_err(|_| Code::INVALID_DEVICE)?;
    if device < count() {
        Ok(Device(device))
    } else {
        Err(Code::INVALID_DEVICE)
    }
}

/// The ordinal of a device, as C passes it.
pub fn ordinal(device: Device) -> i32 {
    device.0.cast_signed()
}

/// The card behind a device.
pub fn card(device: Device) -> Card {
    let place = visible().get(device.0 as usize);
    place.copied().unwrap_or(Card(device.0))
}

/// The device by which the program knows a card, if it sees it.
pub fn device_of(card: Card) -> Option<Device> {
    let place = visible().iter().position(|seen| *seen == card)?;
    u32::try_from(place).ok().map(Device)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_launcher_says_how_many_ranks_share_the_machine() {
        let of = |set: &'static [(&str, &str)]| {
            ranks_of_this_machine(|name| {
                let found = set.iter().find(|(key, _)| *key == name);
                found.map(|(_, value)| (*value).to_owned())
            })
        };
        assert_eq!(of(&[("WORLD_SIZE", "16"), ("LOCAL_WORLD_SIZE", "8")]), 8);
        assert_eq!(of(&[("WORLD_SIZE", "2")]), 2);
        assert_eq!(of(&[("WORLD_SIZE", "many")]), 0);
        assert_eq!(of(&[]), 0);
    }

    #[test]
    fn the_program_sees_the_cards_that_are_named() {
        assert_eq!(selected("2, 0", 4), [Card(2), Card(0)]);
        assert_eq!(selected(&uuid_text(Card(3)), 4), [Card(3)]);
    }

    #[test]
    fn a_name_that_fits_nothing_ends_the_list() {
        assert_eq!(selected("1,7,0", 4), [Card(1)]);
        assert_eq!(selected("", 4), []);
        assert_eq!(selected("-1", 4), []);
        assert_eq!(selected("GPU-", 4), []);
    }

    #[test]
    fn a_card_that_is_named_twice_empties_the_list() {
        assert_eq!(selected("1,1", 4), []);
    }
}
