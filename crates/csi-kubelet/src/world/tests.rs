use super::*;

const SECOND: Duration = Duration::from_secs(1);

fn socket() -> PathBuf {
    "/r/a.sock".into()
}

fn register(instance: u64) -> Vec<Begin> {
    vec![Begin::Register {
        socket: socket(),
        instance: Instance(instance),
    }]
}

fn unregister() -> Vec<Begin> {
    vec![Begin::Unregister {
        socket: socket(),
        driver: "a.io".to_owned(),
    }]
}

/// A world in which the plugin is registered from this socket.
fn registered(instance: u64) -> World {
    let mut world = World::default();
    world.discover(&socket(), Instance(instance));
    assert_eq!(world.begin(Duration::ZERO), register(instance));
    world.add(&socket(), Instance(instance), "a.io");
    world.succeeded(&socket());
    world
}

#[test]
fn what_is_registered_is_left_alone() {
    let mut world = registered(1);
    assert!(!world.is_open());
    assert_eq!(world.begin(SECOND), []);
}

#[test]
fn a_path_has_one_operation_at_a_time() {
    let mut world = World::default();
    world.discover(&socket(), Instance(1));
    assert_eq!(world.begin(Duration::ZERO), register(1));
    assert_eq!(world.begin(SECOND), []);
    world.discover(&socket(), Instance(2));
    assert_eq!(world.begin(2 * SECOND), []);
}

#[test]
fn failures_are_followed_by_pauses_that_double_up_to_two_minutes() {
    let mut world = World::default();
    world.discover(&socket(), Instance(1));
    let mut now = Duration::ZERO;
    let mut pauses = Vec::new();
    for _ in 0..10 {
        assert_eq!(world.begin(now), register(1));
        let pause = world.failed(&socket(), now);
        assert!(world.will_retry(&socket()));
        // The pause is over only after its last moment.
        assert_eq!(world.begin(now + pause), []);
        now += pause + Duration::from_nanos(1);
        pauses.push(pause.as_secs_f64());
    }
    assert_eq!(
        pauses,
        [0.5, 1.0, 2.0, 4.0, 8.0, 16.0, 32.0, 64.0, 122.0, 122.0]
    );
}

#[test]
fn a_success_ends_the_pauses() {
    let mut world = World::default();
    world.discover(&socket(), Instance(1));
    world.begin(Duration::ZERO);
    world.failed(&socket(), Duration::ZERO);
    world.begin(SECOND);
    world.add(&socket(), Instance(1), "a.io");
    world.succeeded(&socket());
    assert!(world.vanish(&socket()));
    assert_eq!(world.begin(SECOND), unregister());
    assert_eq!(world.failed(&socket(), SECOND), World::FIRST_PAUSE);
}

#[test]
fn another_socket_at_the_path_is_unregistered_first_and_registered_at_the_next_look() {
    let mut world = registered(1);
    world.discover(&socket(), Instance(2));
    assert_eq!(world.begin(SECOND), unregister());
    assert_eq!(world.forget(&socket()).as_deref(), Some("a.io"));
    world.succeeded(&socket());
    assert_eq!(world.begin(2 * SECOND), register(2));
}

#[test]
fn a_refusal_that_stays_in_the_actual_world_is_not_retried_and_delays_what_follows() {
    // Kubelets to 1.35 leave it there; its pause then holds up the forgetting, too.
    let mut world = World::default();
    world.discover(&socket(), Instance(1));
    world.begin(Duration::ZERO);
    world.add(&socket(), Instance(1), "a.io");
    world.failed(&socket(), Duration::ZERO);
    assert!(!world.will_retry(&socket()));
    assert_eq!(world.begin(10 * SECOND), []);
    world.vanish(&socket());
    assert_eq!(world.begin(SECOND / 4), []);
    assert_eq!(world.begin(SECOND), unregister());
}

#[test]
fn a_refusal_that_is_forgotten_is_retried() {
    let mut world = World::default();
    world.discover(&socket(), Instance(1));
    world.begin(Duration::ZERO);
    world.add(&socket(), Instance(1), "a.io");
    world.forget(&socket());
    world.failed(&socket(), Duration::ZERO);
    assert!(world.will_retry(&socket()));
    assert_eq!(world.begin(SECOND), register(1));
}

#[test]
fn a_socket_that_went_during_its_operation_is_unregistered_after_it() {
    let mut world = World::default();
    world.discover(&socket(), Instance(1));
    world.begin(Duration::ZERO);
    world.vanish(&socket());
    world.add(&socket(), Instance(1), "a.io");
    assert_eq!(world.begin(SECOND), []);
    world.succeeded(&socket());
    assert_eq!(world.begin(2 * SECOND), unregister());
}

#[test]
fn unregistering_comes_before_registering() {
    let mut world = registered(1);
    let other = Path::new("/r/Z.sock");
    world.discover(other, Instance(2));
    world.vanish(&socket());
    let begun = world.begin(SECOND);
    assert!(matches!(
        begun[..],
        [Begin::Unregister { .. }, Begin::Register { .. }]
    ));
}

#[test]
fn a_removal_of_what_was_never_seen_is_nothing() {
    let mut world = World::default();
    assert!(!world.vanish(&socket()));
    assert!(!world.is_open());
}
