//! How a request becomes a socket. Owns the answer that agrees to it; what is said afterwards is not known here.

use axum::body::Body;
use axum::extract::{FromRequestParts, Request};
use axum::http::header::SEC_WEBSOCKET_PROTOCOL;
use axum::http::request::Parts;
use axum::http::{HeaderMap, HeaderValue};
use axum::response::Response;
use hyper::upgrade::OnUpgrade;
use liminal_core::error::ErrorCode;
use tokio_tungstenite::tungstenite::handshake::server::create_response;

use super::super::problem::ApiError;

pub(in super::super) const PROTOCOL: &str = "liminal.v1";

/// A request to become a socket.
#[derive(Debug)]
pub(in super::super) struct Upgrade {
    /// What agrees to it.
    pub(super) answer: Response,
    /// What the connection becomes, once that is sent.
    pub(super) connection: OnUpgrade,
}

impl<S: Send + Sync> FromRequestParts<S> for Upgrade {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, _state: &S) -> Result<Self, ApiError> {
        let mut answer = create_response(&without_body(parts)).map_err(|error| wrong(&error.to_string()))?;
        let connection = parts.extensions.remove::<OnUpgrade>();
        let connection = connection.ok_or_else(|| wrong("this connection cannot become one"))?;
        if is_offered(&parts.headers) {
            answer.headers_mut().insert(SEC_WEBSOCKET_PROTOCOL, HeaderValue::from_static(PROTOCOL));
        }
        Ok(Self { answer: answer.map(|()| Body::empty()), connection })
    }
}

fn without_body(parts: &Parts) -> Request<()> {
    let mut request = Request::new(());
    *request.method_mut() = parts.method.clone();
    *request.version_mut() = parts.version;
    *request.headers_mut() = parts.headers.clone();
    request
}

/// Whether the client speaks our protocol. Browsers refuse an answer with one that they did not name.
fn is_offered(headers: &HeaderMap) -> bool {
    let offers = headers.get_all(SEC_WEBSOCKET_PROTOCOL).iter().filter_map(|offer| offer.to_str().ok());
    offers.flat_map(|offer| offer.split(',')).any(|offer| offer.trim() == PROTOCOL)
}

fn wrong(why: &str) -> ApiError {
    ApiError::new(ErrorCode::InvalidRequest, format!("open this path as a WebSocket: {why}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_protocol_is_agreed_to_only_if_it_was_offered() {
        for (offers, agreed) in [
            (&["liminal.v1"][..], true),
            (&["key.abc, liminal.v1"], true),
            (&["key.abc", "liminal.v1"], true),
            (&["liminal.v11"], false),
            (&[], false),
        ] {
            let mut headers = HeaderMap::new();
            for offer in offers {
                headers.append(SEC_WEBSOCKET_PROTOCOL, offer.parse().unwrap());
            }
            assert_eq!(is_offered(&headers), agreed, "{offers:?}");
        }
    }
}
