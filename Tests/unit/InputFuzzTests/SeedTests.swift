// SPDX-License-Identifier: Apache-2.0
import InputChecks
import Linux
import TestSupport
import Testing

/// A short look, the same each time, at what `make fuzz` looks at for as long as it is asked to.
@Suite("Inputs from anywhere")
struct SeedTests {
    /// Damaged copies of each seed.
    private static let copies = 40

    private static func seeds(of input: CheckedInput) throws -> [(name: String, bytes: [UInt8])] {
        let tests = #filePath.split(separator: "/").dropLast(3).reduce("") { $0 + "/" + $1 }
        let folder = tests + "/support/InputChecks/Seeds/" + input.rawValue
        return try Directory.names(of: folder).sorted().map { name in
            (name, try #require(try InputFile.read(folder + "/" + name, maximumByteCount: 1 << 20)))
        }
    }

    @Test("are read when they are whole, and break nothing that they broke once", arguments: CheckedInput.allCases)
    func whole(input: CheckedInput) throws {
        let seeds = try Self.seeds(of: input)
        #expect(seeds.count > 1)
        for (name, bytes) in seeds {
            let isTaken = try input.check(bytes)
            // Found by the fuzzer, they need not be any good.
            #expect(isTaken || name.hasPrefix("found-"), "\(input.rawValue)/\(name) is refused")
        }
        _ = try input.check([])
    }

    @Test("are read or refused when they are damaged, and nothing else happens", arguments: CheckedInput.allCases)
    func damaged(input: CheckedInput) throws {
        let seeds = try Self.seeds(of: input)
        var (taken, count) = (0, 0)
        for (number, seed) in seeds.enumerated() {
            for copy in 0..<Self.copies {
                var random = SeededGenerator(seed: UInt64(number * Self.copies + copy))
                var bytes = seed.bytes
                for _ in 0..<Int.random(in: 1...4, using: &random) {
                    Self.damage(&bytes, by: seeds.randomElement(using: &random)!.bytes, &random)
                }
                if try input.check(bytes) { taken += 1 }
                count += 1
            }
        }
        // Or nothing but refusals would have been looked at.
        #expect(taken > 0 && taken < count || input == .events, "\(taken) of \(count) are taken")
    }

    private static func damage(_ bytes: inout [UInt8], by other: [UInt8], _ random: inout SeededGenerator) {
        guard !bytes.isEmpty else { return }
        let start = Int.random(in: 0..<bytes.count, using: &random)
        let end = min(bytes.count, start + Int.random(in: 1...16, using: &random))
        switch Int.random(in: 0..<7, using: &random) {
        case 0: bytes[start] ^= 1 << UInt8.random(in: 0..<8, using: &random)
        case 1: bytes[start] = .random(in: .min ... .max, using: &random)
        case 2: bytes.removeSubrange(start..<end)
        case 3: bytes.insert(contentsOf: bytes[start..<end], at: start)
        case 4: bytes.removeLast(bytes.count - start)
        case 5:
            // A number becomes an extreme one.
            let numbers = ["-1", "0", "9223372036854775807", "1e308", "4294967296", "-0.0"]
            bytes.replaceSubrange(start..<end, with: numbers.randomElement(using: &random)!.utf8)
        default:
            guard !other.isEmpty else { return }
            let from = Int.random(in: 0..<other.count, using: &random)
            bytes.insert(contentsOf: other[from...].prefix(Int.random(in: 1...64, using: &random)), at: start)
        }
    }
}
