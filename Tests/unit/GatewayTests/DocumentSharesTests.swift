// SPDX-License-Identifier: Apache-2.0
import Testing

@testable import Gateway
@testable import HTTP

@Suite("Shares of the panel's room for documents")
struct DocumentSharesTests {
    private func take(_ shares: inout DocumentShares, _ size: Int, _ owner: String) -> Int? {
        try? shares.take(size, for: owner)
    }

    @Test("documents of one token that wait leave room for another one")
    func others() throws {
        var shares = DocumentShares(limit: 48)
        let first = try #require(take(&shares, 32, "a"))
        #expect(take(&shares, 32, "a") == nil && take(&shares, 1, "a") == nil)
        #expect(take(&shares, 17, "b") == nil)
        #expect(take(&shares, 8, "b") != nil && take(&shares, 4, "c") != nil)
        shares.giveBack(first)
        #expect(take(&shares, 32, "a") != nil)
    }

    @Test("many small documents of a token take no more than half")
    func small() {
        var shares = DocumentShares(limit: 48)
        var count = 0
        while take(&shares, 1, "a") != nil { count += 1 }
        #expect(count == 24 && take(&shares, 24, "b") != nil && take(&shares, 1, "c") == nil)
    }

    @Test("the refusal is 429, and says when to try again")
    func refusal() {
        var shares = DocumentShares(limit: 48)
        _ = take(&shares, 32, "a")
        #expect {
            _ = try shares.take(32, for: "a")
        } throws: { error in
            let problem = error as? Problem
            return problem?.status == 429 && problem?.detail.hasPrefix("The panel holds 32 bytes") == true
        }
    }
}
