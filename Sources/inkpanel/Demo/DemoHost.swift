// SPDX-License-Identifier: Apache-2.0
import Control
import Glibc
import Linux
import Pad
import Record
import Synchronization

/// A host, on a thread of its own: asks the pad for a signature over its socket, as any program would, and fetches what
/// has come of it.
final class DemoHost: Sendable {
    /// What was fetched, by the end of the file's name.
    struct Result: Sendable {
        var files: [String: [UInt8]] = [:]
        var failure: (any Error)?
        var hasEnded = false
        /// It is not to ask any more.
        var isUnwanted = false
    }

    private let socket: String
    private let call: CaptureCall
    private let begin: EventSignal
    private let result = Mutex(Result())

    init(socket: String, _ call: CaptureCall) throws(Errno) {
        self.socket = socket
        self.call = call
        begin = try EventSignal(blocking: true)
    }

    /// The pad is to be asked now.
    func ask() { begin.signal() }

    /// If the pad has not been asked, it need not be any more.
    func cancel() {
        result.withLock { $0.isUnwanted = true }
        begin.signal()
    }

    /// Whether it has all that it wanted, or will not get it.
    var hasEnded: Bool { result.withLock { $0.hasEnded } }

    func run() {
        begin.wait()
        if !result.withLock({ $0.isUnwanted }) { capture() }
        result.withLock { $0.hasEnded = true }
    }

    private func capture() {
        do throws(ControlClientError) {
            var client = try ControlClient(path: socket)
            let ended = try client.capture(call) { print("  host: \(ProgressLines.line($0))") }
            guard ended.outcome == .accepted else {
                return result.withLock {
                    $0.failure = CommandError(message: "the capture ended: \(ended.outcome)", status: EX_SOFTWARE)
                }
            }
            print("  host: accepted, and its record is on the disk (\(ended.id))")
            for format in Demo.formats {
                let bytes = try client.file(of: ended.id, as: ExportChoice(format: format))
                result.withLock { $0.files[format.suffix] = bytes }
            }
        } catch {
            result.withLock { $0.failure = error }
        }
    }

    /// Once the thread has ended.
    var fetched: Result { result.withLock { $0 } }
}
