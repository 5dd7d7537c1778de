// SPDX-License-Identifier: Apache-2.0
import Glibc

/// The graphics cards that have a node now.
public enum CardList {
    /// The paths of all `card*` in `directory`, by number: `card2` before `card10`. Which number a card gets changes
    /// from boot to boot on boards with several, so the order decides only between equals.
    public static func paths(in directory: String = "/dev/dri") -> [String] {
        guard let stream = opendir(directory) else { return [] }
        defer { closedir(stream) }
        var numbers: [Int] = []
        while let entry = readdir(stream) {
            // In place: the entry may be shorter than its type, so copying it would read past its end.
            let name = withUnsafePointer(to: &entry.pointee.d_name) { field in
                field.withMemoryRebound(to: CChar.self, capacity: 1) { String(cString: $0) }
            }
            if name.hasPrefix("card"), let number = Int(name.dropFirst(4)), number >= 0 { numbers.append(number) }
        }
        return numbers.sorted().map { "\(directory)/card\($0)" }
    }
}
