//! A thread that raises flags at given times.

use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::time::{Duration, Instant};

use grammask::CancelFlag;
use xtask::cases::thread_time::{SeenThread, thread_time};

/// A flag, and when the thread raises it.
struct Order {
    flag: CancelFlag,
    at: Instant,
    worker: Option<SeenThread>,
    /// Reports the end of the call.
    ended: Receiver<()>,
}

/// The moment at which a flag was raised.
struct Raised {
    at: Instant,
    /// CPU time of the worker, counted at this moment or some milliseconds before.
    worker: Option<Duration>,
}

/// The thread.
pub struct Canceller {
    orders: Sender<Order>,
    raised: Receiver<Option<Raised>>,
}

impl Canceller {
    /// Starts the thread. It ends when this is dropped.
    pub fn start() -> Self {
        let (orders, received) = channel::<Order>();
        let (report, raised) = channel();
        std::thread::spawn(move || {
            for order in received {
                let left = order.at.saturating_duration_since(Instant::now());
                let raised = match order.ended.recv_timeout(left) {
                    Err(RecvTimeoutError::Timeout) => {
                        let worker = order.worker.as_ref().and_then(SeenThread::time);
                        let at = Instant::now();
                        order.flag.cancel();
                        Some(Raised { at, worker })
                    }
                    _ => None,
                };
                if report.send(raised).is_err() {
                    return;
                }
            }
        });
        Self { orders, raised }
    }

    /// Runs a call and raises its flag after a time. Returns its result, and the time between the flag and
    /// its return; `None` if it returned before.
    pub fn cancel<T>(&self, after: Duration, call: impl FnOnce(&CancelFlag) -> T) -> (T, Option<Duration>) {
        let (flag, (end, ended)) = (CancelFlag::new(), channel());
        let order =
            Order { flag: flag.clone(), at: Instant::now() + after, worker: SeenThread::current(), ended };
        self.orders.send(order).expect("the thread runs as long as this");
        let result = call(&flag);
        let (returned, used) = (Instant::now(), thread_time());
        // The thread may have raised the flag already, and wait for no message.
        let _ = end.send(());
        let raised = self.raised.recv().expect("the thread runs as long as this");
        let delay = raised.map(|raised| {
            let wall = returned.saturating_duration_since(raised.at);
            raised.worker.map_or(wall, |before| wall.min(used.saturating_sub(before)))
        });
        (result, delay)
    }
}
