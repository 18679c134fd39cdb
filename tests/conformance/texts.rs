//! Sequences that a random walk seldom finds.
