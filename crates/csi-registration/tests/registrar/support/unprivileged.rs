//! What becomes of a registrar without rights; Linux has them per thread.

use std::thread;

use rustix::process::{getegid, geteuid};
use rustix::thread::{Gid, Uid, set_thread_groups, set_thread_res_gid, set_thread_res_uid};

/// Runs something in a runtime of its own without root's rights, and says with which uid and gid.
///
/// Not as root, the rights of the test's own user are as good: the modes in these tests shut out the owner too.
pub(crate) fn unprivileged<T: Send>(work: impl AsyncFnOnce(u32, u32) -> T + Send) -> T {
    thread::scope(|scope| {
        let thread = scope.spawn(|| {
            if geteuid().is_root() {
                let (uid, gid) = (Uid::from_raw(54321), Gid::from_raw(54321));
                set_thread_groups(&[]).unwrap();
                set_thread_res_gid(gid, gid, gid).unwrap();
                set_thread_res_uid(uid, uid, uid).unwrap();
            }
            let runtime = tokio::runtime::Builder::new_current_thread()
                .enable_all()
                .build()
                .unwrap();
            runtime.block_on(work(geteuid().as_raw(), getegid().as_raw()))
        });
        thread.join().unwrap()
    })
}
