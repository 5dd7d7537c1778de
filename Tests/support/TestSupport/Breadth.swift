// SPDX-License-Identifier: Apache-2.0
import Glibc

/// How far tests with random input go: not far for a commit, and far in `make test-long`, which sets
/// INKPANEL_TEST_BREADTH=long.
public enum Breadth {
    private static let isLong = getenv("INKPANEL_TEST_BREADTH").map { String(cString: $0) } == "long"

    public static func count(_ few: Int, long many: Int) -> Int { isLong ? many : few }

    /// For a commit one of `part` cases, in turn, from `first` on; all in long tests.
    public static func share<Case>(of cases: [Case], part: Int, first: Int = 0) -> [Case] {
        isLong ? cases : cases.enumerated().filter { $0.offset % part == first % part }.map(\.element)
    }

    public static func seeds(_ few: UInt64, long many: UInt64) -> Range<UInt64> { 0..<(isLong ? many : few) }
}
