//! The docker world, on a real engine. Without one these tests are skipped, loudly; with `FENCEPOST_NO_SKIP=1` that is a failure.
#![cfg(feature = "docker")]

mod cleaning;
mod command;
mod compose;
mod images;
mod scenarios;
mod stage;
mod world;
