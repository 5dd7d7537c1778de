// SPDX-License-Identifier: Apache-2.0
import Geometry
import HostAPI
import PadFixtures
import Raster
import Record
import Testing
import Touch

@testable import Pad

@Suite("Reports that a person at the pad asks for")
struct ReportRequestTests {
    private static let corners = [(3.0, 3.0), (796.0, 3.0), (3.0, 476.0), (796.0, 476.0)]

    private func idle(offersReports: Bool = true) -> PadDriver {
        var pad = PadDriver()
        pad.pad.settings.offersReports = offersReports
        return pad
    }

    /// A finger comes down, and stays for a time.
    private func hold(_ pad: inout PadDriver, _ place: (Double, Double), _ time: Duration) {
        pad.touch(.began, place.0, place.1)
        let end = pad.now + time
        while let deadline = pad.pad.deadline, deadline <= end { pad.wait(until: deadline) }
        pad.wait(until: end)
    }

    @Test("a finger that rests ten seconds in a corner asks for one, once", arguments: 0..<4)
    func corner(number: Int) {
        var pad = idle()
        let (x, y) = Self.corners[number]
        hold(&pad, (x, y), .seconds(9.9))
        pad.touch(.moved, x, y)
        #expect(pad.reportRequests == 0)
        pad.wait(until: pad.now + .seconds(0.2))
        #expect(pad.reportRequests == 1)
        pad.wait(until: pad.now + .seconds(30))
        pad.touch(.ended, x, y)
        #expect(pad.reportRequests == 1 && pad.pad.deadline == nil)
        hold(&pad, (x, y), .seconds(10))
        #expect(pad.reportRequests == 2)
    }

    @Test("nor does one elsewhere, one that moves or leaves, a second one, or a pad that offers none")
    func none() {
        var middle = idle()
        hold(&middle, (400, 3), .seconds(20))
        #expect(middle.reportRequests == 0)

        var moves = idle()
        hold(&moves, (3, 3), .seconds(5))
        moves.touch(.moved, 60, 3)
        hold(&moves, (3, 3), .seconds(20))
        #expect(moves.reportRequests == 0)

        var leaves = idle()
        hold(&leaves, (3, 3), .seconds(9))
        leaves.touch(.ended, 3, 3)
        leaves.wait(until: leaves.now + .seconds(9))
        #expect(leaves.reportRequests == 0)

        var second = idle()
        hold(&second, (3, 3), .seconds(5))
        second.touch(.began, at: Point(x: 700, y: 400), contact: 2)
        second.wait(until: second.now + .seconds(20))
        #expect(second.reportRequests == 0)

        var other = idle(offersReports: false)
        hold(&other, (3, 3), .seconds(20))
        #expect(other.reportRequests == 0 && other.pad.deadline == nil)
    }

    @Test("a capture takes the finger: nobody asks for a report on its pages, or after it")
    func capture() {
        var pad = idle()
        hold(&pad, (3, 3), .seconds(5))
        pad.capture()
        #expect(pad.pad.page == .signing)
        pad.wait(until: pad.now + .seconds(20))
        pad.call(.cancel(nil))
        while pad.pad.page != .idle, let deadline = pad.pad.deadline { pad.wait(until: deadline) }
        pad.wait(until: pad.now + .seconds(20))
        #expect(pad.pad.page == .idle && pad.reportRequests == 0)
        pad.touch(.ended, 3, 3)
        hold(&pad, (3, 3), .seconds(10))
        #expect(pad.reportRequests == 1)
    }

    @Test("a finger on the page before the sketch is forgotten when the sketch appears")
    func sketch() throws {
        let tools = try #require(SketchTools(colors: [.black, Color(red: 200, green: 0, blue: 0)]))
        var pad = PadDriver(sketch: SketchSettings(tools: tools, clearsOnDoubleTap: false))
        pad.pad.settings.offersReports = true
        pad.handle(.devices([], []))
        #expect(pad.pad.page == .fault)
        hold(&pad, (3, 3), .seconds(5))
        pad.handle(.devices(["touch"], []))
        #expect(pad.pad.page == .sketch)
        pad.touch(.ended, 3, 3)
        pad.wait(until: pad.now + .seconds(20))
        #expect(pad.reportRequests == 0)
    }
}
