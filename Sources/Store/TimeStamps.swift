// SPDX-License-Identifier: Apache-2.0
public import Evidence
import Glibc
import Linux

/// A time stamp of a seal, with what ties an earlier seal to it.
public struct StampedSeals: Sendable {
    /// A TimeStampResp in DER (``TimeStamp``).
    public let stamp: [UInt8]
    /// The number of the stamped seal.
    public let number: Int64
    /// The seals after the earlier one, up to the stamped one, with the names of their files. Empty if it was stamped
    /// itself.
    public let seals: [(name: String, file: SealFile)]
}

extension CaptureStore {
    /// The folder into which somebody puts a time stamp of seal N as `N.tsr` (docs/evidence.md, "Recipes").
    var timeStamps: String { path + "/time-stamps" }

    /// More seals than these make an archive long.
    private static let mostStampedSeals: Int64 = 500

    /// The first time stamp of a seal or of one after it.
    /// - Returns: nil without a stamp that fits its seal.
    public func timeStamp(covering number: Int64) throws(StoreError) -> StampedSeals? {
        let files: [String]
        do throws(Errno) { files = try Directory.names(of: timeStamps) } catch {
            if error == .noSuchFile { return nil }
            throw StoreError(.list, timeStamps, error)
        }
        let ending = ".tsr"
        let numbers = files.compactMap { $0.hasSuffix(ending) ? Int64($0.dropLast(ending.count)) : nil }
            .filter { number <= $0 && $0 - number <= Self.mostStampedSeals }.sorted()
        if numbers.isEmpty { return nil }
        let names = try seals.names()
        for stamped in numbers {
            guard let name = names.first(where: { $0.number == stamped }),
                let bytes = try? InputFile.read(
                    "\(timeStamps)/\(stamped)\(ending)", maximumByteCount: TimeStamp.maximumByteCount),
                let stamp = TimeStamp(bytes), stamp.isIntact, try seals.digest(name) == stamp.imprint
            else { continue }
            var between: [(String, SealFile)] = []
            for name in names where number < name.number && name.number <= stamped {
                between.append((name.text, try seals.read(name)))
            }
            return StampedSeals(stamp: bytes, number: stamped, seals: between)
        }
        return nil
    }
}
