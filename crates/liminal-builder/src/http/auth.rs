//! Letting browsers in and out. Owns how a session reaches a browser; who is let in is the credentials' business.

use axum::Json;
use axum::extract::{Extension, State};
use axum::http::header::{HeaderName, SET_COOKIE};
use liminal_core::wire::access::{BrowserKey, ExchangeCode, FreshAddress};

use super::answers::Done;
use super::app::App;
use super::extract::JsonBody;
use super::gate::Peer;
use super::host::Authority;
use super::ledger::Target;
use super::problem::ApiError;

/// A one-time code for both halves of a session: one as a cookie, one as the answer.
pub(super) async fn exchange(
    State(app): State<App>,
    Extension(Peer(peer)): Extension<Peer>,
    Extension(own): Extension<Authority>,
    JsonBody(ExchangeCode { code }): JsonBody<ExchangeCode>,
) -> Result<(Extension<Target>, [(HeaderName, String); 1], Json<BrowserKey>), ApiError> {
    let browser = app.credentials().exchange(&code, peer, app.now()).await?;
    let name = app.credentials().cookie_name(own.is_secure());
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
    Json(FreshAddress { url: app.fresh_url() })
}

/// Ends every browser's session and the token of programs.
pub(super) async fn rotate(State(app): State<App>) -> Result<Done, ApiError> {
    app.rotate().await?;
    Ok(Done)
}
