// SPDX-License-Identifier: Apache-2.0
import Geometry
import Pad
import Testing

@testable import inkpanel

@Suite("The times of the machine")
struct MachineTimesTests {
    @Test("have a row for each kind of work, in milliseconds with its budget")
    func rows() throws {
        let page = Page([.text(PageText("A page", .headline))])
        let rows = try MachineTimes(page: page, size: PixelSize(width: 800, height: 480), density: .standard).rows
        #expect(
            rows.map(\.name) == [
                "a report", "a frame of ink", "report and frame, 99 %", "a page, with its fonts", "signing a seal",
            ])
        #expect(rows.allSatisfy { $0.milliseconds > 0 && $0.milliseconds < 60_000 })
        #expect(MachineTimes.Row(name: "a report", milliseconds: 0.126, budget: 16).text == "0.13 ms (budget 16 ms)")
    }
}
