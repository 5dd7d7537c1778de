// SPDX-License-Identifier: Apache-2.0
import Document
import Geometry
import Glibc
import Linux
import Testing

@testable import PDF

@Suite("Pages as pictures")
struct PDFRendererTests {
    init() { signal(SIGPIPE, SIG_IGN) }

    private func renderer(_ folder: String = "/usr/bin") -> PDFRenderer {
        PDFRenderer(folder: folder, deadline: MonotonicClock.nanoseconds + 20_000_000_000)
    }

    @Test("A missing program is named with its package")
    func missing() {
        let rendering = HelperRequest.Rendering(page: 1, size: PixelSize(width: 10, height: 10))
        #expect(throws: PDFError.missingProgram(name: "pdftoppm", package: "poppler-utils")) {
            try renderer("/nonexistent").render(rendering, of: [])
        }
    }

    @Test("What another program writes is no picture")
    func other() throws {
        let program = FilterProgram(path: "/bin/cat", arguments: [])
        let bytes = [UInt8](repeating: 7, count: 300_000)
        let deadline = MonotonicClock.nanoseconds + 20_000_000_000
        #expect(try program.run(input: [bytes, [], [1]], mostOutput: 300_001, deadline: deadline) == bytes + [1])
        #expect(throws: FilterProgram.Failure.tooLong) {
            try program.run(input: [bytes], mostOutput: 1000, deadline: deadline)
        }
        #expect(throws: FilterProgram.Failure.tooSlow) {
            try FilterProgram(path: "/bin/sleep", arguments: ["60"]).run(
                input: [], mostOutput: 1, deadline: MonotonicClock.nanoseconds + 200_000_000)
        }
        #expect(throws: FilterProgram.Failure.ended(status: 1)) {
            try FilterProgram(path: "/bin/false", arguments: []).run(input: [bytes], mostOutput: 1, deadline: deadline)
        }
        #expect(throws: FilterProgram.Failure.killed(signal: SIGTERM)) {
            try FilterProgram(path: "/bin/sh", arguments: ["-c", "kill $$"]).run(
                input: [], mostOutput: 1, deadline: deadline)
        }
        #expect(throws: FilterProgram.Failure.notStarted(.noSuchFile)) {
            try FilterProgram(path: "/nonexistent", arguments: []).run(input: [], mostOutput: 1, deadline: deadline)
        }
    }
}
