// SPDX-License-Identifier: Apache-2.0

/// How large contacts are, from what a multitouch device says of them.
///
/// Of the kernel's documentation (multi-touch-protocol.rst): ABS_MT_TOUCH_MAJOR and _MINOR are the lengths of the
/// contact's ellipse, ABS_MT_WIDTH_MAJOR and _MINOR those of the tool above it, which is larger; all are in units of
/// the surface, those of ABS_MT_POSITION_X and _Y. Where such an axis has a resolution of its own, that counts.
public struct ContactSize: Equatable, Sendable {
    private struct Length: Equatable, Sendable {
        let code: UInt16
        let unitsPerMillimetre: Double
    }

    private let major: Length
    private let minor: Length?

    /// - Returns: nil where the device does not tell sizes, or in units that have no length.
    public init?(_ device: DeviceDescription) {
        switch device.kind {
        case .multitouch, .anonymousMultitouch: break
        case .singleTouch, .pen, .unusable: return nil
        }
        guard let position = device.positionAxes else { return nil }
        func length(_ code: UInt16) -> Length? {
            guard let axis = device.axes[code], axis.hasRange else { return nil }
            // Along which axis a contact lies is not known. By the finer one it is the smaller: in doubt it draws.
            let resolution = axis.resolution > 0 ? axis.resolution : max(position.x.resolution, position.y.resolution)
            return resolution > 0 ? Length(code: code, unitsPerMillimetre: Double(resolution)) : nil
        }
        if let touch = length(EventCode.mtTouchMajor) {
            (major, minor) = (touch, length(EventCode.mtTouchMinor))
        } else if let width = length(EventCode.mtWidthMajor) {
            (major, minor) = (width, length(EventCode.mtWidthMinor))
        } else {
            return nil
        }
    }

    /// The axes to listen to, ABS_MT_* numbers.
    var majorCode: UInt16 { major.code }
    var minorCode: UInt16? { minor?.code }

    /// The larger side in millimetres; nil until the device has told one. 0 is told of contacts that hover.
    func millimetres(major: Int32?, minor: Int32?) -> Double? {
        var size = 0.0
        if let major { size = Double(major) / self.major.unitsPerMillimetre }
        if let minor, let length = self.minor { size = max(size, Double(minor) / length.unitsPerMillimetre) }
        return size > 0 ? size : nil
    }
}
