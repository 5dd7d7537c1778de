// SPDX-License-Identifier: Apache-2.0
import ArgumentParser
import Geometry
import Ink
import Linux
import Touch

/// `inkpanel demo`: what the pad does, to be seen on a machine without one.
struct DemoCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "demo", abstract: "Play a whole signature capture, without a panel.",
        discussion: """
            The program runs as on a panel, on a display in memory, with a host that asks over its socket and a pen \
            recording that signs and touches Accept. It writes pictures of the pages (NAME-idle.png, NAME-prompt.png, \
            NAME-signed.png, NAME-thanks.png), the signature (NAME.png, NAME.svg) and its record (NAME.jsonl).
            """)

    @Option(help: ArgumentHelp("How the names of the files begin.", valueName: "name"))
    var output = "inkpanel-demo"

    @Option(help: ArgumentHelp("The display in memory.", valueName: "WxH"))
    var size = PixelSize(width: 1280, height: 720)

    @OptionGroup var pen: PenOption

    func run() throws {
        let log = Log()
        try reportingErrors(log) {
            for suffix in Demo.suffixes { try OutputFile.check(output + suffix) }
            print("A signature capture, as on a panel of \(size) pixels:")
            let files = try Demo(size: size, pen: Pen(pen.pen), log: log).run()
            for (suffix, bytes) in files.sorted(by: { $0.key < $1.key }) {
                try OutputFile.write(bytes, to: output + suffix)
                print("  \(output.printable)\(suffix), \(bytes.count) bytes")
            }
        }
    }
}

extension Recording {
    /// The built-in recording; Demo/README.md has its origin.
    static func demonstration() throws(RecordingError) -> Recording {
        try Recording(bytes: PackageResources.demo_events, name: "demo.events")
    }
}
