// SPDX-License-Identifier: Apache-2.0
import Linux
import Record

/// The thread that writes records: it alone waits for the medium.
struct RecordThread: ~Copyable {
    /// Where records grow too old, a panel that nobody uses looks for them once a day.
    private static let retentionInterval: Int64 = 86_400_000_000_000

    private let thread: Linux.Thread

    init(_ keeper: RecordKeeper, link: RecordLink) throws(Errno) {
        let thread = try Linux.Thread(name: "record") {
            var clerk = RecordClerk(keeper)
            clerk.open()
            if let answer = clerk.openSketch() { link.answer(answer) }
            let hasAge = keeper.retention.maximumAge != nil
            var retentionDue = hasAge ? MonotonicClock.nanoseconds + Self.retentionInterval : nil
            var isEnding = false
            while !isEnding {
                let (jobs, ends) = link.waitForJobs(until: retentionDue)
                for job in jobs {
                    guard let answer = clerk.work(job) else { continue }
                    link.answer(answer)
                    // Not before: somebody waits for the answer, and nobody for this.
                    if case .durable = answer { clerk.applyRetention() }
                }
                if let due = retentionDue, MonotonicClock.nanoseconds >= due {
                    clerk.applyRetention()
                    retentionDue = MonotonicClock.nanoseconds + Self.retentionInterval
                }
                isEnding = ends
            }
            clerk.closeSketch()
        }
        self.thread = thread
    }

    /// Waits for the thread, which the link has told to end.
    consuming func join() { thread.join() }
}
