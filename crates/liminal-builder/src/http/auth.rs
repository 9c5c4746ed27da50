//! Letting browsers in and out. Owns how a session reaches a browser; who is let in is the credentials' business.

use std::time::Duration;

use axum::Json;
use axum::extract::{Extension, State};
use axum::http::header::{HeaderName, SET_COOKIE};
use liminal_core::wire::access::{BrowserKey, ExchangeCode, FreshAddress};
use tokio::time::timeout;

use super::answers::Done;
use super::app::App;
use super::extract::JsonBody;
use super::gate::Peer;
use super::host::Authority;
use super::ledger::Target;
use super::problem::ApiError;
use crate::cluster::Cluster;

/// How soon it is noticed, whatever was lost on the way, that another server has logged everybody out.
const HEARTBEAT: Duration = Duration::from_secs(1);

/// Between two attempts to save what the disk does not accept.
const SAVE_AGAIN: Duration = Duration::from_secs(1);

/// A one-time code for both halves of a session: one as a cookie, one as the answer.
pub(super) async fn exchange(
    State(app): State<App>,
    Extension(Peer(peer)): Extension<Peer>,
    Extension(own): Extension<Authority>,
    JsonBody(ExchangeCode { code }): JsonBody<ExchangeCode>,
) -> Result<(Extension<Target>, [(HeaderName, String); 1], Json<BrowserKey>), ApiError> {
    let browser = app.credentials().exchange(&code, peer, app.now()).await?;
    let name = app.credentials().cookie_name(&own);
    let secure = if own.is_secure() { "; Secure" } else { "" };
    // The session decides when it ends; its cookie lives for as long as browsers keep any, 400 days.
    let cookie = format!(
        "{name}={}; HttpOnly; SameSite=Strict; Path=/; Max-Age=34560000{secure}",
        browser.cookie.text()
    );
    let target: String = browser.cookie.digest().to_text().chars().take(8).collect();
    Ok((
        Extension(Target(format!("browser:{target}"))),
        [(SET_COOKIE, cookie)],
        Json(BrowserKey { key: browser.key.text().to_owned() }),
    ))
}

/// The page's address with a new code, for `liminal url`.
pub(super) async fn new_code(State(app): State<App>) -> Json<FreshAddress> {
    Json(FreshAddress { url: app.fresh_url().await })
}

/// Hears of browsers that other servers log out and tells of those that are let in here, until the server stops.
pub(super) async fn follow_others(app: App) {
    let Some(mut ended) = app.sessions().others().map(Cluster::logins_ended) else { return };
    loop {
        tokio::select! {
            () = app.stopping() => return,
            _ = ended.changed() => {}
            // Nothing else tells that Redis has lost everything, or that news of it were lost.
            _ = timeout(HEARTBEAT, std::future::pending::<()>()) => {}
        }
        if let Err(error) = app.credentials().catch_up().await {
            tracing::debug!(%error, "cannot share browser sessions");
        }
    }
}

/// Saves browser sessions that the disk did not accept when they began, until the server stops.
pub(super) async fn save_logins(app: App) {
    let Some(mut unsaved) = app.credentials().unsaved() else { return };
    let mut is_stopping = false;
    while !is_stopping {
        tokio::select! {
            () = app.stopping() => is_stopping = true,
            _ = unsaved.wait_for(|count| *count > 0) => is_stopping = pause(&app).await,
        }
        if let Err(error) = app.credentials().save().await {
            tracing::debug!(%error, "cannot save logins yet");
        }
    }
}

/// Waits for the next attempt; returns whether it is the last one because the server stops.
async fn pause(app: &App) -> bool {
    timeout(SAVE_AGAIN, app.stopping()).await.is_ok()
}

/// Ends every browser's session and the token of programs.
pub(super) async fn rotate(State(app): State<App>) -> Result<Done, ApiError> {
    app.rotate().await?;
    Ok(Done)
}
