//! Who can reach the server, and what it shows to a network. Owns which settings do not go together.

use std::borrow::Cow;

use anyhow::{Result, bail};

use crate::config::{Config, RedisUrl};
use crate::http::{Reach, Tls};

/// What is set does not go together.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub struct ReachError(Cow<'static, str>);

/// Who can reach the server, as it is set.
pub(super) fn of(config: &Config) -> Result<Reach> {
    let (listen, security) = (&config.listen, &config.security);
    let tls = match (&listen.tls_cert, &listen.tls_key, &listen.socket) {
        (None, None, _) => None,
        (Some(certificate), Some(key), None) => Some(Tls::read(certificate, key)?),
        (_, _, Some(_)) => {
            bail!(ReachError("a socket needs no TLS; leave out tls-cert and tls-key, or the socket".into()))
        }
        (_, _, None) => bail!(ReachError("tls-cert and tls-key belong together; set both".into())),
    };
    let is_wide = listen.socket.is_none() && !listen.host.is_loopback();
    if security.insecure_no_auth
        && (is_wide || security.public_url.is_some() || !security.trusted_proxies.is_empty())
    {
        bail!(ReachError(
            "without credentials only this machine may ask; leave out insecure-no-auth, or host, public-url and trusted-proxies"
                .into()
        ));
    }
    Ok(Reach {
        tls,
        cors_origins: security.cors_origins.clone(),
        insecure_no_auth: security.insecure_no_auth,
        insecure_http: security.insecure_http,
        public_url: security.public_url.clone(),
        trusted_proxies: security.trusted_proxies.clone(),
    })
}

/// What is said in every session is not shown to a network, unless whoever starts the server wants that.
pub(super) fn check_redis(config: &Config) -> Result<(), ReachError> {
    let advice = config.redis.url.as_ref().and_then(RedisUrl::advice);
    match advice.filter(|_| !config.security.insecure_redis) {
        Some(advice) => Err(ReachError(format!("{advice}; or allow it with --insecure-redis").into())),
        None => Ok(()),
    }
}
