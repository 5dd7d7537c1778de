// SPDX-License-Identifier: Apache-2.0
import Linux
import Pad
import Record

/// The thread that writes records: it alone waits for the medium.
struct RecordThread: ~Copyable {
    private let thread: Linux.Thread

    init(_ keeper: RecordKeeper, link: RecordLink) throws(Errno) {
        let thread = try Linux.Thread(name: "record") {
            var clerk = RecordClerk(keeper)
            link.answer(clerk.open())
            if let answer = clerk.openSketch() { link.answer(answer) }
            var isEnding = false
            while !isEnding {
                let (jobs, ends) = link.waitForJobs(until: clerk.deadline)
                for job in jobs {
                    guard let answer = clerk.work(job) else { continue }
                    link.answer(answer)
                    // Not before: somebody waits for the answer, and nobody for this.
                    if case .committed(let id) = answer { clerk.applyRetention(sparing: id) }
                }
                if let answer = clerk.pass(at: MonotonicClock.nanoseconds) { link.answer(answer) }
                isEnding = ends
            }
            clerk.closeSketch()
        }
        self.thread = thread
    }

    /// Waits for the thread, which the link has told to end.
    consuming func join() { thread.join() }
}
