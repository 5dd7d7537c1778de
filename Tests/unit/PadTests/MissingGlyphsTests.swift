// SPDX-License-Identifier: Apache-2.0
import Geometry
import HostAPI
import PadFixtures
import Record
import Testing

@testable import Pad

@Suite("Characters that no font has")
struct MissingGlyphsTests {
    private static let texts = ["prompt[0]", "rows[0].label", "rows[15].value", "reason", "signer", "date", "labels"]

    private func ask(_ pad: inout PadDriver, _ rule: MissingGlyphsRule?) -> CallID {
        pad.call(
            .capture(
                CaptureCall(
                    request: CaptureRequest(prompt: ["x"]), policy: CapturePolicy(missingGlyphs: rule), follows: true)))
    }

    @Test("keep a capture from beginning as its policy says, or else the panel's", arguments: texts)
    func rules(text: String) throws {
        let missing = [MissingGlyphs(text: text, characters: ["U+1F600"])]
        for configured in MissingGlyphsRule.allCases {
            for asked in [nil] + MissingGlyphsRule.allCases.map(Optional.some) {
                var policy = PadDriver.policy
                policy.missingGlyphs = configured
                var pad = PadDriver(policy: policy)
                pad.missing = missing
                let call = ask(&pad, asked)
                let isValue = text == "signer" || text.hasPrefix("rows")
                let rule = asked ?? configured
                if rule == .refuse || rule == .values && isValue {
                    #expect(pad.replies[call] == [.failed(.missingGlyphs(missing))])
                    #expect(pad.pad.page == .idle && pad.stored.isEmpty)
                } else {
                    #expect(pad.pad.page == .signing)
                }
            }
        }
        #expect(CapturePolicy.standard.missingGlyphs == .values)
    }

    @Test("are told before anybody signs, with the outcome, and by the record; without any, nothing is")
    func told() throws {
        for missing in [[], [MissingGlyphs(text: "prompt[0]", characters: ["U+1F600"])]] {
            let told = missing.isEmpty ? nil : missing
            var pad = PadDriver()
            pad.missing = missing
            let call = ask(&pad, nil)
            guard case .capture(let first)? = pad.replies[call]?.first, case .begin(let header)? = pad.stored.first
            else {
                Issue.record("\(pad.replies)")
                continue
            }
            #expect(first.state == .signing && first.missingGlyphs == told && header.missingGlyphs == told)
            pad.sign()
            pad.press(.cancel)
            for reply in pad.replies[call] ?? [] {
                switch reply {
                case .capture(let reply): #expect(reply.missingGlyphs == told)
                default: Issue.record("\(reply)")
                }
            }
            guard case .capture(let ended) = pad.last(call) else { continue }
            #expect(ended.outcome == .cancelled(by: .person))
        }
    }

    @Test("of a page for another screen count anew")
    func otherScreen() throws {
        var pad = PadDriver()
        pad.laysOut = false
        pad.missing = [MissingGlyphs(text: "prompt[0]", characters: ["U+1F600"])]
        pad.admits = false
        let call = ask(&pad, nil)
        pad.layOut()
        pad.missing = []
        pad.handle(.display(PadDriver.screen(PadDriver.size.transposed)))
        pad.layOut()
        while !pad.checks.isEmpty { pad.admit() }
        guard case .capture(let first)? = pad.replies[call]?.first else {
            Issue.record("\(pad.replies)")
            return
        }
        #expect(first.state == .signing && first.missingGlyphs == nil)
    }
}
