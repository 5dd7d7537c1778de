// SPDX-License-Identifier: Apache-2.0
import CProcessor

/// What eight parts of edges add to the cells of their rows: four numbers each, from the leftmost pixel on, the last of
/// them zero. As one vector they are loaded, added and stored in three instructions; three numbers by themselves take
/// six, and the stores wait for each other.
struct DepositQuads {
    // Two parts each, one in either half, because all shuffles stay within halves.
    private let parts04, parts15, parts26, parts37: SIMD8<Int32>

    /// - Parameters:
    ///   - first, second, third: what each part adds to its three cells.
    @inline(__always)
    init(first: SIMD8<Int32>, second: SIMD8<Int32>, third: SIMD8<Int32>) {
        let (pairs01, pairs23) = (inkpanel_zip_first(first, second), inkpanel_zip_last(first, second))
        let (rest01, rest23) = (inkpanel_zip_first(third, .zero), inkpanel_zip_last(third, .zero))
        parts04 = inkpanel_first_pairs(pairs01, rest01)
        parts15 = inkpanel_last_pairs(pairs01, rest01)
        parts26 = inkpanel_first_pairs(pairs23, rest23)
        parts37 = inkpanel_last_pairs(pairs23, rest23)
    }

    /// Adds those of the first four parts.
    /// - Parameter places: of all eight the index of the leftmost pixel's cell. In memory, where one is loaded with one
    ///   instruction.
    @inline(__always)
    func addFirst(to cells: UnsafeMutablePointer<Int32>, at places: UnsafePointer<Int32>) {
        inkpanel_add_four(cells + Int(places[0]), parts04.lowHalf)
        inkpanel_add_four(cells + Int(places[1]), parts15.lowHalf)
        inkpanel_add_four(cells + Int(places[2]), parts26.lowHalf)
        inkpanel_add_four(cells + Int(places[3]), parts37.lowHalf)
    }

    /// Adds those of the last four.
    @inline(__always)
    func addLast(to cells: UnsafeMutablePointer<Int32>, at places: UnsafePointer<Int32>) {
        inkpanel_add_four(cells + Int(places[4]), parts04.highHalf)
        inkpanel_add_four(cells + Int(places[5]), parts15.highHalf)
        inkpanel_add_four(cells + Int(places[6]), parts26.highHalf)
        inkpanel_add_four(cells + Int(places[7]), parts37.highHalf)
    }
}
