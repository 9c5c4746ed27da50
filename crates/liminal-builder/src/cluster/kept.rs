//! What keeps a message from being sent twice, also by another server. Owns the copies of receipts and deliveries that
//! travel with a session.

use jiff::Timestamp;
use liminal_core::ids::{SessionId, TurnId};
use redis::{Cmd, Pipeline, pipe};
use serde_json::Value;

use super::{Cluster, ClusterError};
use crate::store::{Delivery, KeptReceipt, Receipt};

const DAY_SECONDS: i64 = 24 * 60 * 60;
/// Receipts are of use for two days; the third is for those who begin at its end.
const KEPT_SECONDS: i64 = 3 * DAY_SECONDS;

/// What travels with a session.
#[derive(Debug, Default)]
pub struct Kept {
    /// Requests by their keys.
    pub receipts: Vec<KeptReceipt>,
    /// Messages on their way to the agent.
    pub deliveries: Vec<Delivery>,
}

impl Cluster {
    /// Keeps a request, and a message that goes to the agent because of it. Others know both when this resolves.
    pub async fn keep(
        &self,
        session: &SessionId,
        receipt: Option<&KeptReceipt>,
        delivery: Option<&Delivery>,
    ) -> Result<(), ClusterError> {
        let mut keeping = pipe();
        if let Some(receipt) = receipt {
            self.keep_receipt(&mut keeping, session, receipt)?;
        }
        if let Some(delivery) = delivery {
            let key = self.0.keys.deliveries(session);
            // Whatever came before has ended: there is one turn at a time.
            keeping.del(&key).ignore();
            keeping.hset(&key, delivery.turn_id.as_str(), serde_json::to_string(delivery)?).ignore();
        }
        Ok(self.0.link.query(&keeping).await?)
    }

    fn keep_receipt(
        &self,
        keeping: &mut Pipeline,
        session: &SessionId,
        receipt: &KeptReceipt,
    ) -> Result<(), ClusterError> {
        let key = self.0.keys.receipts(session, day(receipt.begun_at));
        keeping.hset(&key, &receipt.key, serde_json::to_string(receipt)?).ignore();
        keeping.expire(&key, KEPT_SECONDS).ignore();
        Ok(())
    }

    /// Forgets a request that failed, so that it can be tried again.
    pub async fn let_go(&self, session: &SessionId, key: &str, now: Timestamp) -> Result<(), ClusterError> {
        let mut forgetting = pipe();
        // It may have begun before midnight.
        for day in [day(now) - 1, day(now)] {
            forgetting.hdel(self.0.keys.receipts(session, day), key).ignore();
        }
        Ok(self.0.link.query(&forgetting).await?)
    }

    /// Forgets a message that certainly did not reach the agent.
    pub async fn recall(&self, session: &SessionId, turn: &TurnId) -> Result<(), ClusterError> {
        let key = self.0.keys.deliveries(session);
        Ok(self.0.link.query(&Cmd::hdel(key, turn.as_str())).await?)
    }

    /// What came with a session.
    pub async fn kept(&self, session: &SessionId, now: Timestamp) -> Result<Kept, ClusterError> {
        let mut asking = pipe();
        for day in day(now) - 2..=day(now) + 1 {
            asking.hvals(self.0.keys.receipts(session, day));
        }
        asking.hvals(self.0.keys.deliveries(session));
        let mut answers: Vec<Vec<String>> = self.0.link.query(&asking).await?;
        let deliveries = answers.pop().unwrap_or_default();
        let deliveries: Result<Vec<Delivery>, _> =
            deliveries.iter().map(|text| serde_json::from_str(text)).collect();
        let receipts: Result<Vec<KeptReceipt>, _> =
            answers.iter().flatten().map(|text| serde_json::from_str(text)).collect();
        Ok(Kept { receipts: receipts?, deliveries: deliveries? })
    }

    /// Looks for a request that belongs to no session, and notes it if it is new.
    pub async fn begin_once(&self, scope: &str, receipt: &KeptReceipt) -> Result<Receipt, ClusterError> {
        let key = self.0.keys.receipt(scope, &receipt.key);
        let mut set = redis::cmd("SET");
        set.arg(&key).arg(serde_json::to_string(receipt)?).arg("NX").arg("EX").arg(KEPT_SECONDS).arg("GET");
        let before: Option<String> = self.0.link.query(&set).await?;
        let Some(before) = before else { return Ok(Receipt::New) };
        let before: KeptReceipt = serde_json::from_str(&before)?;
        Ok(match before.is_done {
            _ if before.digest != receipt.digest => Receipt::Mismatch,
            true => Receipt::Done(before.answer),
            false => Receipt::Running,
        })
    }

    /// Keeps the answer to such a request, or forgets one that failed.
    pub async fn finish_once(
        &self,
        scope: &str,
        receipt: KeptReceipt,
        answer: Option<Value>,
    ) -> Result<(), ClusterError> {
        let key = self.0.keys.receipt(scope, &receipt.key);
        let Some(answer) = answer else { return Ok(self.0.link.query(&Cmd::del(key)).await?) };
        let done = serde_json::to_string(&KeptReceipt { is_done: true, answer, ..receipt })?;
        Ok(self.0.link.query(redis::cmd("SET").arg(key).arg(done).arg("EX").arg(KEPT_SECONDS)).await?)
    }
}

fn day(at: Timestamp) -> i64 {
    at.as_second().div_euclid(DAY_SECONDS)
}
