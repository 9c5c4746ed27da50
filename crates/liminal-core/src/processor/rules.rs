//! What a profile asks of the processor, as data. Owns every difference between the profiles but the encoding.

use std::sync::Arc;
use std::time::Duration;

use crate::item_limit::ITEM_BYTES;
use crate::upsert::UpsertBody;

/// Which consumers the outputs are for.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Profile {
    /// Browsers and API clients: one item per tool call, every item reaches an end.
    #[default]
    UpsertV1,
    /// The older Redis consumers: calls and outputs apart, thresholds as running totals.
    StreamB,
}

impl Profile {
    pub(super) const fn rules(self) -> Rules {
        match self {
            Self::UpsertV1 => Rules {
                tokens: TokenRule::Words,
                thresholds: ThresholdRule::SinceEmission,
                hold: HoldRule::Nothing,
                tools: ToolRule::OneItem,
                ending: EndingRule::CloseItems,
            },
            Self::StreamB => Rules {
                tokens: TokenRule::QuarterChars,
                thresholds: ThresholdRule::Cumulative,
                hold: HoldRule::UserMessages,
                tools: ToolRule::SeparateItems,
                ending: EndingRule::FlushItems,
            },
        }
    }

    /// The older consumers know neither plans nor permission requests.
    const fn extra_items(self) -> ExtraItems {
        match self {
            Self::UpsertV1 => ExtraItems { plans: true, permissions: true },
            Self::StreamB => ExtraItems { plans: false, permissions: false },
        }
    }

    /// The thresholds used when none are given.
    #[must_use]
    pub const fn default_gradient(self) -> &'static [u64] {
        match self {
            Self::UpsertV1 => &[10, 20, 40, 80, 120],
            Self::StreamB => {
                &[10, 10, 20, 20, 50, 50, 50, 50, 100, 100, 200, 200, 500, 500, 1000, 1000, 2000]
            }
        }
    }
}

/// Which items go out beyond messages, thoughts and tools.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct ExtraItems {
    /// Task lists.
    pub plans: bool,
    /// Permission requests.
    pub permissions: bool,
}

/// A profile's rules.
#[derive(Debug, Clone, Copy)]
pub(super) struct Rules {
    pub(super) tokens: TokenRule,
    pub(super) thresholds: ThresholdRule,
    pub(super) hold: HoldRule,
    pub(super) tools: ToolRule,
    pub(super) ending: EndingRule,
}

/// What counts as a token.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum TokenRule {
    /// A run of non-white-space.
    Words,
    /// Four characters, rounded up over the whole text.
    QuarterChars,
}

/// What is compared with a threshold.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ThresholdRule {
    /// The tokens since the last emission, with one threshold.
    SinceEmission,
    /// All tokens, with the sum of the thresholds so far.
    Cumulative,
}

/// What waits until it is done.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum HoldRule {
    Nothing,
    UserMessages,
}

/// How a tool call shows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ToolRule {
    /// As one item: created by the call, completed by its output.
    OneItem,
    /// As two items, each shown once it is done.
    SeparateItems,
}

/// What becomes of items that fail, or are open when the turn ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum EndingRule {
    /// They reach an end of their own.
    CloseItems,
    /// What is unemitted goes out, and that is all.
    FlushItems,
}

/// How a processor batches.
#[derive(Debug, Clone)]
pub struct Config {
    pub(super) profile: Profile,
    pub(super) gradient: Arc<[u64]>,
    pub(super) idle_timeout: Duration,
    pub(super) first_emission: Option<Duration>,
    pub(super) announce_arguments: bool,
    pub(super) item_bytes: usize,
    extra_items: ExtraItems,
}

impl Default for Config {
    fn default() -> Self {
        Self::new(Profile::default())
    }
}

impl Config {
    /// The defaults of a profile.
    #[must_use]
    pub fn new(profile: Profile) -> Self {
        Self {
            profile,
            gradient: profile.default_gradient().into(),
            idle_timeout: Duration::from_secs(1),
            first_emission: None,
            announce_arguments: false,
            item_bytes: ITEM_BYTES,
            extra_items: profile.extra_items(),
        }
    }

    /// Other thresholds; an empty list means the profile's own.
    #[must_use]
    pub fn with_gradient(mut self, thresholds: &[u64]) -> Self {
        let default = self.profile.default_gradient();
        self.gradient = if thresholds.is_empty() { default } else { thresholds }.into();
        self
    }

    /// How long an item may be silent before what is unemitted goes out.
    #[must_use]
    pub const fn with_idle_timeout(mut self, timeout: Duration) -> Self {
        self.idle_timeout = timeout;
        self
    }

    /// How long the first words of an item may wait, however fast others follow.
    #[must_use]
    pub const fn with_first_emission(mut self, within: Duration) -> Self {
        self.first_emission = Some(within);
        self
    }

    /// Shows a call's final arguments as soon as they are known, and not only with its output.
    #[must_use]
    pub const fn announcing_arguments(mut self) -> Self {
        self.announce_arguments = true;
        self
    }

    /// How long a text may grow, in bytes.
    #[must_use]
    pub const fn with_item_bytes(mut self, limit: usize) -> Self {
        self.item_bytes = limit;
        self
    }

    /// Which items go out beyond messages, thoughts and tools.
    #[must_use]
    pub const fn with_extra_items(mut self, extra: ExtraItems) -> Self {
        self.extra_items = extra;
        self
    }

    pub(super) const fn shows(&self, body: &UpsertBody) -> bool {
        match body {
            UpsertBody::Message(_) | UpsertBody::Thinking(_) | UpsertBody::ToolCall(_) => true,
            UpsertBody::Plan(_) => self.extra_items.plans,
            UpsertBody::Permission(_) => self.extra_items.permissions,
        }
    }

    /// The thresholds in force.
    #[must_use]
    pub fn gradient(&self) -> &[u64] {
        &self.gradient
    }
}
