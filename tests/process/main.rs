//! The process world on a real redis-server.

mod clients;
mod clocks;
mod faults;
mod power;
mod pressure;
mod runner;
mod scripts;
mod stage;
mod wire;
