//! Floating-point numbers of 8 and 16 bits.

/// A format: how many bits the exponent and the fraction have, and which bits mean no number.
#[derive(Clone, Copy, Debug)]
pub struct SmallFloat {
    exponent: u32,
    fraction: u32,
    /// Whether the greatest exponent stands for infinity and NaN. If not, only its greatest fraction is NaN, and there is
    /// no infinity.
    has_infinity: bool,
}

impl SmallFloat {
    /// IEEE 754's binary16.
    pub const FLOAT16: SmallFloat = SmallFloat::new(5, 10, true);
    /// The upper half of binary32.
    pub const BFLOAT16: SmallFloat = SmallFloat::new(8, 7, true);
    /// E4M3 of the OCP's 8-bit formats.
    pub const E4M3: SmallFloat = SmallFloat::new(4, 3, false);
    /// E5M2 of the same.
    pub const E5M2: SmallFloat = SmallFloat::new(5, 2, true);

    const fn new(exponent: u32, fraction: u32, has_infinity: bool) -> SmallFloat {
        SmallFloat {
            exponent,
            fraction,
            has_infinity,
        }
    }

    /// The number that some bits stand for.
    pub fn decode(self, bits: u16) -> f32 {
        let bits = u32::from(bits);
        let fraction = bits & self.greatest_fraction();
        let exponent = bits >> self.fraction & self.greatest_exponent();
        let is_last = exponent == self.greatest_exponent();
        let magnitude = if is_last && self.has_infinity {
            if fraction == 0 {
                f32::INFINITY
            } else {
                f32::NAN
            }
        } else if is_last && fraction == self.greatest_fraction() {
            f32::NAN
        } else if exponent == 0 {
            scaled(fraction, self.least_power())
        } else {
            let whole = fraction | 1 << self.fraction;
            scaled(whole, self.least_power() + exponent.cast_signed() - 1)
        };
        let is_negative = bits >> (self.exponent + self.fraction) & 1 == 1;
        if is_negative { -magnitude } else { magnitude }
    }

    /// The bits of the nearest number; of two, the even one. What is too large becomes infinity, or where there is none NaN.
    pub fn encode(self, number: f32) -> u16 {
        let sign = u32::from(number.is_sign_negative()) << (self.exponent + self.fraction);
        let magnitude = if number.is_nan() {
            self.nan()
        } else {
            self.nearest(number.abs()).min(self.beyond())
        };
        u16::try_from(sign | magnitude).unwrap_or(u16::MAX)
    }

    /// The bits of the nearest number as if the exponent had no end, so that they are in the order of the numbers.
    fn nearest(self, number: f32) -> u32 {
        if number.is_infinite() {
            return u32::MAX;
        }
        // The power of two of the last bit of the fraction, for a number of this size.
        let power = (exponent_of(number) - self.fraction.cast_signed()).max(self.least_power());
        // Exact: only the exponent changes, and what is left of the fraction is rounded once.
        let units = (f64::from(number) * f64::from(-power).exp2()).round_ties_even();
        #[allow(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "at most two to the power of the fraction's bits and one"
        )]
        let units = units as u32;
        let steps = (power - self.least_power()).unsigned_abs();
        (steps << self.fraction) + units
    }

    /// The bits of what is greater than any number.
    fn beyond(self) -> u32 {
        if self.has_infinity {
            self.greatest_exponent() << self.fraction
        } else {
            self.nan()
        }
    }

    fn nan(self) -> u32 {
        (1 << (self.exponent + self.fraction)) - 1
    }

    fn greatest_exponent(self) -> u32 {
        (1 << self.exponent) - 1
    }

    fn greatest_fraction(self) -> u32 {
        (1 << self.fraction) - 1
    }

    /// The power of two that is the least number.
    fn least_power(self) -> i32 {
        let bias = (1 << (self.exponent - 1)) - 1;
        1 - bias - self.fraction.cast_signed()
    }
}

/// A whole number of at most 11 bits times a power of two.
fn scaled(whole: u32, power: i32) -> f32 {
    #[allow(
        clippy::cast_possible_truncation,
        reason = "every number of the small formats is one of the large format"
    )]
    let number = (f64::from(whole) * f64::from(power).exp2()) as f32;
    number
}

/// The power of two of a number's first bit.
fn exponent_of(number: f32) -> i32 {
    let wide = f64::from(number).to_bits();
    i32::try_from(wide >> 52 & 0x7ff).unwrap_or(0) - 1023
}

#[cfg(test)]
mod tests {
    use super::*;

    const FORMATS: [(SmallFloat, u16); 4] = [
        (SmallFloat::FLOAT16, u16::MAX),
        (SmallFloat::BFLOAT16, u16::MAX),
        (SmallFloat::E4M3, 0xff),
        (SmallFloat::E5M2, 0xff),
    ];

    #[test]
    fn every_number_comes_back_as_it_was() {
        for (format, last) in FORMATS {
            for bits in 0..=last {
                let number = format.decode(bits);
                if number.is_nan() {
                    assert!(format.decode(format.encode(number)).is_nan());
                } else {
                    assert_eq!(format.encode(number), bits, "{format:?} {number}");
                }
            }
        }
    }

    #[test]
    fn known_numbers_have_their_bits() {
        let bits = |format: SmallFloat, bits: u16| format.decode(bits).to_bits();
        assert_eq!(bits(SmallFloat::FLOAT16, 0x3c00), 1.0_f32.to_bits());
        assert_eq!(bits(SmallFloat::FLOAT16, 1), 2.0_f32.powi(-24).to_bits());
        assert_eq!(bits(SmallFloat::BFLOAT16, 0xc040), (-3.0_f32).to_bits());
        assert_eq!(bits(SmallFloat::E4M3, 0x7e), 448.0_f32.to_bits());
        assert_eq!(bits(SmallFloat::E5M2, 0x7b), 57_344.0_f32.to_bits());
    }

    #[test]
    fn what_lies_between_goes_to_the_nearest_and_of_two_to_the_even() {
        let half = SmallFloat::FLOAT16;
        // Between 1 and 1 + 2^-10, then between 1 + 2^-10 and 1 + 2^-9.
        assert_eq!(half.encode(1.0 + 2.0_f32.powi(-11)), 0x3c00);
        assert_eq!(half.encode(1.0 + 3.0 * 2.0_f32.powi(-11)), 0x3c02);
        assert_eq!(half.encode(1.0 + 2.1 * 2.0_f32.powi(-11)), 0x3c01);
        // Up to the next power of two.
        assert_eq!(half.encode(1.999_99), 0x4000);
    }

    #[test]
    fn what_is_too_large_is_infinite() {
        assert_eq!(SmallFloat::FLOAT16.encode(1e6), 0x7c00);
        assert_eq!(SmallFloat::E5M2.encode(-1e6), 0xfc);
        assert_eq!(SmallFloat::E4M3.encode(1e6), 0x7f);
        assert_eq!(SmallFloat::BFLOAT16.encode(f32::INFINITY), 0x7f80);
    }
}
