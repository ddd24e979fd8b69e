//! The command as a script sees it: stdout, stderr and exit status.

mod accept;
mod bench;
mod check;
mod compile;
mod generate;
mod grammars;
mod mask;
mod readme;
mod robustness;
mod running;
mod show;
