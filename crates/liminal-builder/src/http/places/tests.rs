use tokio::task::JoinSet;
use tokio::time::advance;

use super::*;

fn places(connections: usize) -> Places {
    Places::new(Limits { connections, ..Limits::default() })
}

/// Holds a place as a connection does: until its client goes, or it is dismissed.
async fn connect(place: Place) {
    place.standing().dismissed().await;
    drop(place);
}

/// Whether a place is free without waiting.
async fn is_free(places: &Places) -> bool {
    timeout_at(Instant::now(), places.take()).await.is_ok()
}

#[test]
fn guests_have_a_quarter_of_the_places_and_at_least_one() {
    for (connections, guests) in [(1, 1), (8, 2), (1024, 256), (65_536, 256)] {
        assert_eq!(Limits { connections, ..Limits::default() }.guests(), guests);
    }
}

#[tokio::test(start_paused = true)]
async fn the_guest_that_is_idle_for_longest_makes_room() {
    let places = places(8);
    let first = places.take().await;
    advance(Duration::from_millis(10)).await;
    let second = places.take().await;
    let begun = Instant::now();
    let mut connections = JoinSet::new();
    let (first_leaves, second_stays) = (first.standing(), second.standing());
    connections.spawn(connect(first));
    connections.spawn(connect(second));
    let third = places.take().await;
    assert_eq!(begun.elapsed(), Duration::from_millis(240), "it had 250 ms in all");
    assert!(*first_leaves.0.is_dismissed.borrow() && !*second_stays.0.is_dismissed.borrow());
    drop(third);
}

#[tokio::test(start_paused = true)]
async fn a_guest_whose_request_is_being_answered_has_two_seconds() {
    let places = places(4);
    let busy = places.take().await;
    busy.standing().busy();
    let begun = Instant::now();
    let mut connections = JoinSet::new();
    connections.spawn(connect(busy));
    drop(places.take().await);
    assert_eq!(begun.elapsed(), Duration::from_secs(2));
}

#[tokio::test(start_paused = true)]
async fn requests_without_credentials_do_not_prolong_the_time_of_a_guest() {
    let places = places(4);
    let place = places.take().await;
    let (standing, begun) = (place.standing(), Instant::now());
    let mut connections = JoinSet::new();
    connections.spawn(connect(place));
    connections.spawn(async move {
        loop {
            advance(Duration::from_millis(100)).await;
            standing.busy();
            standing.idle();
        }
    });
    drop(places.take().await);
    assert!(begun.elapsed() <= Duration::from_millis(2_100), "{:?}", begun.elapsed());
}

#[tokio::test(start_paused = true)]
async fn a_connection_with_credentials_keeps_its_place_and_counts_for_the_limit() {
    let places = places(4);
    let mut members = Vec::new();
    for _ in 0..4 {
        let place = places.take().await;
        place.standing().admit();
        place.standing().admit();
        members.push(place);
    }
    advance(Duration::from_secs(3600)).await;
    assert!(!is_free(&places).await);
    assert!(members.iter().all(|place| !*place.0.0.is_dismissed.borrow()));
    drop(members.pop());
    assert!(is_free(&places).await);
}

#[tokio::test(start_paused = true)]
async fn credentials_that_come_in_time_keep_a_guest_that_was_to_leave() {
    let places = places(4);
    let place = places.take().await;
    let standing = place.standing();
    advance(Duration::from_secs(1)).await;
    assert!(!is_free(&places).await);
    assert!(*standing.0.is_dismissed.borrow());
    standing.admit();
    assert!(timeout_at(Instant::now() + Duration::from_secs(60), standing.dismissed()).await.is_err());
    assert!(is_free(&places).await, "there are more places for guests");
    drop(place);
}

#[tokio::test(start_paused = true)]
async fn behind_a_crowd_of_idle_guests_a_place_is_free_within_seconds() {
    let places = places(1024);
    let mut connections = JoinSet::new();
    let begun = Instant::now();
    for _ in 0..1_100 {
        connections.spawn(connect(places.take().await));
    }
    let owner = places.take().await;
    assert!(begun.elapsed() <= Duration::from_millis(1_250), "{:?}", begun.elapsed());
    owner.standing().admit();
    advance(Duration::from_secs(60)).await;
    assert!(!*owner.0.0.is_dismissed.borrow());
}

#[tokio::test(start_paused = true)]
async fn nobody_leaves_while_nobody_waits() {
    let places = places(4);
    let place = places.take().await;
    advance(Duration::from_secs(3600)).await;
    assert!(!*place.0.0.is_dismissed.borrow());
    places.relieve();
    assert!(*place.0.0.is_dismissed.borrow(), "unless the system is short of files");
}
