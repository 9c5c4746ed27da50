//! How values are read. Owns the forms a value may have in a file and in a text, and how it is shown.

use std::fmt;
use std::net::IpAddr;
use std::path::{Path, PathBuf};

use serde_json::Value;
use toml::de::DeValue;

use crate::http::web_origin::WebOrigin;
use crate::log::Durability;

const LEVELS: [&str; 6] = ["off", "error", "warn", "info", "debug", "trace"];

/// A value as it was given.
pub(super) enum Given<'a> {
    /// In the environment or on the command line.
    Text(&'a str),
    /// In a file.
    Toml(&'a DeValue<'a>),
}

/// What a value may be beyond its form.
#[derive(Debug, Clone, Copy)]
pub(super) enum Rule {
    Any,
    /// Each number of it is between these, both included.
    Between(u64, u64),
}

/// A value that can be set.
pub(super) trait Readable: Sized {
    /// What it must be, as in "must be a number".
    const EXPECTED: &'static str;

    fn of_text(text: &str) -> Option<Self>;

    fn of_toml(value: &DeValue<'_>) -> Option<Self> {
        value.as_str().and_then(Self::of_text)
    }

    fn numbers(&self) -> Vec<u64> {
        Vec::new()
    }

    fn show(&self) -> Value;
}

pub(super) fn read<T: Readable>(given: &Given<'_>, rule: Rule) -> Result<T, String> {
    let value = match given {
        Given::Text(text) => T::of_text(text),
        Given::Toml(value) => T::of_toml(value),
    };
    let value = value.ok_or_else(|| expected::<T>(rule))?;
    let is_allowed = match rule {
        Rule::Any => true,
        Rule::Between(least, most) => value.numbers().iter().all(|number| (least..=most).contains(number)),
    };
    if is_allowed { Ok(value) } else { Err(expected::<T>(rule)) }
}

fn expected<T: Readable>(rule: Rule) -> String {
    match rule {
        Rule::Any => format!("must be {}", T::EXPECTED),
        Rule::Between(least, most) => format!("must be {} from {least} to {most}", T::EXPECTED),
    }
}

/// How much is logged: a level, or levels for parts of the program.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Filter(String);

impl Filter {
    /// The text: `info`, or `warn,liminal_builder::session=debug`.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl Default for Filter {
    fn default() -> Self {
        Self("info".to_owned())
    }
}

/// A name by which the server may be addressed: no wildcard, no scheme, no port.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HostName(String);

impl HostName {
    /// The name, in lower case.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for HostName {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.0)
    }
}

/// What the keys of one group of servers begin with.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KeyPrefix(String);

impl KeyPrefix {
    /// The text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl Default for KeyPrefix {
    fn default() -> Self {
        Self("liminal".to_owned())
    }
}

impl Readable for KeyPrefix {
    const EXPECTED: &'static str = "1 to 64 letters, digits, `-`, `_`, `.` or `:`";

    fn of_text(text: &str) -> Option<Self> {
        let is_allowed = |byte: u8| byte.is_ascii_alphanumeric() || b"-_.:".contains(&byte);
        ((1..=64).contains(&text.len()) && text.bytes().all(is_allowed)).then(|| Self(text.to_owned()))
    }

    fn show(&self) -> Value {
        self.0.as_str().into()
    }
}

impl Readable for u64 {
    const EXPECTED: &'static str = "a whole number";

    fn of_text(text: &str) -> Option<Self> {
        text.trim().parse().ok()
    }

    fn of_toml(value: &DeValue<'_>) -> Option<Self> {
        let number = value.as_integer()?;
        Self::from_str_radix(number.as_str(), number.radix()).ok()
    }

    fn numbers(&self) -> Vec<u64> {
        vec![*self]
    }

    fn show(&self) -> Value {
        (*self).into()
    }
}

impl Readable for u16 {
    const EXPECTED: &'static str = "a port from 0 to 65535";

    fn of_text(text: &str) -> Option<Self> {
        u64::of_text(text)?.try_into().ok()
    }

    fn of_toml(value: &DeValue<'_>) -> Option<Self> {
        u64::of_toml(value)?.try_into().ok()
    }

    fn show(&self) -> Value {
        (*self).into()
    }
}

impl Readable for bool {
    const EXPECTED: &'static str = "true or false";

    fn of_text(text: &str) -> Option<Self> {
        text.trim().parse().ok()
    }

    fn of_toml(value: &DeValue<'_>) -> Option<Self> {
        value.as_bool()
    }

    fn show(&self) -> Value {
        (*self).into()
    }
}

impl Readable for IpAddr {
    const EXPECTED: &'static str = "an IP address such as 127.0.0.1 or ::1";

    fn of_text(text: &str) -> Option<Self> {
        text.trim().parse().ok()
    }

    fn show(&self) -> Value {
        self.to_string().into()
    }
}

impl Readable for Vec<IpAddr> {
    const EXPECTED: &'static str = "a list of IP addresses";

    fn of_text(text: &str) -> Option<Self> {
        text.split(',').map(str::trim).filter(|address| !address.is_empty()).map(proxy).collect()
    }

