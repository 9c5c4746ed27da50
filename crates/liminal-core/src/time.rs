//! Time as data. Owns the wire's timestamp and the moment a machine is told; reads no clock.

use std::fmt;
use std::time::Duration;

use jiff::civil::DateTime;
use jiff::tz::Offset;
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Deserializer, Serialize, Serializer, de};
use ts_rs::TS;

/// The moment at which a machine is asked to act.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Now {
    /// For deadlines: never goes back, its origin is the caller's.
    pub mono: Duration,
    /// For people: what a wall clock shows.
    pub wall: jiff::Timestamp,
}

impl Now {
    /// The moment an instant of wall time stands for when wall time is the only clock, as in a replay.
    #[must_use]
    pub fn at(wall: jiff::Timestamp) -> Self {
        Self { mono: since_epoch(wall), wall }
    }

    /// The later moment that lies `mono` on the monotonic clock.
    #[must_use]
    pub fn advanced_to(self, mono: Duration) -> Self {
        let step = mono.saturating_sub(self.mono);
        let wall = self.wall.checked_add(step).unwrap_or(jiff::Timestamp::MAX);
        Self { mono: self.mono.max(mono), wall }
    }
}

/// A duration from the epoch; the time before it counts as the epoch, since deadlines only ever look ahead.
fn since_epoch(wall: jiff::Timestamp) -> Duration {
    Duration::try_from(wall.duration_since(jiff::Timestamp::UNIX_EPOCH)).unwrap_or_default()
}

/// An RFC 3339 UTC timestamp that is written exactly as it was read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Timestamp {
    instant: jiff::Timestamp,
    fraction_digits: u8,
    mark: UtcMark,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
enum UtcMark {
    Zulu,
    ZeroOffset,
}

const EXPECTED: &str = "an RFC 3339 UTC timestamp such as `2026-01-31T12:00:00.000Z`";

impl Timestamp {
    /// Reads a timestamp; anything but RFC 3339 in UTC gives `None`.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let (local, mark) = split_mark(text)?;
        let (seconds, fraction) = split_fraction(local)?;
        let instant = Offset::UTC.to_timestamp(date_time(seconds, fraction)?).ok()?;
        Some(Self { instant, fraction_digits: u8::try_from(fraction.len()).ok()?, mark })
    }

    /// The point in time.
    #[must_use]
    pub const fn instant(self) -> jiff::Timestamp {
        self.instant
    }
}

/// Written in milliseconds like JavaScript does, with more digits only where the instant has them.
impl From<jiff::Timestamp> for Timestamp {
    fn from(instant: jiff::Timestamp) -> Self {
        let nanoseconds = instant.subsec_nanosecond();
        let fraction_digits = match nanoseconds {
            n if n % 1_000_000 == 0 => 3,
            n if n % 1_000 == 0 => 6,
            _ => 9,
        };
        Self { instant, fraction_digits, mark: UtcMark::Zulu }
    }
}

fn split_mark(text: &str) -> Option<(&str, UtcMark)> {
    if let Some(local) = text.strip_suffix('Z') {
        return Some((local, UtcMark::Zulu));
    }
    text.strip_suffix("+00:00").map(|local| (local, UtcMark::ZeroOffset))
}

fn split_fraction(local: &str) -> Option<(&str, &str)> {
    let Some((seconds, fraction)) = local.split_once('.') else { return Some((local, "")) };
    (1..=9).contains(&fraction.len()).then_some((seconds, fraction))
}

fn date_time(seconds: &str, fraction: &str) -> Option<DateTime> {
    let &[y1, y2, y3, y4, b'-', m1, m2, b'-', d1, d2, b'T', h1, h2, b':', i1, i2, b':', s1, s2] =
        seconds.as_bytes()
    else {
        return None;
    };
    let pair = |tens, ones| i8::try_from(number(&[tens, ones])?).ok();
    let year = i16::try_from(number(&[y1, y2, y3, y4])?).ok()?;
    let nanoseconds = number(fraction.as_bytes())? * 10_i32.pow(9 - u32::try_from(fraction.len()).ok()?);
    let (month, day) = (pair(m1, m2)?, pair(d1, d2)?);
    DateTime::new(year, month, day, pair(h1, h2)?, pair(i1, i2)?, pair(s1, s2)?, nanoseconds).ok()
}

