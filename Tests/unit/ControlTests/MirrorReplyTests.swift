// SPDX-License-Identifier: Apache-2.0
import Canvas
import FoundationEssentials
import Geometry
import HostAPI
import Ink
import Raster
import Testing

@testable import Control
@testable import Pad

@Suite("What hosts get of a mirror")
struct MirrorReplyTests {
    private func samples(_ range: Range<Int>) -> MirrorChange.Step {
        .samples(
            range.map {
                Sample(time: .zero + .milliseconds(8 * $0), position: Point(x: Double($0) * 4, y: 20), pressure: 0.125)
            })
    }

    private func change(_ steps: [MirrorChange.Step], restarts: Bool = false) -> MirrorChange {
        var change = MirrorChange(page: .signing)
        (change.steps, change.restarts) = (steps, restarts)
        return change
    }

    @Test("reports become outlines: parts of the stroke, its end, its removal")
    func steps() throws {
        var ink: MirrorInk? = MirrorInk(pen: Pen(.ink), density: .standard)
        func steps(_ changes: MirrorChange.Step...) -> [MirrorReply.Step]? { MirrorReply(change(changes), &ink).steps }
        let wet = try #require(steps(samples(0..<20)))
        #expect(wet.count == 1)
        #expect(wet[0].final != nil && wet[0].tail?.isEmpty == false && wet[0].ends == nil && wet[0].cancels == nil)
        let ended = try #require(steps(samples(20..<30), .end, samples(30..<35)))
        #expect(ended.map(\.ends) == [true, nil])
        #expect(ended[0].final?.isEmpty == false && ended[0].tail == nil)
        #expect(ended[1].tail?.isEmpty == false)
        #expect(steps(.cancel) == [MirrorReply.Step(cancels: true)])
        #expect(steps(.end) == nil, "there is no stroke")
        let reply = MirrorReply(change([samples(0..<9)]), &ink)
        let text = String(decoding: try JSONEncoder().encode(reply), as: UTF8.self)
        for secret in ["pressure", "time", "samples"] { #expect(!text.contains(secret), "\(secret)") }
    }

    @Test("after a restart, strokes begin anew")
    func restart() {
        let all = [samples(0..<20), .end]
        var ink: MirrorInk? = MirrorInk(pen: Pen(.ink), density: .standard)
        let first = MirrorReply(change(all), &ink).steps
        _ = MirrorReply(change([samples(40..<60)]), &ink)
        let again = MirrorReply(change(all, restarts: true), &ink).steps
        #expect(again == first)
        var none: MirrorInk?
        let empty = MirrorReply(change([]), &none).steps
        #expect(empty == nil)
    }
}
