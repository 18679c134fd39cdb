//! The millisecond at which a key expires.
