// SPDX-License-Identifier: Apache-2.0
public import ArgumentParser
import Geometry
public import Ink
public import Raster

/// What the ink and the paper look like.
struct PictureOptions: ParsableArguments {
    @Option(help: "The pen: \(PenName.allCases.map(\.rawValue).joined(separator: ", ")).")
    var pen: PenName = .default

    @Option(help: ArgumentHelp(
        "A change to the pen, may be repeated: \(PenSwitch.allCases.map(\.rawValue).joined(separator: ", ")).",
        valueName: "name"))
    var penSwitch: [PenSwitch] = []

    @Option(help: ArgumentHelp("The ink's colour.", valueName: "rrggbb"))
    var color = Color(red: 0x10, green: 0x18, blue: 0x40)

    @Option(help: ArgumentHelp("The ink's width in pixels; each pen has its own default.", valueName: "px"))
    var width: Double?

    @Option(help: ArgumentHelp("The paper's colour.", valueName: "rrggbb"))
    var background = Color.white

    func validate() throws {
        if let width, !(width >= 0.1 && width <= 500) {
            throw ValidationError("--width is a width in pixels, 0.1 to 500")
        }
        for name in penSwitch where !pen.switches.contains(name) {
            let owners = PenName.allCases.filter { $0.switches.contains(name) }.map(\.rawValue)
            throw ValidationError(
                "--pen-switch \(name.rawValue) is for the pen \(owners.joined(separator: ", ")), not \(pen.rawValue)")
        }
        if background.alpha != 255 { throw ValidationError("--background is opaque: six digits, rrggbb") }
    }

    func look(rotation: Rotation? = nil) -> Look {
        Look(
            pen: Pen(pen, width: width, switches: Set(penSwitch)), color: color, background: background,
            rotation: rotation)
    }
}

extension PenName: ExpressibleByArgument {}
extension PenSwitch: ExpressibleByArgument {}

extension Color: ExpressibleByArgument {
    public init?(argument: String) { self.init(hex: argument) }

    public var defaultValueDescription: String {
        let digits = String(xrgb8888 & 0xFF_FFFF, radix: 16)
        return String(repeating: "0", count: 6 - digits.count) + digits
    }
}
