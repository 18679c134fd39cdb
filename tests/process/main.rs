//! The process world on a real redis-server.

mod clients;
mod faults;
mod runner;
mod scripts;
mod stage;
mod wire;
