// SPDX-License-Identifier: Apache-2.0
import Linux

/// The thread that writes records: it alone waits for the medium.
struct RecordThread: ~Copyable {
    private let thread: Linux.Thread

    init(_ keeper: RecordKeeper, link: RecordLink) throws(Errno) {
        let thread = try Linux.Thread(name: "record") {
            var clerk = RecordClerk(keeper)
            clerk.open()
            if let entries = clerk.openSketch() { link.answer(.sketch(entries)) }
            var isEnding = false
            while !isEnding {
                let (jobs, ends) = link.waitForJobs()
                for job in jobs {
                    if let answer = clerk.work(job) { link.answer(answer) }
                }
                isEnding = ends
            }
        }
        self.thread = thread
    }

    /// Waits for the thread, which the link has told to end.
    consuming func join() { thread.join() }
}
