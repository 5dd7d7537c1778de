// SPDX-License-Identifier: Apache-2.0
public import Evidence
import Linux

/// A time stamp of a seal, with what ties an earlier seal to it.
public struct StampedSeals: Sendable {
    /// A TimeStampResp in DER (``TimeStampResponse``).
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

    /// The first time stamp of a seal or of one after it. Others than the panel put these files there: one that cannot
    /// be used, or a seal that is damaged or missing between, leaves it to the next stamp.
    /// - Returns: nil without a stamp that fits its seal and is tied to this one.
    public func timeStamp(covering number: Int64) -> StampedSeals? {
        let ending = ".tsr"
        let files = (try? Directory.names(of: timeStamps)) ?? []
        let numbers = files.compactMap { $0.hasSuffix(ending) ? Int64($0.dropLast(ending.count)) : nil }
            .filter { number <= $0 && $0 - number <= Self.mostStampedSeals }.sorted()
        guard !numbers.isEmpty, let names = try? seals.names() else { return nil }
        for stamped in numbers {
            guard let name = names.first(where: { $0.number == stamped }),
                let bytes = try? InputFile.read(
                    "\(timeStamps)/\(stamped)\(ending)", maximumByteCount: TimeStampResponse.maximumByteCount),
                let stamp = TimeStampResponse(bytes), stamp.isIntact, (try? seals.digest(name)) == stamp.imprint
            else { continue }
            let later = names.filter { number < $0.number && $0.number <= stamped }
            let between = later.compactMap { name in (try? seals.read(name)).map { (name.text, $0) } }
            if between.count == stamped - number {
                return StampedSeals(stamp: bytes, number: stamped, seals: between)
            }
        }
        return nil
    }
}
