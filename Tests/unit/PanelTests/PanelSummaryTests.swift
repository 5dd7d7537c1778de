// SPDX-License-Identifier: Apache-2.0
import Record
import TestSupport
import Testing

@testable import Panel

@Suite("Panel summary")
struct PanelSummaryTests {
    @Test("the line ends with the number of omitted samples, if there are any")
    func leftOut() {
        var result = RenderThread.Result()
        let line = PanelSummary().line(result)
        #expect(line.hasSuffix("report to pixels not measured, report to screen not measured"))
        result.leftOutCount = 3
        #expect(PanelSummary().line(result) == line + ", left out 3")
    }

    @Test("the line has the time from the reports to the front buffer, if ink was written there")
    func reportToFront() {
        var result = RenderThread.Result()
        result.frontLatency.add(.microseconds(100))
        #expect(
            PanelSummary().line(result).hasSuffix(
                ", report to front buffer p50 0.100 p95 0.100 p99 0.100 max 0.100 ms"))
    }

    @Test("the line has the time from the reports to the screen")
    func reportToScreen() {
        var summary = PanelSummary()
        summary.glass.queued([1000, 2000])
        summary.glass.shown(at: 9000)
        #expect(
            summary.line(RenderThread.Result()).hasSuffix(
                "report to screen p50 7.039 p95 8.000 p99 8.000 max 8.000 ms"))
    }
}
