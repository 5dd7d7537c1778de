// SPDX-License-Identifier: Apache-2.0
@testable import Control
import Formats
import Linux
import Pad
import Record

/// Makes files of any size that take as long as a test wants.
final class TestPainter: CaptionPainter {
    private let byteCount: Int
    private let gate: EventSignal?
    private let started: EventSignal

    /// - Parameter waits: each file waits for one ``release()``.
    init(byteCount: Int = 1, waits: Bool = false) throws {
        self.byteCount = byteCount
        gate = waits ? try EventSignal(blocking: true) : nil
        started = try EventSignal(blocking: true)
    }

    func png(
        of picture: CapturePicture, of record: CaptureRecord, isTransparent: Bool
    ) throws(CaptionError) -> [UInt8] {
        started.signal()
        gate?.wait()
        return [UInt8](repeating: 1, count: byteCount)
    }

    /// Waits until one is being made.
    func waitForStart() { started.wait() }

    func release() { gate?.signal() }
}

extension TestPanel {
    /// Has somebody sign.
    /// - Returns: the call for the file that the painter makes of it.
    func callForFile() throws -> (method: String, parameters: String) {
        var client = try ControlClient(path: path)
        let call = CaptureCall(request: CaptureRequest(reason: "accept"), follows: true)
        let id = try client.capture(call) { _ in }.id
        return ("Get", "{\"id\":\"\(id)\",\"format\":\"png\",\"caption\":true}")
    }
}
