// SPDX-License-Identifier: Apache-2.0
import Testing

@testable import inkpanel

@Suite("Panel summary")
struct PanelSummaryTests {
    @Test("samples that were left out are told at the end of the line, if there were any")
    func leftOut() {
        var result = RenderThread.Result()
        let line = PanelSummary().line(result)
        #expect(line.hasSuffix("report to pixels not measured"))
        result.leftOutCount = 3
        #expect(PanelSummary().line(result) == line + ", left out 3")
    }
}
