use std::net::Ipv4Addr;

use super::*;

const PEER: IpAddr = IpAddr::V4(Ipv4Addr::LOCALHOST);
const DAY: i64 = 24 * 3600;

fn credentials() -> Credentials {
    let (token, sessions) = (Arc::new(ProgramToken::fleeting()), Arc::new(InMemory::default()));
    Credentials::new(CookieNames::new(4747, "a1"), token, sessions, None)
}

fn at(seconds: i64) -> Now {
    Now::at(jiff::Timestamp::from_second(seconds).unwrap())
}

async fn check(
    credentials: &Credentials,
    cookie: &str,
    key: &str,
    now: Now,
) -> Result<Caller, CredentialFault> {
    credentials.check(&Presented::Browser { cookies: vec![cookie], key }, PEER, now).await
}

#[tokio::test]
async fn a_code_becomes_a_session_of_two_halves() {
    let credentials = credentials();
    let code = credentials.new_code(at(0)).await;
    let browser = credentials.exchange(code.text(), PEER, at(1)).await.unwrap();
    let (cookie, key) = (browser.cookie.text(), browser.key.text());
    assert_eq!((cookie.len(), key.len()), (64, 64));
    let caller = check(&credentials, cookie, key, at(2)).await.unwrap();
    assert_eq!(caller, Caller::Browser(browser.cookie.digest()));
    for (cookie, key) in [(cookie, cookie), (key, key), (key, cookie), (cookie, ""), ("", key)] {
        assert!(matches!(check(&credentials, cookie, key, at(2)).await, Err(CredentialFault::Wrong)));
    }
    let again = credentials.exchange(code.text(), PEER, at(2)).await;
    assert!(matches!(again, Err(CredentialFault::CodeUsed)));
}

#[tokio::test]
async fn the_halves_of_two_browsers_do_not_mix() {
    let credentials = credentials();
    let enter =
        async || credentials.exchange(credentials.new_code(at(0)).await.text(), PEER, at(0)).await.unwrap();
    let (one, other) = (enter().await, enter().await);
    assert!(check(&credentials, one.cookie.text(), other.key.text(), at(0)).await.is_err());
    let planted = Presented::Browser { cookies: vec!["planted", one.cookie.text()], key: one.key.text() };
    assert!(credentials.check(&planted, PEER, at(0)).await.is_ok());
}

#[tokio::test]
async fn a_session_lives_while_it_is_used_and_thirty_days_beyond() {
    let credentials = credentials();
    let browser = credentials.exchange(credentials.new_code(at(0)).await.text(), PEER, at(0)).await.unwrap();
    let check = |day: i64| check(&credentials, browser.cookie.text(), browser.key.text(), at(day * DAY));
    assert!(check(29).await.is_ok());
    assert!(check(58).await.is_ok());
    assert!(matches!(check(88).await, Err(CredentialFault::Wrong)));
}

#[tokio::test]
async fn rotation_ends_sessions_codes_and_the_token() {
    let credentials = credentials();
    let browser = credentials.exchange(credentials.new_code(at(0)).await.text(), PEER, at(0)).await.unwrap();
    let (code, old) = (credentials.new_code(at(0)).await, credentials.token().text());
    credentials.rotate().await.unwrap();
    assert!(check(&credentials, browser.cookie.text(), browser.key.text(), at(1)).await.is_err());
    assert!(credentials.exchange(code.text(), PEER, at(1)).await.is_err());
    let token = async |text| credentials.check(&Presented::Bearer(text), PEER, at(1)).await;
    assert!(matches!(token(&old).await, Err(CredentialFault::Wrong)));
    assert_eq!(token(&credentials.token().text()).await.unwrap(), Caller::Token);
}

#[tokio::test]
async fn those_who_are_right_do_not_wait_for_those_who_are_wrong() {
    let credentials = credentials();
    let code = credentials.new_code(at(0)).await;
    for attempt in 0..200 {
        let fault = credentials.exchange("guess", PEER, at(1)).await.unwrap_err();
        assert_eq!(matches!(fault, CredentialFault::TooMany(_)), attempt >= 10, "{attempt}");
    }
    let token = credentials.token().text();
    assert!(credentials.check(&Presented::Bearer(&token), PEER, at(1)).await.is_ok());
    assert!(credentials.exchange(code.text(), PEER, at(1)).await.is_ok());
    // Whoever shows nothing makes no guess.
    assert!(matches!(
        credentials.check(&Presented::Nothing, PEER, at(1)).await,
        Err(CredentialFault::Missing)
    ));
}

#[tokio::test]
async fn nothing_secret_is_shown_for_debugging() {
    let credentials = credentials();
    let shown = format!("{credentials:?} {:?}", credentials.new_code(at(0)).await);
    assert!(!shown.contains(&credentials.token().text()), "{shown}");
    assert!(shown.contains("liminal_4747_"));
}
