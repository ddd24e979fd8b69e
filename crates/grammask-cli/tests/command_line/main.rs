//! The command as a script sees it: stdout, stderr and exit status.

mod accept;
mod bench;
mod check;
mod compile;
mod generate;
mod mask;
mod notation;
mod readme;
mod robustness;
mod running;
mod schema;
mod show;
