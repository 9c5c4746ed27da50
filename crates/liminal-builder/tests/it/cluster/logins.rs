//! Browsers behind one address: who is let in by one server is let in by all, and so is who is logged out.

use super::super::client::Client;
use super::super::figures::{Stopwatch, tell};
use super::super::reader::{Reader, begin};
use super::super::socket::{Heard, Socket};
use super::super::world::wait_until;
use super::front::Front;
use super::team::{Member, Team};

const SLOW: &str = "!split 1 !say 200 !think 60 !say 200";
/// A browser that is not let in any more.
const CLOSED: u16 = 4401;

/// Two servers behind one address.
fn behind(team: &Team, front: &Front) -> [Member; 2] {
    ["one", "two"].map(|name| {
        let member = team.member_at(name, &front.url());
        front.leads_to(&member.client);
        member
    })
}

/// A new one-time code of one of the servers.
fn code(member: &Member) -> String {
    let fresh = member.client.act("/auth/code");
    let url = fresh.json()["url"].as_str().unwrap().to_owned();
    url.split_once("/#c=").unwrap().1.to_owned()
}

fn meta(client: &Client) -> u16 {
    client.get("/api/meta").status
}

#[test]
fn r24_a_browser_that_logs_in_once_uses_all_servers_behind_one_address() {
    let (team, front) = (Team::new(), Front::new());
    let [one, two] = behind(&team, &front);
    let session = team.create(&one);
    let code = code(&one);
    let browser = front.let_in(&code);
    for _ in 0..6 {
        assert_eq!(meta(&browser), 200);
        let listed = browser.get("/api/projects");
        assert_eq!(listed.status, 200, "{listed:?}");
    }
    // Whichever server it is that the code is shown to again.
    for _ in 0..2 {
        let (again, cookie) = front.exchange(&code);
        assert_eq!((again.code().as_str(), cookie), ("CODE_USED", None));
    }
    let mut calm = Reader::join(&one.client, &session, None);
    let (mut shown, mut sockets, mut resets) = (super::super::shown::Shown::default(), 0, 0);
    for _ in 0..2 {
        let turn = begin(&browser, &session, SLOW);
        while !shown.has_ended(&turn) {
            let mut socket = Socket::open(&browser);
            let (cursor, before) = (shown.cursor(), shown.resets);
            socket.subscribe(&session, cursor.as_deref(), None);
            let frames = socket.take_some(3, std::time::Duration::from_millis(50));
            frames.into_iter().for_each(|message| shown.apply(message));
            shown.cut();
            sockets += 1;
            // Whoever has no cursor yet gets everything, as often as that does not come in time.
            resets += if cursor.is_some() { shown.resets - before } else { 0 };
        }
        calm.until_end(&turn);
    }
    let mut last = Reader::rejoin(&browser, &session, shown, None);
    last.until("it has caught up", |shown| shown.seq >= calm.shown.seq);
    last.shown.assert_same(&calm.shown);
    last.shown.assert_settled();
    // One that is faster than the copy in Redis is told that it has to begin anew.
    assert!(resets * 4 <= sockets, "{resets} of {sockets} cursors were of no use");
    let by = [&one, &two].map(|member| front.led_to(&member.client));
    assert!(by.iter().all(|led| *led > 8), "{by:?}");
    tell(
        "R24",
        &format!("one login, {sockets} sockets and {by:?} connections at two servers: {resets} resets"),
    );
}

#[test]
fn d05_rotation_at_one_server_logs_browsers_out_at_all() {
    let (team, front) = (Team::new(), Front::new());
    let [one, two] = behind(&team, &front);
    let browser = front.let_in(&code(&two));
    let waiting = code(&two);
    // One after the other: at the one and at the other server.
    let mut sockets = [Socket::open(&browser), Socket::open(&browser)];
    let mut program = Socket::open(&two.client);
    let begun = Stopwatch::start();
    assert_eq!(one.client.act("/auth/rotate").status, 204);
    for socket in &mut sockets {
        assert_eq!(socket.end(), Some(CLOSED));
    }
    tell("D5", &format!("logged out at all servers after {} ms", begun.elapsed().as_millis()));
    for _ in 0..4 {
        assert_eq!(meta(&browser), 401);
    }
    assert_eq!(front.exchange(&waiting).0.code(), "CODE_INVALID");
    // The token is each server's own: the other's is still good, and nobody interrupts whoever uses it.
    assert_eq!((meta(&one.client), meta(&two.client)), (401, 200));
    assert!(matches!(program.next_within(std::time::Duration::from_millis(50)), Heard::Nothing));
    let again = front.let_in(&code(&two));
    assert!((0..4).all(|_| meta(&again) == 200));
    // A server that was away meanwhile forgets them when it comes back.
    one.kill();
    assert_eq!(two.client.act("/auth/rotate").status, 204);
    let one = team.member_at("one", &front.url());
    assert_eq!(meta(&Client { address: one.client.address, ..again }), 401);
}

