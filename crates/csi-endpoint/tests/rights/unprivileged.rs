//! What becomes of a process without rights; Linux has them per thread.

use std::thread;

use rustix::{
    process::{getegid, geteuid},
    thread::{Gid, Uid, set_thread_groups, set_thread_res_gid, set_thread_res_uid},
};

/// Runs something without root's rights, and says with which uid and gid.
///
/// Not as root, the rights of the test's own user are as good: the modes in these tests shut out the owner too.
pub(crate) fn unprivileged<T: Send>(work: impl FnOnce(u32, u32) -> T + Send) -> T {
    thread::scope(|scope| {
        let thread = scope.spawn(|| {
            if geteuid().is_root() {
                let (uid, gid) = (Uid::from_raw(54321), Gid::from_raw(54321));
                set_thread_groups(&[]).unwrap();
                set_thread_res_gid(gid, gid, gid).unwrap();
                set_thread_res_uid(uid, uid, uid).unwrap();
            }
            work(geteuid().as_raw(), getegid().as_raw())
        });
        thread.join().unwrap()
    })
}
