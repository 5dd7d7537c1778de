// SPDX-License-Identifier: Apache-2.0
import Glibc
import Linux

/// From a writer to who kills it. The parent closes its writing end after the fork, or reading would not end.
struct AcknowledgementPipe: ~Copyable {
    let reading: FileDescriptor
    let writingEnd: CInt

    init() throws(Errno) {
        var ends: [CInt] = [0, 0]
        try retryingOnInterrupt { pipe(&ends) }
        reading = FileDescriptor(owning: ends[0])
        writingEnd = ends[1]
    }
}
