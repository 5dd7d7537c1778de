// SPDX-License-Identifier: Apache-2.0
import Geometry
import TestSupport
import Testing

@testable import Configuration

/// Messages for errors in a configuration file.
@Suite("Configuration errors")
struct ConfigurationProblemTests {
    private func lines(_ text: String) -> [String] { lines(Array(text.utf8)) }

    private func lines(_ document: [UInt8]) -> [String] {
        do throws(ConfigurationError) {
            _ = try Configuration(document: document, path: "f")
            return []
        } catch {
            return error.lines
        }
    }

    private func checked(_ text: String) throws -> [String] {
        let files = try ConfigurationFiles(document: Array(text.utf8), path: "f")
        return ConfigurationError.wrong(files.problems).lines
    }

    @Test("settings of records that need another one are refused, at their line")
    func needs() throws {
        let seals = "needs seals = true in [evidence]: "
        let recipient = "age1lggyhqrw2nlhcxprm67z43rta597azn8gknawjehu9d9dl0jq3yqqvfafg"
        for (text, expected) in [
            (
                "[evidence]\nseals = false\nrecipients = [\"\(recipient)\"]",
                "f:3: recipients in [evidence] \(seals)the"
            ),
            ("[evidence]\nrequired = true\nseals = false", "f:2: required in [evidence] \(seals)otherwise"),
            ("[delivery]\nenabled = true\n[evidence]\nseals = false", "f:2: enabled in [delivery] \(seals)only"),
            (
                "[delivery]\nrequired = true",
                "f:2: required in [delivery] needs enabled = true in [delivery]: otherwise"
            ),
        ] {
            let found = lines(text)
            #expect(found.count == 1 && found[0].hasPrefix(expected), "\(found)")
            #expect(try checked(text) == found)
        }
        for fine in [
            "[evidence]\nseals = false", "[delivery]\nenabled = true\nrequired = true",
            "[evidence]\nrequired = true\nrecipients = [\"\(recipient)\"]",
        ] {
            #expect(lines(fine) == [], "\(fine)")
        }
    }