#[test]
fn c31_logins_that_a_server_knows_are_good_while_redis_is_gone() {
    let (team, front) = (Team::new(), Front::new());
    let [one, two] = behind(&team, &front);
    let known = front.let_in(&code(&one));
    assert!((0..2).all(|_| meta(&known) == 200));
    team.redis.borrow_mut().kill();
    wait_until("both have noticed", || {
        [&one, &two].iter().all(|member| member.client.get("/readyz").body.contains("Redis"))
    });
    assert!((0..4).all(|_| meta(&known) == 200));
    // Let in by one alone; the other says why it cannot tell.
    let at = |member: &Member, client: &Client| Client {
        address: member.client.address,
        headers: client.headers.clone(),
    };
    let code = code(&one);
    let tried: Vec<_> = (0..2).map(|_| front.exchange(&code)).collect();
    let statuses: Vec<_> = tried.iter().map(|(answer, _)| answer.status).collect();
    assert!(statuses.contains(&200) && statuses.contains(&503), "{tried:?}");
    let (entered, cookie) = tried.into_iter().find(|(answer, _)| answer.status == 200).unwrap();
    let key = entered.json()["key"].as_str().unwrap().to_owned();
    let headers =
        format!("{}Cookie: {}\r\nX-Liminal-Key: {key}\r\n", front.stranger().headers, cookie.unwrap());
    let fresh = Client { headers, ..front.stranger() };
    assert_eq!(meta(&at(&one, &fresh)), 200);
    let refused = at(&two, &fresh).get("/api/meta");
    assert_eq!((refused.status, refused.code().as_str()), (503, "REDIS_UNREACHABLE"), "{refused:?}");
    // Everybody is logged out here, and there when it can be told.
    let rotated = two.client.act("/auth/rotate");
    assert_eq!((rotated.status, rotated.code().as_str()), (503, "REDIS_UNREACHABLE"), "{rotated:?}");
    assert_eq!((meta(&at(&one, &known)), meta(&two.client)), (200, 401));
    team.redis.borrow_mut().restart();
    wait_until("the other has heard of it", || {
        meta(&at(&one, &known)) == 401 && meta(&at(&one, &fresh)) == 401
    });
    wait_until("it answers to nobody else either", || meta(&at(&two, &known)) == 401);
}

#[test]
fn r23_logins_outlive_a_redis_that_forgets_everything() {
    let (team, front) = (Team::new(), Front::new());
    let [one, two] = behind(&team, &front);
    let browser = front.let_in(&code(&one));
    let only = [&one, &two].into_iter().find(|member| front.led_to(&member.client) == 1).unwrap();
    let other = [&one, &two].into_iter().find(|member| member.client.address != only.client.address).unwrap();
    team.redis.borrow().flush();
    let at = |member: &Member| Client { address: member.client.address, headers: browser.headers.clone() };
    assert_eq!(meta(&at(only)), 200);
    wait_until("it was told again", || meta(&at(other)) == 200);
    // What Redis holds of it is of no use to whoever reads it.
    let kept: Vec<String> = team.redis.borrow().ask(&["HGETALL", "liminal:logins"]);
    assert_eq!(kept.len(), 2, "{kept:?}");
    let secrets = browser.headers.split(['=', ' ', '\r']).filter(|word| word.len() == 64);
    assert!(
        secrets.clone().count() == 2 && secrets.into_iter().all(|secret| !kept.concat().contains(secret))
    );
}
