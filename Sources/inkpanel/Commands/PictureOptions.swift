// SPDX-License-Identifier: Apache-2.0
public import ArgumentParser
import Configuration
public import Geometry
public import Ink
import Pad
import Pages
import Panel
import Record

struct PenOption: ParsableArguments {
    @Option(name: .customLong("pen"), help: ArgumentHelp(Setting["ink.pen"].help(""), valueName: "pen"))
    var given: PenName?

    var pen: PenName { given ?? .default }
}

extension PenName: ExpressibleByArgument {}

/// Options for the look of ink and paper.
struct PictureOptions: ParsableArguments {
    @Option(help: ArgumentHelp("Change to the pen; may be repeated.", valueName: "name"))
    var penSwitch: [PenSwitch] = []

    @Option(
        help: ArgumentHelp(
            "Thin out the ink where the pen leaves fast (default: on; in run as the configuration says).",
            valueName: "on|off"))
    var taper: Switch?

    @Option(
        name: .customLong("color"),
        help: ArgumentHelp(
            "Colour of the ink (default: \(defaultColor.defaultValueDescription); run uses that of the theme, in the "
                + "dark one \(PageTheme.dark.ink.defaultValueDescription)).", valueName: "rrggbb"))
    var givenColor: Color?

    @Option(help: ArgumentHelp(Setting["ink.width-mm"].help(), valueName: "mm"))
    var width: Double?

    @Option(help: ArgumentHelp(Setting["ink.pressure"].help(""), valueName: "curve"))
    var pressure: PressureCurve?

    @Option(
        help: ArgumentHelp(
            "Pixels per inch, if unknown (default: as the screen or the device of a recording reports, else 150). In "
                + "render also the size on paper.", valueName: "n"))
    var dpi: Double?

    @Option(
        name: .customLong("background"),
        help: ArgumentHelp(
            "Colour of the paper (default: \(defaultBackground.defaultValueDescription)). In run only with --page ink; "
                + "the default is that of the theme, in the dark one \(PageTheme.dark.paper.defaultValueDescription).",
            valueName: "rrggbb"))
    var givenBackground: Color?

    /// The colours of the light theme.
    static let defaultColor = PageTheme.light.ink
    static let defaultBackground = PageTheme.light.paper

    var color: Color { givenColor ?? Self.defaultColor }
    var background: Color { givenBackground ?? Self.defaultBackground }

    func validate() throws {
        if let problem = Setting["ink.width-mm"].problem(with: width, option: "--width")
            ?? Setting["display.dpi"].problem(with: dpi, option: "--dpi")
        {
            throw ValidationError(problem)
        }
        if background.alpha != 255 { throw ValidationError("--background must be opaque: six digits, rrggbb") }
    }

    /// Rejects options that affect none of the pens.
    func validate(for pens: [PenName]) throws {
        if pressure != nil, !pens.contains(.ink) { throw ValidationError("--pressure is for the pen ink") }
        if taper != nil, !pens.contains(.ink) { throw ValidationError("--taper is for the pen ink") }
        for name in penSwitch where !pens.contains(where: { $0.switches.contains(name) }) {
            let owners = PenName.allCases.filter { $0.switches.contains(name) }.map(\.rawValue)
            throw ValidationError("--pen-switch \(name.rawValue) is for the pen \(owners.joined(separator: ", "))")
        }
    }

    /// - Parameter others: of a file; replaced by `--pen-switch`.
    /// - Returns: nil for those that the pen has by default.
    func switches(of pen: PenName, or others: Set<PenSwitch>? = nil) -> Set<PenSwitch>? {
        let given = penSwitch.isEmpty ? others : pen.defaultSwitches.union(penSwitch)
        return switch taper {
        case nil: given
        case .on: (given ?? pen.defaultSwitches).union([.taper])
        case .off: (given ?? pen.defaultSwitches).subtracting([.taper])
        }
    }

    var density: PixelDensity? { dpi.map { PixelDensity(dotsPerInch: $0) } }

    func look(pen: PenName, rotation: Rotation? = nil) -> Look {
        Look(
            pen: Pen(pen, width: width, pressureCurve: pressure ?? .linear, switches: switches(of: pen)),
            color: color, background: background, density: density, rotation: rotation)
    }
}

extension PenSwitch: ExpressibleByArgument {}
extension PressureCurve: ExpressibleByArgument {}

extension Color: ExpressibleByArgument {
    public init?(argument: String) { self.init(hex: argument) }

    public var defaultValueDescription: String { String(rgbHex.dropFirst()) }
}
