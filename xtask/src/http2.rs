//! As much of HTTP/2 as it takes to call a gRPC method and to see what a client sends. For measuring and observing only.
//!
//! It is written out by hand, so that its cost is small and the same for every server, and so that it can send and see
//! what an HTTP/2 library refuses.

mod caller;
mod frame;
mod request;

pub(crate) use self::{
    caller::{Caller, await_answer},
    frame::{Frame, FrameReader, PREFACE, flag, kind, write_frame},
    request::{DRIVER_NAME, DRIVER_VERSION, Method},
};
