// SPDX-License-Identifier: Apache-2.0

/// The axes from which a multitouch device's contact sizes are computed, and whether they measure sizes.
///
/// The kernel's documentation (multi-touch-protocol.rst): ABS_MT_TOUCH_MAJOR and _MINOR are the axes of the contact's
/// ellipse, ABS_MT_WIDTH_MAJOR and _MINOR those of the larger tool above it, all in units of the surface, those of
/// ABS_MT_POSITION_X and _Y, unless they have a resolution of their own. Many drivers send other numbers, without a
/// unit, in whatever range: an axis without a resolution is not a size. Others send a constant, often the end of the
/// axis, which would make each finger a palm: an axis counts when it has sent two values above 0. Others state a wrong
/// unit, such as tenths as millimetres: an axis counts when it has sent the size of a fingertip, and no longer when it
/// has sent one beyond any hand.
public struct ContactSize: Equatable, Sendable {
    private struct Length: Equatable, Sendable {
        /// Millimetres. The palm limit is larger (``ContactGate/usualPalmLimit``).
        private static let fingertip = 25.0
        /// Millimetres: the length of a large hand, with all fingers joined to one contact.
        private static let hand = 210.0

        let code: UInt16
        let unitsPerMillimetre: Double
        private var first: Int32?
        private var hasVaried = false
        private var isOfFinger = false
        private var isBeyondHand = false

        init(code: UInt16, unitsPerMillimetre: Double) {
            self.code = code
            self.unitsPerMillimetre = unitsPerMillimetre
        }

        mutating func learn(_ value: Int32) {
            guard value > 0, !isBeyondHand else { return }
            let length = Double(value) / unitsPerMillimetre
            isBeyondHand = length > Self.hand
            isOfFinger = isOfFinger || length <= Self.fingertip
            if let first { hasVaried = hasVaried || first != value } else { first = value }
        }

        func millimetres(_ value: Int32?) -> Double {
            guard hasVaried, isOfFinger, !isBeyondHand, let value else { return 0 }
            return Double(value) / unitsPerMillimetre
        }
    }

    private var major: Length
    private var minor: Length?

    /// - Returns: nil if the device does not report sizes, or in unknown units.
    public init?(_ device: DeviceDescription) {
        switch device.kind {
        case .multitouch, .anonymousMultitouch: break
        case .singleTouch, .pen, .unusable: return nil
        }
        func length(_ code: UInt16) -> Length? {
            // An axis of two values tells only that there is a contact.
            guard let axis = device.axes[code], axis.cellCount > 2 else { return nil }
            // Without a resolution the unit may be anything: if in doubt, a contact draws.
            return axis.resolution > 0 ? Length(code: code, unitsPerMillimetre: Double(axis.resolution)) : nil
        }
        if let touch = length(EventCode.mtTouchMajor) {
            (major, minor) = (touch, length(EventCode.mtTouchMinor))
        } else if let width = length(EventCode.mtWidthMajor) {
            (major, minor) = (width, length(EventCode.mtWidthMinor))
        } else {
            return nil
        }
    }

    /// ABS_MT_* numbers.
    var majorCode: UInt16 { major.code }
    var minorCode: UInt16? { minor?.code }

    /// Notes a value of an ABS_MT_* axis.
    mutating func learn(_ code: UInt16, _ value: Int32) {
        if code == major.code { major.learn(value) } else if code == minor?.code { minor?.learn(value) }
    }

    /// The larger side in millimetres; nil until the device has measured one. Hovering contacts report 0.
    func millimetres(major: Int32?, minor: Int32?) -> Double? {
        let size = max(self.major.millimetres(major), self.minor?.millimetres(minor) ?? 0)
        return size > 0 ? size : nil
    }
}
