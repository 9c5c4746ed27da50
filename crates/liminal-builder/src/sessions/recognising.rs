//! Files in what was said. Owns that they are known again where an agent tells them: it remembers what a file looked
//! like, and not which one of ours it was.

use std::collections::BTreeSet;

use liminal_core::envelope::StreamEventEnvelope;
use liminal_core::event::{Attachment, FinalItem, ItemDone, MessageItem, StreamEvent};
use liminal_core::ids::{AttachmentId, SessionId};
use liminal_core::upsert::{MessageBody, Upsert, UpsertBody};

use super::attaching::ids;
use super::{Failure, Sessions};
use crate::log::{Entry, Kind, Limit};
use crate::provider::OpenedAgent;

impl Sessions {
    /// What was sent with files in a session, oldest first.
    pub(super) async fn sent_with_files(&self, id: &SessionId) -> Result<Vec<MessageBody>, Failure> {
        let (mut sent, mut after) = (Vec::new(), 0);
        loop {
            let page = self.0.parts.log.later(id, after, Limit::PAGE).await?;
            sent.extend(page.entries.iter().filter_map(shown_with_files));
            after = page.through;
            if after >= page.head.seq {
                return Ok(sent);
            }
        }
    }

    /// A fork has the files of the history that it takes over, whatever becomes of its source.
    pub(super) async fn inherit(&self, source: &SessionId, fork: &mut OpenedAgent) -> Result<(), Failure> {
        if attached(&fork.history).is_empty() {
            return Ok(());
        }
        recognise(&mut fork.history, self.sent_with_files(source).await?);
        let files = ids(&attached(&fork.history)).into_iter().collect();
        let shared = self.0.parts.attachments.share(source, &fork.session_id, files, self.now()).await?;
        drop_others(&mut fork.history, &shared);
        Ok(())
    }
}

/// The files that came with what was said.
pub(super) fn attached(past: &[StreamEventEnvelope]) -> Vec<Attachment> {
    past.iter().filter_map(with_files).flat_map(|message| message.attachments.clone()).collect()
}

/// Puts the files that were sent to where an agent tells of them. Each message is known once, in its order.
pub(super) fn recognise(past: &mut [StreamEventEnvelope], mut sent: Vec<MessageBody>) {
    for told in past.iter_mut().filter_map(message_mut) {
        let Some(place) = sent.iter().position(|sent| is_same(sent, told)) else { continue };
        told.attachments = sent.remove(place).attachments;
    }
}

/// A file that is not there has no id.
fn drop_others(past: &mut [StreamEventEnvelope], there: &BTreeSet<AttachmentId>) {
    let files = past.iter_mut().filter_map(message_mut).flat_map(|message| &mut message.attachments);
    for file in files {
        file.id = file.id.take().filter(|id| there.contains(id));
    }
}

fn is_same(sent: &MessageBody, told: &MessageItem) -> bool {
    let mut files = sent.attachments.iter().zip(&told.attachments);
    !told.attachments.is_empty()
        && sent.attachments.len() == told.attachments.len()
        && sent.origin == told.origin
        && sent.content.trim() == told.content.trim()
        && files.all(|(sent, told)| is_same_file(sent, told))
}

/// Agents forget what images are called, and of texts which kind they are.
fn is_same_file(sent: &Attachment, told: &Attachment) -> bool {
    let is_same_image = sent.is_image() && sent.mime_type == told.mime_type;
    sent.bytes == told.bytes && (is_same_image || sent.name == told.name)
}

fn shown_with_files(entry: &Entry) -> Option<MessageBody> {
    let item: Upsert = serde_json::from_slice(&entry.bytes).ok().filter(|_| entry.kind() == Kind::Upsert)?;
    match item.body {
        UpsertBody::Message(message) => Some(message).filter(|message| !message.attachments.is_empty()),
        UpsertBody::Thinking(_)
        | UpsertBody::ToolCall(_)
        | UpsertBody::Plan(_)
        | UpsertBody::Permission(_) => None,
    }
}

fn with_files(event: &StreamEventEnvelope) -> Option<&MessageItem> {
    let StreamEvent::ItemDone(ItemDone { final_item: FinalItem::Message(message), .. }) = &event.payload
    else {
        return None;
    };
    Some(message).filter(|message| !message.attachments.is_empty())
}

const fn message_mut(event: &mut StreamEventEnvelope) -> Option<&mut MessageItem> {
    let StreamEvent::ItemDone(ItemDone { final_item: FinalItem::Message(message), .. }) = &mut event.payload
    else {
        return None;
    };
    Some(message)
}