    fn of_toml(value: &DeValue<'_>) -> Option<Self> {
        value.as_array()?.iter().map(|address| proxy(address.get_ref().as_str()?)).collect()
    }

    fn show(&self) -> Value {
        self.iter().map(IpAddr::to_string).collect()
    }
}

fn proxy(text: &str) -> Option<IpAddr> {
    Some(IpAddr::of_text(text)?.to_canonical())
}

impl Readable for Option<WebOrigin> {
    const EXPECTED: &'static str = "an address such as https://builder.example, without a path";

    fn of_text(text: &str) -> Option<Self> {
        WebOrigin::parse(text.trim()).map(Some)
    }

    fn show(&self) -> Value {
        self.as_ref().map(WebOrigin::to_string).into()
    }
}

impl Readable for Vec<WebOrigin> {
    const EXPECTED: &'static str = "a list of origins such as https://app.example, without a path or *";

    fn of_text(text: &str) -> Option<Self> {
        text.split(',').map(str::trim).filter(|origin| !origin.is_empty()).map(WebOrigin::parse).collect()
    }

    fn of_toml(value: &DeValue<'_>) -> Option<Self> {
        value.as_array()?.iter().map(|origin| WebOrigin::parse(origin.get_ref().as_str()?)).collect()
    }

    fn show(&self) -> Value {
        self.iter().map(WebOrigin::to_string).collect()
    }
}

impl Readable for Option<PathBuf> {
    const EXPECTED: &'static str = "the full path of a file or directory";

    fn of_text(text: &str) -> Option<Self> {
        (!text.is_empty()).then(|| Some(text.into()))
    }

    /// A file does not know where the program will be started.
    fn of_toml(value: &DeValue<'_>) -> Option<Self> {
        value.as_str().filter(|text| Path::new(text).is_absolute()).and_then(Self::of_text)
    }

    fn show(&self) -> Value {
        self.as_ref().map(|path| path.display().to_string()).into()
    }
}

impl Readable for Vec<u64> {
    const EXPECTED: &'static str = "a list of 1 to 32 whole numbers, each";

    fn of_text(text: &str) -> Option<Self> {
        of_items(text.split(',').map(u64::of_text))
    }

    fn of_toml(value: &DeValue<'_>) -> Option<Self> {
        of_items(value.as_array()?.iter().map(|number| u64::of_toml(number.get_ref())))
    }

    fn numbers(&self) -> Vec<u64> {
        self.clone()
    }

    fn show(&self) -> Value {
        self.clone().into()
    }
}

fn of_items(items: impl Iterator<Item = Option<u64>>) -> Option<Vec<u64>> {
    let numbers: Vec<u64> = items.collect::<Option<_>>()?;
    (1..=32).contains(&numbers.len()).then_some(numbers)
}

impl Readable for Vec<HostName> {
    const EXPECTED: &'static str = "a list of host names such as builder.example, without scheme, port or *";

    fn of_text(text: &str) -> Option<Self> {
        text.split(',').map(str::trim).filter(|name| !name.is_empty()).map(host_name).collect()
    }

    fn of_toml(value: &DeValue<'_>) -> Option<Self> {
        value.as_array()?.iter().map(|name| host_name(name.get_ref().as_str()?)).collect()
    }

    fn show(&self) -> Value {
        self.iter().map(HostName::to_string).collect()
    }
}

/// `0.0.0.0` and `::` name every address and therefore none.
fn host_name(text: &str) -> Option<HostName> {
    let name = text.trim().to_ascii_lowercase();
    let address: Option<IpAddr> = name.trim_matches(['[', ']']).parse().ok();
    let is_label = |label: &str| {
        let allowed = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'-' || byte == b'_';
        (1..=63).contains(&label.len()) && !label.starts_with('-') && label.bytes().all(allowed)
    };
    let is_sound = match address {
        Some(address) => !address.is_unspecified(),
        None => name.len() <= 253 && name.split('.').all(is_label),
    };
    is_sound.then_some(HostName(name))
}

impl Readable for Durability {
    const EXPECTED: &'static str = "`grouped` or `synced`";

    fn of_text(text: &str) -> Option<Self> {
        match text {
            "grouped" => Some(Self::Grouped),
            "synced" => Some(Self::Synced),
            _ => None,
        }
    }

    fn show(&self) -> Value {
        match self {
            Self::Grouped => "grouped",
            Self::Synced => "synced",
        }
        .into()
    }
}

impl Readable for Filter {
    const EXPECTED: &'static str = "off, error, warn, info, debug or trace, or such as `warn,MODULE=debug`";

    fn of_text(text: &str) -> Option<Self> {
        let is_level = |level: &str| LEVELS.contains(&level);
        let is_module = |name: &str| {
            !name.is_empty()
                && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"_:-".contains(&byte))
        };
        let is_sound = |part: &str| match part.split_once('=') {
            Some((module, level)) => is_module(module) && is_level(level),
            None => is_level(part),
        };
        text.split(',').all(is_sound).then(|| Self(text.to_owned()))
    }

    fn show(&self) -> Value {
        self.0.as_str().into()
    }
}
