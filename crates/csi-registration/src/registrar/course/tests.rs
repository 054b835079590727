//! The loop with a clock of its own: what a kubelet says is put in where the service would.

use std::os::unix::fs::MetadataExt as _;
use std::time::Duration;

use csi_proto::csi::v1::NodeGetInfoResponse;
use tempfile::TempDir;
use tokio::sync::{mpsc, watch};
use tokio::time::{Instant, timeout};

use super::{Course, first_status};
use crate::plugin::{Report, View};
use crate::registrar::RegistrarOptions;
use crate::registrar::service::{Call, Method};
use crate::{State, Status};

struct Running {
    folder: TempDir,
    status: watch::Receiver<Status>,
    calls: mpsc::Sender<Call>,
    view: watch::Sender<View>,
}

fn eligible(version: &str) -> View {
    View {
        answering: true,
        eligible: true,
        report: Some(Report {
            driver: "disk.acme.io".to_owned(),
            vendor_version: version.to_owned(),
            node: Some(NodeGetInfoResponse::default()),
            warnings: Vec::new(),
        }),
        ..View::new()
    }
}

impl Running {
    /// One whose plugin can be registered.
    fn start(change: impl FnOnce(&mut RegistrarOptions)) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let mut options = RegistrarOptions::new(
            "/run/csi/csi.sock".parse().unwrap(),
            "/run/csi/csi.sock".parse().unwrap(),
            folder.path(),
        );
        change(&mut options);
        let sender = watch::Sender::new(first_status(&options));
        let status = sender.subscribe();
        let view = watch::Sender::new(eligible("1.0.0"));
        let (calls, heard) = mpsc::channel(4);
        let course = Course::new(options, sender, view.subscribe(), calls.clone());
        tokio::spawn(course.run(heard, std::future::pending::<()>()));
        Self {
            folder,
            status,
            calls,
            view,
        }
    }

    async fn when(&mut self, is_so: impl FnMut(&Status) -> bool) -> Status {
        let day = Duration::from_secs(24 * 3600);
        let status = timeout(day, self.status.wait_for(is_so)).await;
        status.unwrap().unwrap().clone()
    }

    /// Waits until the socket of this number is shown, the first being 1.
    async fn shown(&mut self, number: u64) -> Status {
        self.when(|status| status.socket_is_shown && status.rebinds == number - 1)
            .await
    }

    async fn call(&self, socket: u64, method: Method) {
        self.calls.send(Call { socket, method }).await.unwrap();
    }

    async fn refuse(&mut self, socket: u64) {
        let refusals = self.status.borrow().refusals;
        self.call(socket, Method::Notify(Err("no".to_owned())))
            .await;
        self.when(|status| status.refusals == refusals + 1).await;
    }

    fn inode(&self) -> u64 {
        let socket = self.folder.path().join("disk.acme.io-reg.sock");
        socket.metadata().unwrap().ino()
    }
}

#[tokio::test(start_paused = true)]
async fn new_sockets_follow_refusals_in_pauses_that_double_up_to_two_minutes_and_begin_anew_after_a_yes()
 {
    let mut running = Running::start(|_| {});
    let mut number = 1;
    running.shown(number).await;
    for pause in [0.5, 1.0, 2.0, 4.0, 8.0, 16.0, 32.0, 64.0, 120.0, 120.0] {
        let before = running.inode();
        running.refuse(number).await;
        let since = Instant::now();
        number += 1;
        running.shown(number).await;
        let waited = since.elapsed().as_secs_f64();
        // Up to a quarter less, so that not all nodes come at once; timers go by whole milliseconds.
        assert!(
            waited >= pause * 0.75 && waited <= pause + 0.002,
            "{waited} for {pause}"
        );
        assert_ne!(running.inode(), before);
    }
    running.call(number, Method::Notify(Ok(()))).await;
    running
        .when(|status| status.state == State::Registered)
        .await;
    running.refuse(number).await;
    let since = Instant::now();
    running.shown(number + 1).await;
    assert!(since.elapsed() <= Duration::from_millis(502));
}

