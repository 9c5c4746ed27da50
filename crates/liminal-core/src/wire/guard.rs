//! Whether an agent asks before it acts. Owns the words; which modes of which agent ask is decided by the shell.

use crate::wire_enum::wire_enum;

wire_enum! {
    /// Whether an agent asks before it acts.
    #[derive(Default)]
    Guard {
        /// The agent asks before it acts, or cannot act at all.
        #[default]
        Asks = "asks",
        /// The agent may act without asking: it is not known to ask, or its own configuration decides.
        MayAct = "may_act",
        /// The agent acts without asking.
        Unguarded = "unguarded",
    }
}

impl Guard {
    /// Whether nothing needs to be said about it.
    #[must_use]
    pub const fn asks(&self) -> bool {
        matches!(self, Self::Asks)
    }
}