fn number(digits: &[u8]) -> Option<i32> {
    digits
        .iter()
        .try_fold(0_i32, |sum, digit| digit.is_ascii_digit().then(|| sum * 10 + i32::from(digit - b'0')))
}

impl fmt::Display for Timestamp {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let local = Offset::UTC.to_datetime(self.instant);
        write!(formatter, "{local:.*}", usize::from(self.fraction_digits))?;
        formatter.write_str(match self.mark {
            UtcMark::Zulu => "Z",
            UtcMark::ZeroOffset => "+00:00",
        })
    }
}

impl Serialize for Timestamp {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Timestamp {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Text;
        impl de::Visitor<'_> for Text {
            type Value = Timestamp;

            fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
                formatter.write_str(EXPECTED)
            }

            fn visit_str<E: de::Error>(self, text: &str) -> Result<Timestamp, E> {
                Timestamp::parse(text).ok_or_else(|| E::invalid_value(de::Unexpected::Str(text), &self))
            }
        }
        deserializer.deserialize_str(Text)
    }
}

impl JsonSchema for Timestamp {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "Timestamp".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({ "type": "string", "format": "date-time", "description": EXPECTED })
    }
}

impl TS for Timestamp {
    type WithoutGenerics = Self;
    type OptionInnerType = Self;

    fn name(_: &ts_rs::Config) -> String {
        "string".to_owned()
    }

    fn inline(config: &ts_rs::Config) -> String {
        Self::name(config)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_timestamp_is_written_as_it_was_read() {
        for text in [
            "2026-01-31T12:00:00Z",
            "2026-01-31T12:00:00.1Z",
            "2026-01-31T12:00:00.120Z",
            "2026-01-31T12:00:00.123456789Z",
            "2026-01-31T12:00:00.123456+00:00",
            "0001-01-01T00:00:00.000Z",
            "2024-02-29T23:59:59.999Z",
        ] {
            assert_eq!(Timestamp::parse(text).expect(text).to_string(), text);
        }
    }

    #[test]
    fn what_is_not_rfc_3339_in_utc_is_refused() {
        for text in [
            "",
            "Z",
            "now",
            "2026-01-31",
            "2026-01-31T12:00:00",
            "2026-01-31 12:00:00Z",
            "2026-01-31T12:00Z",
            "2026-01-31T12:00:00+02:00",
            "2026-01-31T12:00:00-00:00",
            "2026-13-01T00:00:00Z",
            "2026-02-30T00:00:00Z",
            "2026-01-31T24:00:00Z",
            "2026-01-31T12:00:60Z",
            "2026-01-31T12:00:00.Z",
            "2026-01-31T12:00:00.1234567890Z",
            "2026-01-31t12:00:00z",
            "+2026-01-31T12:00:00Z",
            "2026-01-31T12:00:00.12x4Z",
            "２０２６-01-31T12:00:00Z",
        ] {
            assert_eq!(Timestamp::parse(text), None, "{text}");
        }
    }

    #[test]
    fn an_instant_is_written_in_milliseconds_unless_it_is_finer() {
        let instant = |text: &str| Timestamp::from(text.parse::<jiff::Timestamp>().expect(text)).to_string();
        assert_eq!(instant("2026-01-31T12:00:00Z"), "2026-01-31T12:00:00.000Z");
        assert_eq!(instant("2026-01-31T12:00:00.0001Z"), "2026-01-31T12:00:00.000100Z");
        assert_eq!(instant("2026-01-31T12:00:00.000000001Z"), "2026-01-31T12:00:00.000000001Z");
    }
}