#[tokio::test(start_paused = true)]
async fn a_yes_after_a_no_on_the_same_socket_keeps_the_socket() {
    let mut running = Running::start(|_| {});
    running.shown(1).await;
    running.refuse(1).await;
    running.call(1, Method::Notify(Ok(()))).await;
    running
        .when(|status| status.state == State::Registered)
        .await;
    tokio::time::sleep(Duration::from_secs(600)).await;
    let status = running.status.borrow().clone();
    assert_eq!((status.state, status.rebinds), (State::Registered, 0));
}

#[tokio::test(start_paused = true)]
async fn a_verdict_on_a_socket_that_is_gone_says_nothing_of_the_one_that_is_there() {
    let mut running = Running::start(|_| {});
    running.shown(1).await;
    running.view.send_replace(eligible("2.0.0"));
    running.shown(2).await;
    for verdict in [Ok(()), Err("late".to_owned())] {
        running.call(1, Method::Notify(verdict)).await;
    }
    running.call(2, Method::GetInfo).await;
    let status = running
        .when(|status| status.reason == "a kubelet has called GetInfo, and its verdict is awaited")
        .await;
    assert_eq!(
        (status.state, status.refusals),
        (State::WaitingForKubelet, 0)
    );
    assert_eq!(status.last_refusal, None);
    assert_eq!(status.last_kubelet_call.unwrap().method, "GetInfo");
}

#[tokio::test(start_paused = true)]
async fn that_no_kubelet_comes_is_a_problem_at_the_time_that_was_given_and_not_before() {
    let mut running = Running::start(|_| {});
    running.shown(1).await;
    let since = Instant::now();
    running.when(|status| status.problem).await;
    let waited = since.elapsed();
    let bounds = Duration::from_secs(30)..=Duration::from_millis(30_002);
    assert!(bounds.contains(&waited), "{waited:?}");
}

#[tokio::test(start_paused = true)]
async fn to_expect_a_kubelet_at_no_time_is_never_a_problem() {
    let mut running = Running::start(|options| options.expect_kubelet_within = Duration::MAX);
    running.shown(1).await;
    tokio::time::sleep(Duration::from_secs(3600)).await;
    assert!(!running.status.borrow().problem);
    running.call(1, Method::Notify(Ok(()))).await;
    running
        .when(|status| status.state == State::Registered)
        .await;
}

#[tokio::test(start_paused = true)]
async fn what_a_kubelet_would_refuse_is_a_problem_while_it_is_waited_for_and_not_being_ready_is_none()
 {
    let mut running = Running::start(|_| {});
    running.shown(1).await;
    for (is_obstacle, reason) in [(true, "no Node service"), (false, "still starting")] {
        running.view.send_modify(|view| {
            view.eligible = false;
            view.is_obstacle = is_obstacle;
            view.reason = reason.to_owned();
        });
        // Once it is gone it is not shown again.
        let socket = running.folder.path().join("disk.acme.io-reg.sock");
        let _ = std::fs::remove_file(socket);
        let status = running.when(|status| status.reason == reason).await;
        assert_eq!(status.state, State::WaitingForPlugin);
        assert_eq!(status.problem, is_obstacle);
    }
    running.view.send_replace(eligible("1.0.0"));
    assert!(!running.shown(2).await.problem);
}

#[tokio::test(start_paused = true)]
async fn a_kubelet_that_says_nothing_for_too_long_is_a_problem_and_is_made_to_come_again() {
    let mut running = Running::start(|_| {});
    running.shown(1).await;
    let since = Instant::now();
    running.call(1, Method::GetInfo).await;
    let status = running.when(|status| status.problem).await;
    assert_eq!(since.elapsed().as_secs(), 150);
    assert_eq!(status.state, State::WaitingForKubelet);
    assert_eq!(
        status.reason,
        "a kubelet has called GetInfo and not said within 150 s whether it takes the plugin; a new socket follows"
    );
    running.shown(2).await;
    assert!(since.elapsed() < Duration::from_millis(150_503));
}

#[tokio::test(start_paused = true)]
async fn a_kubelet_that_has_said_what_it_thinks_is_not_waited_for() {
    let mut running = Running::start(|_| {});
    running.shown(1).await;
    running.call(1, Method::GetInfo).await;
    running.call(1, Method::Notify(Ok(()))).await;
    running
        .when(|status| status.state == State::Registered)
        .await;
    tokio::time::sleep(Duration::from_secs(1000)).await;
    let status = running.status.borrow().clone();
    assert_eq!((status.state, status.rebinds), (State::Registered, 0));
}
