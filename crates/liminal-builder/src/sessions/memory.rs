//! What was said in a session before, for agents that remember nothing. Owns how it is read from the log of events.

use liminal_core::envelope::{self, StreamEventEnvelope};
use liminal_core::ids::SessionId;

use super::{Failure, Sessions};

/// Events that are read at once; a conversation has many, and each is small.
const PAGE: usize = 1000;

impl Sessions {
    /// The events of a session that are still kept, oldest first. What cannot be read any more is left out.
    pub(super) async fn memory(&self, session: &SessionId) -> Result<Vec<StreamEventEnvelope>, Failure> {
        let (mut memory, mut after) = (Vec::new(), 0);
        loop {
            let page = self.0.parts.events.events(session, after, PAGE).await?;
            let Some((last, _)) = page.last() else { return Ok(memory) };
            after = *last;
            let texts = page.iter().filter_map(|(_, event)| std::str::from_utf8(event).ok());
            memory.extend(texts.filter_map(|text| envelope::read(text).ok()?.event()));
        }
    }
}
