// SPDX-License-Identifier: Apache-2.0
public import ArgumentParser
import Configuration
import Touch

/// What `inkpanel run` takes on its command line; what is left out is as the configuration says (``RunSettings``).
struct RunOptions: ParsableArguments {
    @Option(
        parsing: .singleValue,
        help: ArgumentHelp(
            "A device's path, or replay:FILE for a recording; may be repeated (default: the best devices).",
            valueName: "path"))
    var touch: [TouchChoice] = []

    @Option(
        parsing: .singleValue,
        help: ArgumentHelp(
            "Take noise off touches: \(NoiseSettings.expectation); may be repeated; none for none (default: none).",
            valueName: "filter"))
    var touchFilter: [String] = []

    @Option(help: ArgumentHelp(
        "kms, kms:CONNECTOR, fb, fb:PATH for a framebuffer device, or headless:WxH (default: kms).",
        valueName: "display"))
    var display: DisplayChoice?

    @Option(
        help: ArgumentHelp(
            "What is shown while nobody is asked for a signature: idle (a text or a picture), sketch (a drawing "
                + "surface with tools) or ink (a bare sheet) (default: idle).", valueName: "page"))
    var page: PadPage?

    @Option(help: ArgumentHelp("Where captures are kept (default: /var/lib/inkpanel).", valueName: "directory"))
    var store: String?

    @Option(
        help: ArgumentHelp(
            "The socket at which hosts ask for signatures (default: /run/inkpanel/panel.sock).", valueName: "path"))
    var socket: String?

    @OptionGroup var screen: ScreenOptions
    @OptionGroup var pen: PenOption
    @OptionGroup var picture: PictureOptions

    /// Nil where nothing is said, and for what is no filter.
    var filters: NoiseSettings? {
        if touchFilter.isEmpty { return nil }
        return touchFilter == ["none"] ? NoiseSettings() : NoiseSettings(touchFilter)
    }

    func validate() throws {
        // Switches may be for the pen that the configuration names; see RunSettings.
        if let pen = pen.given { try picture.validate(for: [pen]) }
        if filters == nil, !touchFilter.isEmpty {
            throw ValidationError("--touch-filter is none, or each once: \(NoiseSettings.expectation)")
        }
        if store?.isEmpty == true { throw ValidationError("--store is the path of a directory") }
        if let socket, !(1...Configuration.longestSocketPath ~= socket.utf8.count) {
            throw ValidationError("--socket is a path of at most \(Configuration.longestSocketPath) bytes")
        }
    }
}

extension PadPage: ExpressibleByArgument {}
