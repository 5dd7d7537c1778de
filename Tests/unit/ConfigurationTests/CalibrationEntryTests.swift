// SPDX-License-Identifier: Apache-2.0
import Geometry
import TestSupport
import Testing
import Touch

@testable import Configuration

@Suite("The calibration in the configuration")
struct CalibrationEntryTests {
    private static let matrix = Transform(a: 1.25, b: 0, tx: -0.125, c: 0, d: -1.1, ty: 1.05)
    private static let entry = "calibration = \"1.25 0 -0.125 0 -1.1 1.05\""

    private func edited(_ text: String) throws -> String {
        String(
            decoding: try Configuration.setting(calibration: Self.matrix, in: Array(text.utf8), path: "x.toml"),
            as: UTF8.self)
    }

    @Test("is read; auto is the calibration of udev")
    func read() throws {
        func read(_ text: String) throws -> Configuration {
            try Configuration(document: Array(text.utf8), path: "x.toml")
        }
        let entry = Self.entry
        #expect(try read("[touch]\n\(entry)\n").touch.calibration == Self.matrix)
        #expect(try read("[touch]\ncalibration = \"auto\"\n").touch.calibration == nil)
        #expect(throws: ConfigurationError.self) { try read("[touch]\ncalibration = \"1 0 0 0 0 0\"\n") }
        #expect(throws: ConfigurationError.self) { try read("[touch]\ncalibration = [1, 0, 0, 0, 1, 0]\n") }
    }

    @Test("is set in its line, after the commented key, at the start of the table, or in a new table")
    func set() throws {
        let entry = Self.entry
        let cases = [
            ("", "[touch]\n\(entry)\n"),
            ("[pad]\n# why\npage = \"idle\"", "[pad]\n# why\npage = \"idle\"\n\n[touch]\n\(entry)\n"),
            ("[pad]\npage = \"idle\"\n", "[pad]\npage = \"idle\"\n\n[touch]\n\(entry)\n"),
            (
                "[touch] # panel\npalm-mm = 3 # small\n[pad]\n",
                "[touch] # panel\n\(entry)\npalm-mm = 3 # small\n[pad]\n"
            ),
            (
                "[touch]\n# what\n#calibration = \"auto\"\n#palm-mm = 3\n[pad]\n#calibration = 1\n",
                "[touch]\n# what\n#calibration = \"auto\"\n\(entry)\n#palm-mm = 3\n[pad]\n#calibration = 1\n"
            ),
            (
                "[touch]\n  calibration  =\t'auto' # old \"one\"\npalm-mm = 3\n",
                "[touch]\n  calibration  = \"1.25 0 -0.125 0 -1.1 1.05\" # old \"one\"\npalm-mm = 3\n"
            ),
            ("touch.palm-mm = 3\n", "touch.palm-mm = 3\ntouch.\(entry)\n"),
            ("touch.calibration = \"auto\"\r\n", "touch.\(entry)\r\n"),
            ("[touch]\r\npalm-mm = 3\r\n", "[touch]\r\n\(entry)\r\npalm-mm = 3\r\n"),
        ]
        for (before, after) in cases {
            let edited = try edited(before)
            #expect(edited == after, "\(before)")
            #expect(try Configuration(document: Array(edited.utf8), path: "x").touch.calibration == Self.matrix)
        }
    }

    @Test("is not set in an inline table or an invalid file")
    func refused() throws {
        for text in ["touch = { palm-mm = 3 }\n", "touch = { calibration = \"auto\", palm-mm = 3 }\n"] {
            let error = thrownError { _ = try edited(text) }
            guard case .cannotEdit(let path, let table, let entry)? = error as? ConfigurationError else {
                Issue.record("\(text): \(String(describing: error))")
                continue
            }
            #expect(path == "x.toml" && table == "touch" && entry == Self.entry)
        }
        #expect(throws: ConfigurationError.self) { try edited("[touch]\npalms = 3\n") }
        #expect(throws: ConfigurationError.self) { try edited("[touch\n") }
    }

    @Test("noise filters are read with and without parameters; invalid ones are rejected")
    func filters() throws {
        func read(_ value: String) throws -> NoiseSettings {
            try Configuration(document: Array("[touch]\nfilters = \(value)\n".utf8), path: "x").touch.filters
        }
        #expect(try read("[]").isEmpty)
        #expect(try read("[\"median\", \"dejitter:1\"]").words == ["median:3", "dejitter:1.0"])
        for wrong in ["\"median\"", "[\"median\", 3]", "[\"median:2\"]", "[\"iir\"]", "true"] {
            let error = thrownError { _ = try read(wrong) } as? ConfigurationError
            #expect(error?.description.contains("debounce[:MILLISECONDS]") == true, "\(wrong)")
        }
        var configuration = Configuration()
        configuration.touch.filters = try read("[\"skip:2,1\", \"evthres\"]")
        configuration.touch.calibration = Self.matrix
        #expect(try Configuration(document: Array(configuration.text.utf8), path: "x") == configuration)
    }
}
