// SPDX-License-Identifier: Apache-2.0
import Testing

@testable import inkpanel

@Suite("Panel summary")
struct PanelSummaryTests {
    @Test("the line ends with the number of omitted samples, if there are any")
    func leftOut() {
        var result = RenderThread.Result()
        let line = PanelSummary().line(result)
        #expect(line.hasSuffix("report to pixels not measured"))
        result.leftOutCount = 3
        #expect(PanelSummary().line(result) == line + ", left out 3")
    }
}
