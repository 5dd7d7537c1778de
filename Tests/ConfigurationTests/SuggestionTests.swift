// SPDX-License-Identifier: Apache-2.0
import Testing

@testable import Configuration

@Suite("Suggestions")
struct SuggestionTests {
    @Test("count letters left out, put in, replaced and exchanged")
    func distance() {
        #expect(Suggestion.distance("", "") == 0)
        #expect(Suggestion.distance("pen", "") == 3)
        #expect(Suggestion.distance("pen", "pne") == 1)
        #expect(Suggestion.distance("colour", "color") == 1)
        #expect(Suggestion.distance("kitten", "sitting") == 3)
        #expect(Suggestion.distance("device", "devise") == 1)
    }

    @Test("are made when they are near, whatever the letters' case")
    func nearest() {
        let words = ["device", "palm-mm", "pen", "page"]
        #expect(Suggestion.nearest(to: "Devcie", of: words) == "device")
        #expect(Suggestion.nearest(to: "palm", of: words) == "palm-mm")
        #expect(Suggestion.nearest(to: "pem", of: words) == "pen")
        #expect(Suggestion.nearest(to: "rotation", of: words) == nil)
        #expect(Suggestion.nearest(to: String(repeating: "p", count: 1000), of: words) == nil)
        #expect(Suggestion.nearest(to: "", of: []) == nil)
    }
}
