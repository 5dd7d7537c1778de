// SPDX-License-Identifier: Apache-2.0

/// Sorts in place without allocating: a row has few boundaries, for which this is plain insertion, and the gaps
/// (D. Knuth, 1973: 1, 4, 13, 40 ...) keep the rare row with thousands from quadratic time.
@inline(__always)
func shellSort<Value: FixedWidthInteger>(_ values: UnsafeMutablePointer<Value>, count: Int) {
    var gap = 1
    while gap < count / 9 { gap = 3 &* gap &+ 1 }
    while gap > 0 {
        var index = gap
        while index < count {
            let value = values[index]
            var hole = index
            while hole >= gap && values[hole &- gap] > value {
                values[hole] = values[hole &- gap]
                hole &-= gap
            }
            values[hole] = value
            index &+= 1
        }
        gap /= 3
    }
}
