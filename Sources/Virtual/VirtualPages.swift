// SPDX-License-Identifier: Apache-2.0
import Linux

/// The pages of a ``VirtualDisplay`` in words, and what its clients do on them without a pointer. For the main thread.
public final class VirtualPages {
    struct Page {
        /// Another one for each page.
        var number: Int
        var json: () -> [UInt8]
    }

    private let signal: EventSignal
    private var acts: [VirtualAct] = []
    private(set) var page: Page?

    init() throws(Errno) { signal = try EventSignal(blocking: false) }

    /// Readable when acts wait.
    public var descriptor: CInt { signal.number }

    public func takeActs() -> [VirtualAct] {
        signal.wait()
        defer { acts = [] }
        return acts
    }

    /// The acts that nobody has taken.
    var actCount: Int { acts.count }

    func put(_ act: VirtualAct) {
        acts.append(act)
        signal.signal()
    }

    func show(_ json: @escaping () -> [UInt8]) { page = Page(number: (page?.number ?? 0) + 1, json: json) }
}
