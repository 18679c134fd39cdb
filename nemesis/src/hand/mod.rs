//! The hands that inject faults, each of which sees that it worked.

pub mod signal;
