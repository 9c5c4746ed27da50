//! Owns the pipe to a model's API: a request is posted, and what comes back is cut into frames. The credentials are
//! known here and nowhere behind: no frame, error or debug output carries them.
//! May not know what a body or a payload means.

mod endpoint;
mod exchange;

use std::sync::Arc;
use std::time::Duration;

use liminal_core::dialect::model_api::exchange::Order;
use tokio::sync::mpsc;
use tokio::task::JoinSet;

use super::{AgentPipe, CloseReason, Closed, Frame, Later, SendError, SendFrame};
use crate::process::{ExitReport, StopLadder};
pub use endpoint::{Credential, Endpoint, EndpointError};
use exchange::Exchange;

/// Orders wait only while the one before is taken up.
const ORDERS_WAITING: usize = 16;
/// Frames that were read before somebody wanted them; a slow session slows the API down.
const FRAMES_WAITING: usize = 64;

/// How patient a connection is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct HttpPatience {
    /// With making a connection.
    pub connect: Duration,
    /// With an API that says nothing. A model may think for minutes without a word.
    pub silence: Duration,
}

impl Default for HttpPatience {
    fn default() -> Self {
        Self { connect: Duration::from_secs(20), silence: Duration::from_secs(600) }
    }
}

/// A pipe to a model's API; dropping it ends the request that is under way.
#[derive(Debug)]
pub struct HttpSsePipe {
    orders: mpsc::Sender<Order>,
    frames: mpsc::Receiver<Frame>,
    _task: JoinSet<()>,
}

impl HttpSsePipe {
    /// A pipe to this endpoint; nothing is sent yet. Must be called on a tokio runtime.
    #[must_use]
    pub fn new(endpoint: Arc<Endpoint>) -> Self {
        let (orders, received) = mpsc::channel(ORDERS_WAITING);
        let (sender, frames) = mpsc::channel(FRAMES_WAITING);
        let mut task = JoinSet::new();
        task.spawn(serve(endpoint, received, sender));
        Self { orders, frames, _task: task }
    }

    async fn receive(&mut self) -> Result<Vec<Frame>, Closed> {
        let mut frames = Vec::new();
        match self.frames.recv_many(&mut frames, FRAMES_WAITING).await {
            0 => Err(Closed { reason: CloseReason::Exited, exit: Some(ExitReport::without_process()) }),
            _ => Ok(frames),
        }
    }
}

impl AgentPipe for HttpSsePipe {
    fn pid(&self) -> Option<u32> {
        None
    }

    fn sender(&self) -> Arc<dyn SendFrame> {
        Arc::new(OrderSender { orders: self.orders.clone() })
    }

    fn recv_ready(&mut self) -> Later<'_, Result<Vec<Frame>, Closed>> {
        Box::pin(self.receive())
    }

    fn close(self: Box<Self>, _: StopLadder) -> Later<'static, ExitReport> {
        drop(self);
        Box::pin(async { ExitReport::without_process() })
    }
}

#[derive(Debug)]
struct OrderSender {
    orders: mpsc::Sender<Order>,
}

impl SendFrame for OrderSender {
    fn send(&self, frame: Vec<u8>) -> Later<'static, Result<(), SendError>> {
        let orders = self.orders.clone();
        Box::pin(async move {
            // A frame that is no order can do nothing here.
            let Some(order) = Order::read(&frame) else { return Ok(()) };
            orders.send(order).await.map_err(|_| SendError::Closed)
        })
    }
}

/// Carries out order after order; whatever is ordered next ends what is under way.
async fn serve(endpoint: Arc<Endpoint>, mut orders: mpsc::Receiver<Order>, frames: mpsc::Sender<Frame>) {
    let mut next = orders.recv().await;
    while let Some(order) = next {
        let Order::Send { request, body } = order else {
            next = orders.recv().await;
            continue;
        };
        let exchange = Exchange { endpoint: &endpoint, frames: &frames, request };
        tokio::select! {
            () = exchange.run(body) => next = orders.recv().await,
            order = orders.recv() => next = order,
        }
    }
}
