// SPDX-License-Identifier: Apache-2.0
public import ArgumentParser
import Configuration
import Geometry
public import Ink
import Pages
public import Raster

/// What the ink and the paper look like.
struct PictureOptions: ParsableArguments {
    @Option(help: ArgumentHelp(
        "A change to the pen, may be repeated: \(PenSwitch.allCases.map(\.rawValue).joined(separator: ", ")).",
        valueName: "name"))
    var penSwitch: [PenSwitch] = []

    @Option(
        name: .customLong("color"),
        help: ArgumentHelp(
            "The ink's colour (default: \(defaultColor.defaultValueDescription); in run the theme's, in the dark one "
                + "\(PageTheme.dark.ink.defaultValueDescription)).", valueName: "rrggbb"))
    var givenColor: Color?

    @Option(help: ArgumentHelp("The ink's width in millimetres; each pen has its own default.", valueName: "mm"))
    var width: Double?

    @Option(help: """
        How the pressure of a pen that measures it makes the width of the pen ink: \
        \(PressureCurve.allCases.map(\.rawValue).joined(separator: ", ")) (the width comes from speed); default: linear.
        """)
    var pressure: PressureCurve?

    @Option(help: ArgumentHelp(
        "Pixels per inch, where it is not known (default: as the screen or a recording's device states its size, else "
            + "150); in render also for the size on paper.", valueName: "n"))
    var dpi: Double?

    @Option(
        name: .customLong("background"),
        help: ArgumentHelp(
            "The paper's colour (default: \(defaultBackground.defaultValueDescription)); in run with --page ink only, "
                + "where the theme's is the default, in the dark one \(PageTheme.dark.paper.defaultValueDescription).",
            valueName: "rrggbb"))
    var givenBackground: Color?

    /// As on the pad's light pages.
    static let defaultColor = PageTheme.light.ink
    static let defaultBackground = PageTheme.light.paper

    var color: Color { givenColor ?? Self.defaultColor }
    var background: Color { givenBackground ?? Self.defaultBackground }

    func validate() throws {
        if let width, !Configuration.inkWidthRange.contains(width) {
            throw ValidationError("--width is a width in millimetres, 0.01 to 100")
        }
        if let dpi, !PixelDensity.dotsPerInchRange.contains(dpi) {
            throw ValidationError("--dpi is 10 to 10000 pixels per inch")
        }
        if background.alpha != 255 { throw ValidationError("--background is opaque: six digits, rrggbb") }
    }

    /// Refuses what changes none of these pens.
    func validate(for pens: [PenName]) throws {
        if pressure != nil, !pens.contains(.ink) { throw ValidationError("--pressure is for the pen ink") }
        for name in penSwitch where !pens.contains(where: { $0.switches.contains(name) }) {
            let owners = PenName.allCases.filter { $0.switches.contains(name) }.map(\.rawValue)
            throw ValidationError("--pen-switch \(name.rawValue) is for the pen \(owners.joined(separator: ", "))")
        }
    }

    /// What ``dpi`` says; nil when it was not given.
    var density: PixelDensity? { dpi.map { PixelDensity(dotsPerInch: $0) } }

    func look(pen: PenName, rotation: Rotation? = nil) -> Look {
        Look(
            pen: Pen(pen, width: width, pressureCurve: pressure ?? .linear, switches: Set(penSwitch)),
            color: color, background: background, density: density, rotation: rotation)
    }
}

extension PenSwitch: ExpressibleByArgument {}
extension PressureCurve: ExpressibleByArgument {}

extension Color: ExpressibleByArgument {
    public init?(argument: String) { self.init(hex: argument) }

    public var defaultValueDescription: String {
        let digits = String(xrgb8888 & 0xFF_FFFF, radix: 16)
        return String(repeating: "0", count: 6 - digits.count) + digits
    }
}
