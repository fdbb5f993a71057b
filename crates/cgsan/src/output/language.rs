//! The language of the output.

use std::env;

use cgsan_catalogue::Language;

use crate::cli::Lang;

impl From<Lang> for Language {
    fn from(language: Lang) -> Self {
        match language {
            Lang::En => Language::English,
            Lang::Zh => Language::Chinese,
        }
    }
}

/// The language of messages, by the custom of POSIX: the first of the variables that is set and not empty.
pub fn of_the_locale() -> Language {
    let locale = ["LC_ALL", "LC_MESSAGES", "LANG"]
        .into_iter()
        .filter_map(|name| env::var(name).ok())
        .find(|value| !value.is_empty());
    Language::of_locale(&locale.unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn chinese_locales_are_answered_in_chinese() {
        for locale in ["zh_CN.UTF-8", "zh", "ZH_TW"] {
            assert_eq!(Language::of_locale(locale), Language::Chinese, "{locale}");
        }
        for locale in ["", "C", "POSIX", "en_US.UTF-8", "de_DE"] {
            assert_eq!(Language::of_locale(locale), Language::English, "{locale}");
        }
    }
}
