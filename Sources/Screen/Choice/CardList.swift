// SPDX-License-Identifier: Apache-2.0
import Linux

/// The graphics cards that have a node now.
public enum CardList {
    /// The paths of all `card*` in `directory`, by number: `card2` before `card10`. Which number a card gets changes
    /// from boot to boot on boards with several, so the order decides only between equals.
    public static func paths(in directory: String = "/dev/dri") -> [String] {
        let names = (try? Directory.names(of: directory)) ?? []
        let numbers = names.filter { $0.hasPrefix("card") }.compactMap { UInt32($0.dropFirst(4)) }
        return numbers.sorted().map { "\(directory)/card\($0)" }
    }
}
