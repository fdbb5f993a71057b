//! Reads the values of options, and says what is wanted where they make no sense.

/// The least that PyTorch starts with: its allocator takes segments of 20 MiB.
const LEAST_MEMORY: u64 = 256 << 20;

/// The least that a trace needs: what graphs in use are made of stays.
const LEAST_TRACE: u64 = 4 << 20;

/// Reads how long a trace may become, in bytes.
pub fn trace_limit(text: &str) -> Result<u64, String> {
    let bytes = bytes(text)?;
    if bytes < LEAST_TRACE {
        let unit = if text.ends_with(|it: char| it.is_ascii_digit()) {
            "; write the unit, such as 64MB"
        } else {
            ""
        };
        return Err(format!("at least {}MB{unit}", LEAST_TRACE >> 20));
    }
    Ok(bytes)
}

/// Reads a size of memory such as `80GB`, `512 MiB` or `1073741824`, in bytes.
pub fn size(text: &str) -> Result<u64, String> {
    let bytes = bytes(text)?;
    let is_bare = text.ends_with(|it: char| it.is_ascii_digit());
    if bytes < LEAST_MEMORY && is_bare {
        return Err(format!("a unit is missing: {text}GB, or {text}MB"));
    }
    if bytes < LEAST_MEMORY {
        return Err(format!(
            "too little for PyTorch; at least {}MB",
            LEAST_MEMORY >> 20
        ));
    }
    if bytes > 1 << 50 {
        return Err("more than any GPU has; at most 1024TB".to_owned());
    }
    Ok(bytes)
}

/// Reads a number with a unit, in bytes.
fn bytes(text: &str) -> Result<u64, String> {
    let digits = text
        .find(|c: char| !c.is_ascii_digit() && c != '.')
        .unwrap_or(text.len());
    let (number, unit) = text.split_at(digits);
    let number: f64 = number
        .parse()
        .map_err(|_| "write a number and a unit, such as 80GB".to_owned())?;
    let shift = match unit.trim().to_ascii_lowercase().as_str() {
        "" | "b" => 0,
        "k" | "kb" | "kib" => 10,
        "m" | "mb" | "mib" => 20,
        "g" | "gb" | "gib" => 30,
        "t" | "tb" | "tib" => 40,
        other => return Err(format!("`{other}` is not a unit; use MB, GB or TB")),
    };
    #[allow(
        clippy::cast_possible_truncation,
        clippy::cast_precision_loss,
        clippy::cast_sign_loss,
        reason = "a size of memory is positive and far below 2^53; beyond, the cast saturates"
    )]
    let bytes = (number * (1u64 << shift) as f64) as u64;
    Ok(bytes)
}

/// Reads when work is to be done.
pub fn schedule(text: &str) -> Result<String, String> {
    let seed = text.strip_prefix("random:").map(str::parse::<u64>);
    if matches!(text, "eager" | "lazy" | "race") || matches!(seed, Some(Ok(_))) {
        return Ok(text.to_owned());
    }
    Err("write eager, lazy, race or random:SEED, where SEED is a number".to_owned())
}

/// The most virtual GPUs that there can be.
const MOST_GPUS: u32 = 64;

/// Reads how many virtual GPUs there are to be.
pub fn gpus(text: &str) -> Result<u32, String> {
    let count = text.parse().ok();
    count
        .filter(|count| (1..=MOST_GPUS).contains(count))
        .ok_or_else(|| format!("write a whole number from 1 to {MOST_GPUS}"))
}

/// The fewest columns that a finding can be read in.
const LEAST_COLUMNS: usize = 40;

/// Reads how many columns there are to write into.
pub fn columns(text: &str) -> Result<usize, String> {
    let count = text.parse().ok();
    count
        .filter(|count| (LEAST_COLUMNS..=usize::from(u16::MAX)).contains(count))
        .ok_or_else(|| format!("write a whole number of columns, at least {LEAST_COLUMNS}"))
}

/// Reads a number of seconds, of which 0 stands for never.
pub fn seconds(text: &str) -> Result<u32, String> {
    text.parse()
        .map_err(|_| "write a whole number of seconds; 0 means never".to_owned())
}

/// Reads a time to wait, in seconds.
pub fn delay(text: &str) -> Result<f64, String> {
    let seconds = text.parse().ok();
    seconds
        .filter(|seconds| (0.0..=LONGEST_DELAY).contains(seconds))
        .ok_or_else(|| format!("write a number of seconds from 0 to {LONGEST_DELAY}, such as 2.5"))
}

/// The longest time to wait: a day, in seconds.
const LONGEST_DELAY: f64 = 86_400.0;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_are_read_in_the_units_of_gpu_memory() {
        assert_eq!(size("80GB"), Ok(80 << 30));
        assert_eq!(size("512 MiB"), Ok(512 << 20));
        assert_eq!(size("1.5g"), Ok(3 << 29));
        assert_eq!(size("1073741824"), Ok(1 << 30));
    }

    #[test]
    fn sizes_that_make_no_sense_are_refused() {
        for text in [
            "",
            "GB",
            "80XB",
            "-1GB",
            "1e9",
            "0",
            "1MB",
            "9999999TB",
            "1.2.3GB",
        ] {
            assert!(size(text).is_err(), "{text}");
        }
    }

    #[test]
    fn there_can_be_1_to_64_virtual_gpus() {
        assert_eq!(gpus("1"), Ok(1));
        assert_eq!(gpus("64"), Ok(64));
        for text in ["", "0", "65", "-1", "two", "1.5"] {
            assert!(gpus(text).is_err(), "{text}");
        }
    }

    #[test]
    fn a_schedule_is_a_word_or_a_seed() {
        for text in [
            "eager",
            "lazy",
            "race",
            "random:0",
            "random:18446744073709551615",
        ] {
            assert_eq!(schedule(text).as_deref(), Ok(text));
        }
        for text in ["", "Lazy", "random", "random:", "random:x", "random:-1"] {
            assert!(schedule(text).is_err(), "{text}");
        }
    }

    #[test]
    fn a_missing_unit_is_named() {
        assert_eq!(
            size("24"),
            Err("a unit is missing: 24GB, or 24MB".to_owned())
        );
        assert_eq!(
            size("24MB"),
            Err("too little for PyTorch; at least 256MB".to_owned())
        );
    }

    #[test]
    fn numbers_out_of_range_are_refused_in_words() {
        assert_eq!(columns("40"), Ok(40));
        assert_eq!(seconds("0"), Ok(0));
        assert_eq!(delay("0.5"), Ok(0.5));
        for text in ["", "x", "-1", "1e99", "nan", "99999999999"] {
            for refused in [
                columns(text).err(),
                seconds(text).err(),
                delay(text).err(),
                gpus(text).err(),
            ] {
                let refused = refused.expect(text);
                assert!(refused.starts_with("write a "), "{refused}");
            }
        }
    }
}
