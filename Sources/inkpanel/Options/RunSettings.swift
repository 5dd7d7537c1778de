// SPDX-License-Identifier: Apache-2.0
import Pad
import Configuration
import Geometry
import Ink
import Pages
import Raster
import Touch

/// Everything that a run of the panel is made with: the command line over the configuration over the defaults.
struct RunSettings: Equatable {
    /// None: the best that there are.
    var touch: [TouchChoice]
    /// A contact of this size in millimetres, or larger, is a palm; nil when none is.
    var palmLimit: Double?
    var filters: NoiseSettings
    /// Of all devices; nil is as udev says of each.
    var calibration: Transform?
    var display: DisplayChoice
    /// nil is as the kernel says the panel is built in.
    var rotation: Rotation?
    /// Ink is drawn ahead of the pen.
    var predicts: Bool
    /// Whether another virtual terminal may have the screen.
    var allowsSwitching: Bool
    var power: Configuration.Power
    /// nil is as the screen states its size.
    var density: PixelDensity?
    var pen: Pen
    /// nil is the theme's on its pages.
    var color: Color?
    /// Of the bare sheet, with which alone it can be given; nil is the theme's paper.
    var background: Color?
    var pad: Configuration.Pad
    var capture: CapturePolicy
    var record: Configuration.Record
    var control: Configuration.Control
    var sketch: Configuration.Sketch

    /// - Throws: ``CommandError`` for options that do not go with the configuration.
    init(_ file: Configuration, overriddenBy options: RunOptions) throws(CommandError) {
        touch = options.touch
        if touch.isEmpty {
            for text in file.touch.devices {
                guard let choice = TouchChoice(argument: text) else {
                    throw .unusableInput("\"\(text)\" in [touch] is no device")
                }
                touch.append(choice)
            }
        }
        palmLimit = file.touch.palmLimit
        filters = options.filters ?? file.touch.filters
        calibration = file.touch.calibration
        display = options.display ?? file.display.output
        rotation = options.screen.rotate ?? file.display.rotation
        predicts = options.screen.prediction.map { $0 == .on } ?? file.display.predicts
        allowsSwitching = file.display.allowsSwitching
        power = file.power
        density = options.picture.density ?? file.display.density
        pen = try Self.pen(file.ink, options)
        color = options.picture.givenColor ?? file.ink.color
        pad = file.pad
        pad.page = options.page ?? file.pad.page
        background = options.picture.givenBackground
        if background != nil, pad.page != .ink {
            throw .wrongUsage("--background is for --page ink: other pages have the colours of the theme ([pad] theme)")
        }
        capture = file.capture
        record = file.record
        record.directory = options.store ?? file.record.directory
        control = file.control
        control.socket = options.socket ?? file.control.socket
        sketch = file.sketch
    }

    private static func pen(_ file: Configuration.InkLook, _ options: RunOptions) throws(CommandError) -> Pen {
        let name = options.pen.given ?? file.pen
        do {
            try options.picture.validate(for: [name])
        } catch {
            throw CommandError.wrongUsage("\(error)")
        }
        // Those of the file are for its pen; another one has none of them, or takes them too.
        let switches = options.picture.penSwitch.isEmpty ? file.switches : Set(options.picture.penSwitch)
        return Pen(
            name, width: options.picture.width ?? file.width,
            pressureCurve: options.picture.pressure ?? file.pressure, switches: switches.intersection(name.switches))
    }

    var theme: PageTheme {
        switch pad.theme {
        case .light: .light
        case .dark: .dark
        }
    }

    /// Of the bare sheet.
    var look: Look {
        Look(
            pen: pen, color: color ?? theme.ink, background: background ?? theme.paper, density: density,
            rotation: rotation)
    }
}
