// SPDX-License-Identifier: Apache-2.0
import ArgumentParser
import Geometry
import HostAPI

/// `inkpanel setup frame`: what docs/speech.md explains.
struct SetupFrameCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "frame", abstract: "Write a template for a frame that is felt around the ink field.",
        discussion: """
            Ask for a signature as your host does, and call this while its page is on the screen: the template has the \
            openings of that page, in true size. Print it at 100 %, and cut them out of a sheet that lies on the \
            screen. The field is elsewhere if a page has more or longer texts.
            """)

    @Argument(help: ArgumentHelp("SVG file; - for standard output.", valueName: "file"))
    var output: String

    @OptionGroup var control: ControlOptions

    func validate() throws { try OutputFile.checkSuffix(of: output, among: ["svg"], option: nil, hasFormat: false) }

    func run() throws {
        try reportingErrors {
            try OutputFile.check(output, option: nil)
            var client = try control.connect()
            guard let capture = try client.mirroredCapture(), let template = FrameTemplate(capture) else {
                throw CommandError.unavailable(
                    "no page to sign on is on the screen; ask for a signature first: inkpanel capture --prompt TEXT")
            }
            try OutputFile.write(Array(template.svg.utf8), to: output, option: nil)
        }
    }
}

/// A sheet as large as the screen, with an opening for the ink field and for each button.
struct FrameTemplate {
    private struct Opening {
        var name: String
        var x, y, width, height: Double
    }

    /// Millimetres.
    private let width, height: Double
    private let openings: [Opening]
    /// The width of the bridge that stays between two openings.
    private static let bridge = 2.0

    /// - Returns: nil for a page without an ink field.
    init?(_ capture: MirrorReply.Capture) {
        let scale = capture.pixelsPerMillimetre
        if capture.field.width <= 0 || capture.field.height <= 0 || scale <= 0 { return nil }
        func opening(_ name: String, _ place: MirrorReply.Rectangle) -> Opening {
            let inset = Self.bridge / 2
            return Opening(
                name: name, x: Double(place.x) / scale + inset, y: Double(place.y) / scale + inset,
                width: Double(place.width) / scale - 2 * inset, height: Double(place.height) / scale - 2 * inset)
        }
        (width, height) = (Double(capture.size.width) / scale, Double(capture.size.height) / scale)
        openings =
            ([opening("field", capture.field)] + capture.buttons.map { opening($0.label ?? $0.button, $0.rectangle) })
            .filter { $0.width > 0 && $0.height > 0 }
    }

    /// SVG of the size in millimetres, with a rule of 50 mm to check the print.
    var svg: String {
        let (sheet, foot) = ("\(Self.text(width))", height + 12)
        var lines = [
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"\(sheet)mm\" height=\"\(Self.text(foot))mm\" "
                + "viewBox=\"0 0 \(sheet) \(Self.text(foot))\" fill=\"none\" stroke=\"#000\" stroke-width=\"0.2\">",
            "<rect x=\"0.1\" y=\"0.1\" width=\"\(Self.text(width - 0.2))\" height=\"\(Self.text(height - 0.2))\"/>",
        ]
        for opening in openings {
            let place = "x=\"\(Self.text(opening.x))\" y=\"\(Self.text(opening.y))\""
            let size = "width=\"\(Self.text(opening.width))\" height=\"\(Self.text(opening.height))\""
            lines.append("<rect \(place) \(size) rx=\"1\"><title>\(Self.escaped(opening.name))</title></rect>")
        }
        lines.append("<path d=\"M 2 \(Self.text(height + 6)) h 50 m 0 -2 v 4 M 2 \(Self.text(height + 4)) v 4\"/>")
        lines.append(
            "<text x=\"55\" y=\"\(Self.text(height + 7.5))\" font-size=\"4\" font-family=\"sans-serif\" fill=\"#000\" "
                + "stroke=\"none\">50 mm</text>")
        return (lines + ["</svg>", ""]).joined(separator: "\n")
    }

    /// A hundredth of a millimetre.
    private static func text(_ millimetres: Double) -> String {
        let hundredths = Int((millimetres * 100).rounded())
        let rest = hundredths % 100
        return "\(hundredths / 100)" + (rest == 0 ? "" : (rest < 10 ? ".0" : ".") + "\(rest)")
    }

    private static func escaped(_ text: String) -> String {
        text.replacing("&", with: "&amp;").replacing("<", with: "&lt;").replacing(">", with: "&gt;")
    }
}
