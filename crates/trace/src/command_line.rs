//! Command lines as they are kept and shown: without what looks like a secret.
//!
//! A command line gets into traces and reports, which people send to each other. What is masked is decided by the name that a value
//! is given by, and by forms that only secrets have. A name counts by its last words, so that `--api-key` is one and
//! `--max-tokens` and `--pad-token-id` are none.

use std::ffi::OsStr;

use crate::written::shown;

/// What stands in the place of a secret.
const MASK: &str = "***";

/// Names of secrets, in words; a longer name may end in them.
const SECRETS: &[&[&str]] = &[
    &["password"],
    &["passwd"],
    &["passphrase"],
    &["passcode"],
    &["pwd"],
    &["secret"],
    &["secrets"],
    &["credential"],
    &["credentials"],
    &["apikey"],
    &["api", "key"],
    &["access", "key"],
    &["account", "key"],
    &["auth", "key"],
    &["encryption", "key"],
    &["license", "key"],
    &["private", "key"],
    &["secret", "key"],
    &["wandb", "key"],
    &["signature"],
    &["sig"],
    &["bearer"],
    &["authorization"],
    &["token"],
];

/// Words before `token` that make it one of a vocabulary, or a count.
const OF_A_VOCABULARY: &[&str] = &[
    "additional",
    "audio",
    "begin",
    "bos",
    "class",
    "cls",
    "continuation",
    "decoder",
    "each",
    "end",
    "eos",
    "eot",
    "every",
    "fim",
    "first",
    "forced",
    "image",
    "last",
    "mask",
    "new",
    "next",
    "pad",
    "padding",
    "per",
    "prefix",
    "prompt",
    "sep",
    "separator",
    "special",
    "start",
    "stop",
    "suffix",
    "trigger",
    "unk",
    "unknown",
    "video",
    "vision",
];

/// Values that say whether, and not what.
const NO_SECRETS: &[&str] = &[
    "", "true", "false", "none", "null", "yes", "no", "on", "off", MASK,
];

/// How values begin that services give out as secrets, and how many characters of a key follow at least.
const FORMS: &[(&str, usize)] = &[
    ("hf_", 16),
    ("api_org_", 16),
    ("sk-", 16),
    ("sk_live_", 16),
    ("ghp_", 20),
    ("gho_", 20),
    ("ghs_", 20),
    ("ghu_", 20),
    ("github_pat_", 20),
    ("glpat-", 16),
    ("nvapi-", 16),
    ("wandb_v1_", 16),
    ("xoxb-", 16),
    ("xoxp-", 16),
    ("AKIA", 16),
    ("ASIA", 16),
    ("AIza", 30),
    ("eyJ", 40),
];

/// A command line with what looks like a secret masked.
pub fn masked<W: AsRef<OsStr>>(words: &[W]) -> Vec<String> {
    let mut is_secret = false;
    words
        .iter()
        .map(|word| {
            let word = shown(word.as_ref());
            let is_value = std::mem::take(&mut is_secret) && !word.starts_with("--");
            if is_value && !is_harmless(&word) {
                return MASK.to_owned();
            }
            is_secret = is_option(&word) && names_secret(&word);
            masked_word(&word)
        })
        .collect()
}

/// Whether a word is the name of an option whose value is the next word.
fn is_option(word: &str) -> bool {
    word.starts_with('-') && word.bytes().all(is_of_name)
}

fn masked_word(word: &str) -> String {
    // All of an option's value is its value, with spaces and what else there is.
    if let Some((name, value)) = word.split_once('=')
        && name.bytes().all(is_of_name)
        && names_secret(name)
    {
        let value = if is_harmless(value) { value } else { MASK };
        return format!("{name}={value}");
    }
    let mut text = String::new();
    let mut rest = word;
    while let Some(first) = rest.chars().next() {
        let is_start = !text.bytes().next_back().is_some_and(is_of_name);
        let found = is_start.then(|| secret_at(rest, &text)).flatten();
        if let Some(Secret { before, length }) = found {
            text.push_str(&rest[..before]);
            text.push_str(MASK);
            rest = &rest[before + length..];
        } else {
            text.push(first);
            rest = &rest[first.len_utf8()..];
        }
    }
    text
}

/// A secret in a text: how many bytes stand before it, and how many it has.
struct Secret {
    before: usize,
    length: usize,
}

