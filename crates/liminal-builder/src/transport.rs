//! Owns the pipe of frames between a session and its agent: framing, queueing, and how the pipe ends.
//! May not know what a frame means, which agent speaks, or what a session does with it.

mod lines;

pub use lines::{Frame, LineFramer};
