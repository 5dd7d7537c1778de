// SPDX-License-Identifier: Apache-2.0
public import Geometry

/// A udev rule that gives a device its calibration matrix, for every program that looks for it (libinput, and so
/// desktops; inkpanel).
public struct CalibrationRule: Equatable, Sendable {
    private let device: DeviceDescription
    private let matrix: Transform

    public init(_ device: DeviceDescription, matrix: Transform) {
        self.device = device
        self.matrix = matrix
    }

    /// The file's text. The device is known by its name and numbers, not by its event number or socket, which change.
    public var text: String {
        """
        # Calibration of "\(comment)", by inkpanel calibrate. It holds from the next start of the machine, or:
        # udevadm control --reload && udevadm trigger --subsystem-match=input --action=change
        ACTION!="remove", SUBSYSTEM=="input", KERNEL=="event[0-9]*", ATTRS{name}=="\(pattern)", \
        ATTRS{id/vendor}=="\(Self.hexadecimal(device.vendor))", \
        ATTRS{id/product}=="\(Self.hexadecimal(device.product))", \
        ENV{LIBINPUT_CALIBRATION_MATRIX}="\(Calibration.text(matrix))"

        """
    }

    private var comment: String { String(String.UnicodeScalarView(device.name.unicodeScalars.filter { $0 != "\n" })) }

    /// A name is the device's own and may hold anything; what means something in a rule becomes "any character". sysfs
    /// ends a name with a line feed, and udev leaves blanks at the end of what it compares out.
    private var pattern: String {
        var name = String.UnicodeScalarView()
        for scalar in device.name.unicodeScalars {
            let isPlain = scalar.isASCII && scalar.value >= 0x20 && !"\"\\*?[]|$%".unicodeScalars.contains(scalar)
            // A character beyond ASCII is some bytes to udev; * takes any number of them.
            name.append(isPlain ? scalar : scalar.isASCII ? "?" : "*")
        }
        while name.last == " " { name.removeLast() }
        return String(name)
    }

    private static func hexadecimal(_ number: UInt16) -> String {
        let digits = String(number, radix: 16)
        return String(repeating: "0", count: 4 - digits.count) + digits
    }
}