/// A secret that begins at the beginning of a text, or is the value of what is named there; `earlier` stands before the text.
fn secret_at(text: &str, earlier: &str) -> Option<Secret> {
    form(text)
        .or_else(|| user_of_address(text, earlier))
        .or_else(|| named(text))
}

/// A key by its form.
fn form(text: &str) -> Option<Secret> {
    let is_of_key = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.');
    FORMS.iter().find_map(|(begin, least)| {
        let key = text.strip_prefix(begin)?;
        let length = key.bytes().take_while(is_of_key).count();
        let is_key = length >= *least && key[..length].bytes().any(|it| it.is_ascii_digit());
        is_key.then_some(Secret {
            before: 0,
            length: begin.len() + length,
        })
    })
}

/// The password of an address, or its user where there is no password and the scheme has no users that are no secrets.
fn user_of_address(text: &str, earlier: &str) -> Option<Secret> {
    let scheme = earlier.strip_suffix("://")?;
    let end = text
        .find(['/', '?', '#', ' ', '"', '\''])
        .unwrap_or(text.len());
    let user = &text[..text[..end].rfind('@')?];
    match user.split_once(':') {
        Some((name, password)) if !password.is_empty() => Some(Secret {
            before: name.len() + 1,
            length: password.len(),
        }),
        None if scheme.ends_with("http") || scheme.ends_with("https") => Some(Secret {
            before: 0,
            length: user.len(),
        }),
        _ => None,
    }
}

/// The value of a secret that is named in the midst of a word: in an address, in a setting, in code, in a header.
fn named(text: &str) -> Option<Secret> {
    let name = text.bytes().take_while(|it| is_of_name(*it)).count();
    if name == 0 || !names_secret(&text[..name]) {
        return None;
    }
    let after = text[name..].trim_start_matches(['"', '\'', ']']);
    let value = after.trim_start().strip_prefix(['=', ':'])?;
    let value = value.trim_start_matches(['=', ' ']);
    let (value, is_quoted) = match value.strip_prefix(['"', '\'']) {
        Some(value) => (value, true),
        None => (value, false),
    };
    // `Authorization: Bearer KEY`
    let kind = ["Bearer ", "Basic "];
    let value = kind
        .iter()
        .find_map(|it| value.strip_prefix(it))
        .unwrap_or(value);
    let is_quote = |it: char| matches!(it, '"' | '\'');
    let ends_word = |it: char| it.is_whitespace() || matches!(it, '&' | ';' | ',' | ')' | '}');
    let is_end = |it: char| is_quote(it) || (!is_quoted && ends_word(it));
    let length = value.find(is_end).unwrap_or(value.len());
    (!is_harmless(&value[..length])).then(|| Secret {
        before: text.len() - value.len(),
        length,
    })
}

fn is_of_name(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.')
}

fn is_harmless(value: &str) -> bool {
    NO_SECRETS.iter().any(|it| value.eq_ignore_ascii_case(it))
}

/// Whether what has this name is a secret.
fn names_secret(name: &str) -> bool {
    let words = words_of(name);
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    SECRETS.iter().any(|secret| words.ends_with(secret))
        && !matches!(words.as_slice(), [.., kind, "token"] if OF_A_VOCABULARY.contains(kind))
}

/// The words of a name, in lower case: those between `-`, `_` and `.`, and each that begins with a capital.
fn words_of(name: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    let mut was_lower = false;
    for it in name.chars() {
        let is_border = matches!(it, '-' | '_' | '.');
        if is_border || (was_lower && it.is_ascii_uppercase()) {
            words.push(String::new());
        }
        if !is_border && let Some(word) = words.last_mut() {
            word.push(it.to_ascii_lowercase());
        }
        was_lower = it.is_ascii_lowercase();
    }
    words.retain(|word| !word.is_empty());
    words
}

#[cfg(test)]
mod tests {
    use std::os::unix::ffi::OsStrExt as _;

    use super::*;

    /// A key of a form, which the text of this file does not have, so that nobody takes it for a real one.
    fn key(begin: &str) -> String {
        format!("{begin}{}", "Ab3d".repeat(10))
    }

    fn line(words: &[&str]) -> String {
        masked(words).join(" ")
    }

