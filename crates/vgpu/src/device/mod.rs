//! The devices: virtual H100s.

mod attributes;
mod error_text;
mod inventory;
mod properties;

pub(crate) use attributes::attribute;
pub(crate) use error_text::describe;
pub(crate) use inventory::{Card, MOST, card, cards, check, count, device_of, ordinal, set_count};
pub(crate) use properties::{Properties12, Properties13, properties_12, properties_13};

/// Their name, as the driver reports it.
pub const NAME: &str = "NVIDIA H100 80GB HBM3";

/// The version of CUDA that their driver supports (1000 × major + 10 × minor).
pub const DRIVER_VERSION: i32 = 13_000;

/// The place of a card's slot on its bus; each card has a bus of its own.
const SLOT: u32 = 6;

/// The place of a card: domain, bus, slot.
pub fn bus_id(Card(card): Card) -> String {
    format!("0000:{card:02x}:{SLOT:02x}.0")
}

/// The card at a place.
pub fn card_at(bus_id: &str) -> Option<Card> {
    let place = bus_id.to_ascii_lowercase();
    (0..cards())
        .map(Card)
        .find(|card| place.ends_with(&self::bus_id(*card)))
}

/// An identity that no real card has.
pub fn uuid(Card(card): Card) -> [u8; 16] {
    let mut identity = *b"cgsan virtualGPU";
    identity[15] = identity[15].wrapping_add(card.to_le_bytes()[0]);
    identity
}

/// The text of a card's identity: `GPU-` and five groups of hexadecimal digits.
pub fn uuid_text(card: Card) -> String {
    let digits: Vec<String> = uuid(card)
        .iter()
        .map(|byte| format!("{byte:02x}"))
        .collect();
    let group = |from: usize, to: usize| digits[from..to].concat();
    let groups = [
        group(0, 4),
        group(4, 6),
        group(6, 8),
        group(8, 10),
        group(10, 16),
    ];
    format!("GPU-{}", groups.join("-"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_identity_is_written_in_five_groups() {
        assert_eq!(
            uuid_text(Card(0)),
            "GPU-63677361-6e20-7669-7274-75616c475055"
        );
    }

    #[test]
    fn cards_differ_in_their_place_and_identity() {
        assert_eq!(bus_id(Card(0)), "0000:00:06.0");
        assert_eq!(bus_id(Card(63)), "0000:3f:06.0");
        assert_ne!(uuid(Card(0)), uuid(Card(1)));
    }
}