    @Test("no message repeats a secret, whole or in part")
    func secrets() {
        let key = "AGE-SECRET-KEY-1GFPYYSJZGFPYYSJZGFPYYSJZGFPYYSJZGFPYYSJZGFPYYSJZGFPQ4EGAEX"
        for text in [
            "recipients = [\"\(key)\"]", "recipients = \"\(key)\"", "recipients = [\(key)]", "recipients = \(key)",
            "recipients = [\"x \(key)\", 1]", "\(key) = 1",
            "recipients = [\"age1x\", \"AGE-SECRT-KEY-\(key.dropFirst(15))\"]", "recipients = [\"\(key)\"",
            "recipients = 1 \(key)", "recipients = [\"AGE-PLUGIN-YUBIKEY-\(key.dropFirst(15))\"]",
        ] {
            let found = lines("[evidence]\n" + text).joined()
            #expect(!found.isEmpty && found.firstRange(of: "GFPYY") == nil, "\(text): \(found)")
        }
        #expect(
            lines("[evidence]\nrecipients = [\"\(key)\"]")[0].hasSuffix(
                "element 1 is a string: not an age recipient: this is a secret key, which opens files; give its "
                    + "recipient, which age-keygen -y FILE prints, and make a new key if others have seen this one"))
    }

    @Test("a time without effect is reported by a check and tolerated by run")
    func neverReached() throws {
        let text =
            "[capture]\ninactivity-seconds = 90\ntotal-seconds = 60\n[power]\ndim-after-s = 60\noff-after-s = 30\n"
        #expect(
            try checked(text) == [
                "f:2: inactivity-seconds in [capture] has no effect, because total-seconds is shorter: change one of "
                    + "them",
                "f:5: dim-after-s in [power] has no effect, because off-after-s is shorter: change one of them",
            ])
        #expect(lines(text) == [])
        for fine in [
            // Shorter than the default of the other: that is what was wanted.
            "[capture]\ntotal-seconds = 30", "[power]\noff-after-s = 30", "[power]\ndim-after-s = 30",
            "[capture]\ninactivity-seconds = 300", "[power]\ndim-after-s = 30\noff-after-s = 30",
        ] {
            #expect(try checked(fine) == [], "\(fine)")
        }
        #expect(try checked("[capture]\ninactivity-seconds = 301").count == 1)
    }

    @Test("a check goes on after an invalid value and reads the others")
    func goesOn() throws {
        let text = "[pad]\nidle-picture = \"/p.png\"\npage = 2\n[capture]\nundo = 1\n"
        let files = try ConfigurationFiles(document: Array(text.utf8), path: "f")
        #expect(files.problems.map(\.line) == [3, 5])
        #expect(files.configuration.pad.idlePictures == ["/p.png"])
        #expect(files.place(of: "idle-picture", in: "pad")?.line == 2)
        #expect(files.place(of: "group", in: "control") == nil)
    }

    @Test("a byte order mark is ignored")
    func byteOrderMark() throws {
        let mark: [UInt8] = [0xEF, 0xBB, 0xBF]
        let configuration = try Configuration(document: mark + Array("[ink]\nwidth-mm = 2\n".utf8), path: "f")
        #expect(configuration.ink.width == 2)
        #expect(lines(mark + Array("wrong\n".utf8)).first?.hasPrefix("f:1: ") == true)
        #expect(lines(mark + Array("[ink]\nx = 1".utf8)).first?.hasPrefix("f:2: ") == true)
        // Elsewhere it is an error.
        #expect(lines(Array("[ink]\n".utf8) + mark + Array("width-mm = 2\n".utf8)).count == 1)
        // And stays where it is.
        let edited = try Configuration.setting(
            calibration: .identity, in: mark + Array("[touch]\n".utf8), path: "f")
        #expect(edited.starts(with: mark + Array("[touch]\ncalibration".utf8)))
    }

    struct Case: Sendable, CustomTestStringConvertible {
        var text: String
        var told: String

        init(_ text: String, _ told: String) {
            self.text = text
            self.told = told
        }

        var testDescription: String { text }
    }

    @Test(
        "have a line and a suggestion",
        arguments: [
            Case("[touch]\ndevise = \"x\"", #"f:2: there is no key "devise" in [touch]; did you mean device?"#),
            Case("\n[tuoch]\n", "f:2: there is no table [\"tuoch\"]; did you mean [touch]?"),
            Case("[minima]\nstrokes = 1", "f:1: there is no table [\"minima\"]; did you mean [capture.minima]?"),
            Case("[ink]\nwidth = 1", #"f:2: there is no key "width" in [ink]; did you mean width-mm?"#),
            Case("[touch]\nrotate = 90", #"f:2: there is no key "rotate" in [touch]; it belongs to [display]"#),
            Case("device = \"/x\"", #"f:1: there is no key "device" outside of the tables; it belongs to [touch]"#),
            Case("[pad]\nxyzzyq = 1", #"f:2: there is no key "xyzzyq" in [pad]"#),
            Case("pad = 3", "f:1: pad is an integer, but must be a table: write its keys below a line [pad]"),
            Case(
                "[[gateway.names]]\na = 1",
                "f:1: names in [gateway] is an array; expected an array of 0 to 16, each a host name in lower case or "
                    + "an address, without a port; element 1 is a table"),
            Case("[[pad]]", "f:1: pad is an array, but must be a table: write its keys below a line [pad]"),
            Case(
                "[pad]\npage = \"skech\"",
                #"f:2: page in [pad] is "skech", a string; expected "idle", "sketch" or "ink"; did you mean "#
                    + #""sketch"?"#),
            Case(
                "[control]\ngateway = \"root\"",
                #"f:2: gateway in [control] is "root", a string; expected a user's name of 1 to 32 characters, not "#
                    + #"root, "#
                    + #"or "" for none"#),
            Case(
                "[gateway]\nnames = \"pad\"",
                #"f:2: names in [gateway] is "pad", a string; expected an array of 0 to 16, each a host name in lower "#
                    + "case or an address, without a port"),
            Case(
                "[pad]\nidle-text = \"Pay \\u202E00.21\"",
                #"f:2: idle-text in [pad] is "Pay \u202E00.21", a string; expected a text of 1 to 1000 characters, "#
                    + #"without invisible ones and those that change its direction, or "" for the built-in text; "#
                    + "U+202E RIGHT-TO-LEFT OVERRIDE at character 5: it changes the order of what people read"),
            Case(
                "[touch]\ncalibration = \"1 0 0 0 1 0 0\"",
                #"f:2: calibration in [touch] is "1 0 0 0 1 0 0", a string; expected six numbers of an invertible "#
                    + #"matrix, such as "1 0 0 0 1 0", or "auto"; it has 7 numbers, not 6, nor 9 with the row 0 0 1"#),
            Case("[capture]\nundo = 1", "f:2: undo in [capture] is 1, an integer; expected true or false"),
            Case(
                "[display]\nrotate = 45",
                #"f:2: rotate in [display] is 45, an integer; expected 0, 90, 180 or 270 degrees, or "auto""#),
            Case(
                "[display]\ndpi = nan",
                #"f:2: dpi in [display] is nan, a number; expected 10 to 10000 pixels per inch, or "auto""#),
            Case(
                "[display]\ndpi = \"atuo\"",
                #"f:2: dpi in [display] is "atuo", a string; expected 10 to 10000 pixels per inch, or "auto""#
                    + #"; did you mean "auto"?"#),
            Case(
                "[ink]\npen = \"offset\"\npen-switches = [\"no-pinhc\"]",
                #"f:3: pen-switches in [ink] is an array; expected an array of 0 to 4, each "smooth-edge", "#
                    + #""no-pinch", "varying-color" or "taper", or "auto"; element 1 is "no-pinhc", a string; "#
                    + #"did you mean "no-pinch"?"#),
            Case(
                "[gateway]\nnames = [\"pad\", \"Pad:8443\"]",
                #"f:2: names in [gateway] is an array; expected an array of 0 to 16, each a host name in lower case "#
                    + #"or "#
                    + #"an address, without a port; element 2 is "Pad:8443", a string: remove the port"#),
            Case(
                "[ink]\npen-switches = [\"no-pinch\"]",
                #"f:2: "no-pinch" in pen-switches is for the pen offset: select that pen, or remove it"#),
            Case(
                "[ink]\npen = \"offset\"\npen-switches = [\"taper\"]",
                #"f:3: "taper" in pen-switches is for the pen ink: select that pen, or remove it"#),
            Case(
                "[pad]\nidle-text = \"Hi\"\nidle-picture = \"/p.png\"",
                "f:3: idle-text and idle-picture are both set: remove one of them"),
            Case(
                "[record]\ndirectory = \"here\"",
                #"f:2: directory in [record] is "here", a string; expected a path of at most 4095 bytes that begins "#
                    + "with /"),
            Case(
                "[capture.minima]\nstrokes = 1.5",
                "f:2: strokes in [capture.minima] is 1.5, a number; expected an integer, 1 to 100 strokes"),
            Case(
                "[record]\nmaximum-count = -1",
                "f:2: maximum-count in [record] is -1, an integer; expected an integer, 1 to 1000000 captures, or 0 "
                    + "for no limit"),
            Case("[pad]\nidle-text = \"\\u0000\"\n", "f:2: values cannot contain NUL characters"),
            Case(
                "[pad]\ntheme = dark",
                #"f:2: not valid TOML: expected a number, true, false, or a text in quotes, found "dark""#),
            Case("[pad]\ntheme \"dark\"", #"f:2: not valid TOML: expected = after a key, found "\"dark\"""#),
            Case(
                "[pad]\ntheme = \"dark\n", "f:2: not valid TOML: a text has no closing quotes, or a control character"),
            Case("[pad]\n\n[pad]", #"f:3: not valid TOML: "pad" is set a second time"#),
            Case(
                "[record]\ndirectory = \"C:\\pads\"",
                #"f:2: not valid TOML: a backslash is \\ in double quotes, \ in single quotes"#),
        ])
    func told(wrong: Case) {
        #expect(lines(wrong.text) == [wrong.told])
    }

    @Test("all errors are reported, in the order of lines")
    func all() {
        let told = lines(
            """
            [sketch]
            colours = ["f00"]
            [display]
            output = "fbx"
            rotate = 91
            [capture.minima]
            length = 3
            [extra]
            a = 1
            """)
        #expect(told.map { $0.split(separator: " ")[0] } == ["f:2:", "f:4:", "f:5:", "f:7:", "f:8:"])
        #expect(told[0].hasSuffix("did you mean colors?") && told[3].hasSuffix("did you mean length-mm?"))
    }

    @Test("syntax errors have the message and line of the parser")
    func syntax() {
        let told = lines("[pad]\npage = \"ink\"\ntheme = dark\n")
        #expect(told.count == 1 && told[0].hasPrefix("f:3: not valid TOML: "), "\(told)")
        #expect(lines("[pad]\npage = 'ink'\npage = 'ink'\n").first?.hasPrefix("f:3: not valid TOML: ") == true)
        for header in ["[é]", "[ #", "[[[a]]]", "[.a]", "[=]", "[[,", "[\ra]", "[\n]"] {
            let told = lines("[pad]\n" + header + "\n")
            #expect(told.count == 1 && told[0].hasPrefix("f:2: not valid TOML: "), "\(header) \(told)")
        }
        for line in ["a = [}]", "a = [{]}", "a = [\u{A0}]", "a = \u{A0}", "a = 1\u{B}", "\u{A0}", "a = [\r]", "= 1"] {
            let told = lines("[pad]\n" + line + "\n")
            #expect(told.count == 1 && told[0].hasPrefix("f:2: not valid TOML: "), "\(line) \(told)")
        }
        for time in [" 0", " 0 ", " 0\t#", "_ 0", " 07:32:00"] {
            let date = "197_9-05-27" + time
            for value in ["\(date)", "[\(date)]", "[1, \(date), 2]", "{b = \(date)}", "[{b = \(date)}]"] {
                let line = "a = " + value
                let told = lines("[pad]\n" + line + "\n")
                #expect(told.count == 1 && told[0].hasPrefix("f:2: not valid TOML: "), "\(line) \(told)")
            }
        }
        for header in ["[]", "[[]]", "[", "[[", "[ [a]]", "[a", "['a", "[a.]"] {
            #expect(lines("[pad]\n" + header).first?.contains("not valid TOML: ") == true, "\(header)")
        }
        #expect(lines(Array("[pad]\npage = '".utf8) + [0xFF, 0x27]) == ["f:2: the file is not UTF-8 text"])
        #expect(lines(Array("[pad]\n".utf8) + [0]) == ["f:2: values cannot contain NUL characters"])
    }

    @Test("names in messages are escaped and shortened")
    func names() {
        let told = lines("[pad]\n\"\\u001B[2J\" = 1\n\(String(repeating: "a", count: 5000)) = 1")
        #expect(told.count == 2)
        #expect(told.allSatisfy { line in line.unicodeScalars.allSatisfy { $0.value >= 0x20 } && line.count < 200 })
    }

    @Test("tables nested as deep as a file allows, complete and truncated")
    func deep() {
        let dotted = String(repeating: "a.", count: Configuration.largestFile / 2 - 20) + "a = 1\n"
        #expect(lines(dotted).count == 1)
        #expect(lines(dotted + "b = \n").first?.contains("not valid TOML") == true)
        let brackets = "a = " + String(repeating: "[", count: Configuration.largestFile - 20)
        #expect(lines(brackets).first?.contains("not valid TOML") == true)
        let header = "[" + String(repeating: "a.", count: Configuration.largestFile / 2 - 20) + "a]\nb = \n"
        #expect(lines(header).first?.contains("not valid TOML") == true)
    }

    @Test("random bytes and random changes to a valid file are read or rejected")
    func random() {
        var generator = SeededGenerator(seed: 11)
        let alphabet = Array("[]{}=.,#\"'\\\n\r\t ab1-_:TZ\u{e9}padtouch".utf8)
        let valid = Array(Configuration().text.utf8)
        for round in 0..<1500 {
            var document: [UInt8]
            if round.isMultiple(of: 2) {
                document = (0..<Int.random(in: 0...30, using: &generator)).map { _ in
                    alphabet.randomElement(using: &generator)!
                }
            } else {
                document = valid
                for _ in 0..<Int.random(in: 1...4, using: &generator) {
                    document[Int.random(in: 0..<document.count, using: &generator)] =
                        alphabet.randomElement(using: &generator)!
                }
            }
            // Each line names the file, and its line lies in the document.
            let count = document.split(separator: 0x0A, omittingEmptySubsequences: false).count
            for line in lines(document) {
                let parts = line.split(separator: ":")
                #expect(parts[0] == "f")
                if let number = Int(parts[1]) { #expect(1...count ~= number, "\(line)") }
            }
        }
    }
}

@Suite("Suggestions")
struct SuggestionTests {
    @Test("count deleted, inserted, replaced and swapped letters")
    func distance() {
        #expect(Suggestion.distance("", "") == 0)
        #expect(Suggestion.distance("pen", "") == 3)
        #expect(Suggestion.distance("pen", "pne") == 1)
        #expect(Suggestion.distance("colour", "color") == 1)
        #expect(Suggestion.distance("kitten", "sitting") == 3)
        #expect(Suggestion.distance("device", "devise") == 1)
    }

    @Test("are made for similar words, whatever their case")
    func nearest() {
        let words = ["device", "palm-mm", "pen", "page"]
        #expect(Suggestion.nearest(to: "Devcie", of: words) == "device")
        #expect(Suggestion.nearest(to: "palm", of: words) == "palm-mm")
        #expect(Suggestion.nearest(to: "pem", of: words) == "pen")
        #expect(Suggestion.nearest(to: "rotation", of: words) == nil)
        #expect(Suggestion.nearest(to: String(repeating: "p", count: 1000), of: words) == nil)
        #expect(Suggestion.nearest(to: "", of: []) == nil)
    }
}