    #[test]
    fn what_names_call_a_secret_is_masked() {
        for (line, shown) in [
            ("--password=abc --lr=3", "--password=*** --lr=3"),
            ("--password abc --lr 3", "--password *** --lr 3"),
            ("--token X", "--token ***"),
            ("--api-key X", "--api-key ***"),
            ("--api_key=X", "--api_key=***"),
            ("--apiKey=X", "--apiKey=***"),
            ("--hf-token X", "--hf-token ***"),
            ("--hub_token=X", "--hub_token=***"),
            ("--use_auth_token=X", "--use_auth_token=***"),
            ("--aws-secret-access-key X", "--aws-secret-access-key ***"),
            ("WANDB_API_KEY=X", "WANDB_API_KEY=***"),
            ("wandb.api_key=X", "wandb.api_key=***"),
            ("--db-password 1234", "--db-password ***"),
            ("-password=X", "-password=***"),
            ("--client-secret X", "--client-secret ***"),
        ] {
            let words: Vec<&str> = line.split(' ').collect();
            assert_eq!(masked(&words).join(" "), shown);
        }
        assert_eq!(line(&["--password=a b'c"]), "--password=***");
    }

    #[test]
    fn what_only_sounds_like_a_secret_is_shown() {
        for line in [
            "--max-tokens 128",
            "--max_new_tokens=128",
            "--tokenizer gpt2",
            "--tokenizer=gpt2",
            "--pad-token-id 0",
            "--pad-token <pad>",
            "--eos_token=</s>",
            "--stop-token 2",
            "--tokens-per-batch 4096",
            "--time-per-token 3",
            "--image-token <image>",
            "--num-tokens 7",
            "--password-file /run/secrets/db",
            "--token-dim 64",
            "--secret-size 4",
            "--key value",
            "--sort-key length",
            "--keyboard us",
            "--monkey 3",
            "--use-auth-token true --lr 3",
            "--use-auth-token --lr 3",
            "--revision 0123456789abcdef0123456789abcdef01234567",
            "https://example.org/a:b@c",
            "ssh://git@example.org/a",
            "git@example.org:a/b.git",
            "hf_hub_download",
            "sk-learn",
            "sk-learn-intelex-patched-version",
            "--hf_home /models",
            "s3://bucket/AKIA/data",
            "--design=3",
            "--passes=4",
            "--bypass 3",
        ] {
            let words: Vec<&str> = line.split(' ').collect();
            assert_eq!(masked(&words).join(" "), line);
        }
    }

    #[test]
    fn keys_are_known_by_their_form_wherever_they_stand() {
        for begin in FORMS.iter().map(|(begin, _)| *begin) {
            let key = key(begin);
            assert_eq!(line(&[&key]), MASK, "{begin}");
            assert_eq!(line(&["--login", &key, "b"]), "--login *** b");
            assert_eq!(line(&[&format!("--login={key}")]), "--login=***");
            let code = format!("login('{key}'); go()");
            assert_eq!(line(&["-c", &code]), "-c login('***'); go()");
        }
    }

    #[test]
    fn addresses_headers_and_code_lose_their_secrets_alone() {
        for (word, shown) in [
            (
                "https://me:pw@example.org/a",
                "https://me:***@example.org/a",
            ),
            ("https://pw@example.org/a", "https://***@example.org/a"),
            (
                "postgresql://me:p:w@db:5432/x",
                "postgresql://me:***@db:5432/x",
            ),
            ("--db=redis://:pw@db", "--db=redis://:***@db"),
            ("https://a/b?token=pw&c=d", "https://a/b?token=***&c=d"),
            (
                "https://a/b?X-Amz-Signature=pw&c=d",
                "https://a/b?X-Amz-Signature=***&c=d",
            ),
            ("Authorization: Bearer pw", "Authorization: Bearer ***"),
            (
                "connect(password='p w', port=3)",
                "connect(password='***', port=3)",
            ),
            (
                "{\"api_key\": \"pw\", \"a\": 1}",
                "{\"api_key\": \"***\", \"a\": 1}",
            ),
            (
                "os.environ['HF_TOKEN'] = 'pw'",
                "os.environ['HF_TOKEN'] = '***'",
            ),
            (
                "model(pad_token='x', tokens=3)",
                "model(pad_token='x', tokens=3)",
            ),
        ] {
            assert_eq!(line(&[word]), shown);
        }
    }

    #[test]
    fn what_is_masked_stays_so() {
        let once = masked(&["--token", "X", "--password=y", "https://a:b@c"]);
        assert_eq!(masked(&once), once);
    }

    #[test]
    fn bytes_that_are_no_text_are_written_out() {
        let words = [b"--name=\xff".as_slice(), b"--password=\xff"].map(OsStr::from_bytes);
        assert_eq!(masked(&words), ["--name=\\xff", "--password=***"]);
    }
}
