// SPDX-License-Identifier: Apache-2.0
import Geometry
import HostAPI
import PadFixtures
import Record
import Testing
import Touch

@testable import Pad

@Suite("The record of a capture with one page")
struct PlainRecordTests {
    /// Ink that is undone, ink that is cleared, a pen in the air, and a stroke that is accepted.
    private static func accepted() -> PadDriver {
        var pad = PadDriver()
        pad.capture(prompt: "Sign")
        func stroke(_ x: Double) {
            pad.touch(.began, x, 200)
            pad.touch(.moved, x + 40, 240)
            pad.touch(.ended, x + 40, 240)
        }
        stroke(200)
        pad.press(.undo)
        stroke(250)
        pad.press(.clear)
        pad.now += .milliseconds(20)
        pad.handle(.hover(PenHover(x: 3000, y: 2000, distance: 5), device: 1, at: pad.now))
        stroke(300)
        pad.press(.accept)
        return pad
    }

    private static let lines = #"""
        {"stroke":{"device":0,"pen":"ink","places":[[200.0,200.0],[240.0,240.0]],\#
        "samples":[[8000,2000,2000],[16000,2400,2400]]}}
        {"action":"undo","t":40000}
        {"stroke":{"device":0,"pen":"ink","places":[[250.0,200.0],[290.0,240.0]],\#
        "samples":[[48000,2500,2000],[56000,2900,2400]]}}
        {"action":"clear","t":80000}
        {"inAir":{"device":1,"samples":[[100000,3000,2000,5]]}}
        {"stroke":{"device":0,"pen":"ink","places":[[300.0,200.0],[340.0,240.0]],\#
        "samples":[[108000,3000,2000],[116000,3400,2400]]}}
        {"end":{"endedAt":1700000000000000,"outcome":"accepted","quality":\#
        {"drops":0,"ignoredContacts":0,"longestGap":8000,"reportRate":125}}}
        """#

    @Test("it has version 1 and the same bytes as before captures were flows: no line for a page, a person or a field")
    func bytes() throws {
        var header: CaptureHeader?
        var entries: [CaptureEntry] = []
        var end: CaptureEnd?
        for action in Self.accepted().stored {
            switch action {
            case .begin(let begun): header = begun
            case .append(_, let entry): entries.append(entry)
            case .commit(_, let last): end = last
            default: break
            }
        }
        let record = CaptureRecord(header: try #require(header), entries: entries, end: end)
        let lines = String(decoding: try CaptureEncoder.encode(record), as: UTF8.self).split(separator: "\n")
        #expect(lines.first?.hasSuffix(#","version":1}"#) == true && lines.first?.contains("flow") == false)
        #expect(lines.dropFirst().joined(separator: "\n") == Self.lines)
    }

    @Test("its page, its store and its host see the same actions in the same order as before captures were flows")
    func order() {
        let pad = Self.accepted()
        func names(_ actions: [some Any]) -> String {
            actions.map { String("\($0)".prefix { $0 != "(" && $0 != "." }) }.joined(separator: " ")
        }
        let shown =
            "show show use button button button ink hint ink ink button button button button button undo "
            + "button button button hint ink hint ink ink button button button button button clear "
            + "button button hint ink hint ink ink button button button button button button button button"
        #expect(names(pad.rendered) == shown)
        #expect(names(pad.stored) == "begin append append append append append append commit")
        var states: [String] = []
        for case .capture(let reply) in pad.replies.values.joined() {
            states.append("\(reply.state) \(reply.strokes ?? -1) \(reply.person ?? "-")")
        }
        let drawn = ["signing 0 -", "signing 1 -"]
        #expect(states == drawn + drawn + drawn + ["saving 1 -"])
        #expect(pad.pad.view.number == 1)
    }
}
