// SPDX-License-Identifier: Apache-2.0

extension Color {
    /// The colour with some of another one in it, channel by channel; keeps its own opacity.
    /// - Parameter share: of `other`, 0...1.
    public func mixed(with other: Color, _ share: Double) -> Color {
        func channel(_ own: UInt8, _ its: UInt8) -> UInt8 {
            UInt8(clamping: Int((Double(own) + (Double(its) - Double(own)) * share).rounded()))
        }
        return Color(
            red: channel(red, other.red), green: channel(green, other.green), blue: channel(blue, other.blue),
            alpha: alpha)
    }
}
