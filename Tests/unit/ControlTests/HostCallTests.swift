// SPDX-License-Identifier: Apache-2.0
import Formats
import FoundationEssentials
import Geometry
import HostAPI
import Pad
import Raster
import Record
import TestSupport
import Testing

@testable import Control

@Suite("Decoding of calls")
struct HostCallTests {
    private func wanted(_ method: String, _ parameters: String? = nil, more: Bool = false) throws -> HostCall {
        let body = parameters.map { ",\"parameters\":\($0)" } ?? ""
        let text = "{\"method\":\"\(method)\",\"more\":\(more)\(body)}"
        return try HostCall(try VarlinkCall(Array(text.utf8)[...]), by: .operator)
    }

    private func panel(_ method: String, _ parameters: String? = nil, more: Bool = false) throws -> HostCall {
        try wanted("org.inkpanel.Panel." + method, parameters, more: more)
    }

    private func error(_ method: String, _ parameters: String? = nil) -> PanelError? {
        thrownError { try panel(method, parameters) } as? PanelError
    }

    /// The parameter that the error names.
    private func wrongName(_ method: String, _ parameters: String? = nil) -> String? {
        guard case .invalidParameter(let name, _)? = error(method, parameters) else { return nil }
        return name
    }

    @Test(
        "an error says what is expected",
        arguments: [
            ("Capture", #"{"policy":{"minima":{"length":-1}}}"#, "0 to 10000 millimetres"),
            ("Capture", #"{"policy":{"minima":{"strokes":1001}}}"#, "0 to 1000 strokes"),
            ("Capture", #"{"policy":{"totalLimit":1}}"#, "1000000 to 86400000000 microseconds"),
            ("Capture", #"{"policy":{"totalLimit":1.5}}"#, "a 64-bit integer"),
            ("Capture", #"{"document":{"sha256":"x"}}"#, "64 lower-case hexadecimal digits"),
            ("Capture", #"{"shows":{"sign":true}}"#, "one of the names prompt, signer, reason, date"),
            ("Capture", #"{"rows":{"a":"b"}}"#, "an array of rows"), ("Capture", #"{"rows":["a=b"]}"#, "an object"),
            ("Capture", #"{"rows":[{"label":"a"}]}"#, "a value, but it is missing"),
            ("Capture", #"{"rows":[{"label":"a","value":"b","bold":true}]}"#, "one of the names label, value"),
            ("Capture", #"{"prompt":"x"}"#, "an array of lines"), ("Capture", #"{"policy":[]}"#, "an object"),
            ("Capture", #"{"prompt":[7]}"#, "a text"), ("Capture", #"{"wait":"yes"}"#, "true or false"),
            ("Capture", #"{"policy":{"minima":{"length":"long"}}}"#, "a number"),
            ("Capture", #"{"policy":{"missingGlyphs":"box"}}"#, "one of refuse, values, tell"),
            (
                "Capture", #"{"language":"tlh"}"#,
                "a BCP 47 tag of one of the languages ar, bg, cs, da, de, el, en, es, et, fi, fr, ga, he, hi, hr, hu, "
                    + "it, ja, ko, lt, lv, mt, nb, nl, pl, pt, ro, ru, sk, sl, sv, tr, uk, zh-Hans, zh-Hant"
            ),
            ("Get", #"{"id":"a","format":"png","dpi":9}"#, "10 to 10000 pixels per inch"),
            ("Get", #"{"id":"a","format":"png","size":{"width":0,"height":1}}"#, "1 to 16384 pixels a side"),
            ("Get", #"{"id":"a","format":"csv","dpi":96}"#, "format png or svg"),
            ("Get", #"{"id":"a"}"#, "a value, but it is missing"), ("Status", #"{"x":1}"#, "no parameters"),
        ])
    func expectations(method: String, parameters: String, expected: String) {
        guard case .invalidParameter(_, let told)? = error(method, parameters) else {
            Issue.record("\(parameters) is taken")
            return
        }
        #expect(told == expected, "\(parameters)")
    }

    @Test("a capture with a prompt only has defaults")
    func bareCapture() throws {
        let bare = HostCall.pad(.capture(CaptureCall(request: CaptureRequest(prompt: ["x"]))), .all)
        #expect(try panel("Capture", #"{"prompt":["x"]}"#) == bare)
        let empty = #"{"prompt":["x"],"rows":[],"policy":null,"document":{},"data":{},"shows":{}}"#
        #expect(try panel("Capture", empty) == bare)
    }

    @Test(
        "a capture without anything to sign is refused",
        arguments: [
            nil, "null", "{}", #"{"prompt":null}"#, #"{"prompt":[]}"#, #"{"prompt":[""]}"#, #"{"prompt":["","  "]}"#,
            #"{"prompt":["\u00a0\u3000\u2003\u202f\u1680\u205f"]}"#, #"{"rows":[]}"#,
            #"{"rows":[{"label":"Amount","value":""},{"label":"Date","value":"\u2007"}]}"#, #"{"signer":""}"#,
            #"{"reason":" "}"#, #"{"operator":"Till","data":{"order":"1"},"document":{"reference":"LS-17"}}"#,
        ])
    func emptyCapture(parameters: String?) {
        #expect(wrongName("Capture", parameters) == "prompt", "\(parameters ?? "none")")
    }

    @Test(
        "one visible character suffices, wherever it is",
        arguments: [
            #"{"prompt":["","x"]}"#, #"{"rows":[{"label":"","value":"0"}]}"#, #"{"signer":"x"}"#, #"{"reason":"x"}"#,
            #"{"prompt":["x"],"shows":{"prompt":false}}"#,
        ])
    func smallestCapture(parameters: String) {
        #expect(error("Capture", parameters) == nil, "\(parameters)")
    }

    @Test(
        "a character that people cannot see, or that changes the order of others, is refused with its place",
        arguments: [
            (#"{"prompt":["ok","Pay \u202e00.21"]}"#, "prompt[1]", "U+202E RIGHT-TO-LEFT OVERRIDE at character 5"),
            (
                #"{"rows":[{"label":"\u2066a","value":"b"}]}"#, "rows[0].label",
                "U+2066 LEFT-TO-RIGHT ISOLATE at character 1"
            ),
            (
                #"{"rows":[{"label":"a","value":"1\u200b2"}]}"#, "rows[0].value",
                "U+200B ZERO WIDTH SPACE at character 2"
            ),
            (#"{"signer":"A\u00adda"}"#, "signer", "U+00AD SOFT HYPHEN at character 2"),
            (#"{"reason":"a\u3164"}"#, "reason", "U+3164 HANGUL FILLER at character 2"),
            (#"{"operator":"a\u2800"}"#, "operator", "U+2800 BRAILLE PATTERN BLANK at character 2"),
            (
                #"{"document":{"reference":"a\udb40\udc41"}}"#, "document.reference",
                "U+E0041 TAG LATIN CAPITAL LETTER A at character 2"
            ),
            (#"{"data":{"k\ufeff":"v"}}"#, "data", "U+FEFF ZERO WIDTH NO-BREAK SPACE at character 2"),
            (#"{"data":{"k":"\u2029"}}"#, "data.k", "U+2029 PARAGRAPH SEPARATOR at character 1"),
            (#"{"prompt":["a\n"]}"#, "prompt[0]", "U+000A at character 2"),
        ])
    func hiddenCharacters(text: String, name: String, expected: String) {
        guard case .invalidParameter(name, let told?)? = error("Capture", text) else {
            Issue.record("\(text): \(String(describing: error("Capture", text)))")
            return
        }
        #expect(told.hasPrefix("a text without " + expected + ": "), "\(told)")
    }

    @Test("a capture with all parameters, also as the client encodes it")
    func fullCapture() throws {
        let text = """
            {"prompt":["Bitte","وقّع هنا"],"signer":"Anna","reason":"Lieferung","operator":"Kasse 3",\
            "rows":[{"label":"Betrag","value":"12,00 €"},{"value":"","label":"Betrag"}],\
            "document":{"reference":"LS-17","sha256":"\(String(repeating: "0f", count: 32))"},\
            "data":{"order":"4711","Straße":""},"language":"zh-TW","letters":4.9,"assistance":["speech"],\
            "shows":{"prompt":false,"signer":false,"reason":false,"date":false},\
            "policy":{"undo":false,"inactivityLimit":1000000,"totalLimit":86400000000,\
            "minima":{"strokes":2,"samples":3,"length":4.5,"extent":5,"breadth":0.25,"duration":6},\
            "missingGlyphs":"tell"},"wait":true}
            """
        var expected = CaptureCall(
            request: CaptureRequest(
                prompt: ["Bitte", "وقّع هنا"],
                rows: [.init(label: "Betrag", value: "12,00 €"), .init(label: "Betrag", value: "")],
                signer: "Anna", reason: "Lieferung",
                document: .init(reference: "LS-17", sha256: String(repeating: "0f", count: 32)),
                data: ["order": "4711", "Straße": ""], language: "zh-Hant", operator: "Kasse 3"),
            shows: ShownFields(prompt: false, signer: false, reason: false, date: false),
            policy: CapturePolicy(
                undo: false, inactivityLimit: .seconds(1), totalLimit: .seconds(86_400),
                minima: .init(
                    strokes: 2, samples: 3, length: 4.5, extent: 5, breadth: 0.25, duration: .microseconds(6)),
                missingGlyphs: .tell),
            waits: true, follows: true)
        expected.letters = 4.9
        expected.assistance = [.speech]
        #expect(try panel("Capture", text, more: true) == .pad(.capture(expected), .all))
        for call in [expected, CaptureCall(request: CaptureRequest(prompt: ["x"]))] {
            let sent = String(decoding: try JSONEncoder().encode(call), as: UTF8.self)
            #expect(try panel("Capture", sent, more: call.follows) == .pad(.capture(call), .all))
        }
    }

    @Test("the panel computes the digest of a document whose bytes it gets, and compares a named one")
    func documentBytes() throws {
        let digest = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
        let expected = HostCall.pad(
            .capture(
                CaptureCall(
                    request: CaptureRequest(prompt: ["x"], document: .init(sha256: digest, computed: true)))), .all)
        #expect(try panel("Capture", #"{"prompt":["x"],"document":{"base64":"YWJj"}}"#) == expected)
        #expect(
            try panel(
                "Capture", #"{"prompt":["x"],"document":{"base64":"YWJj","sha256":"\#(digest)"}}"#) == expected)
        let other = String(repeating: "0a", count: 32)
        for (member, name) in [
            (#""base64":"YWJj","sha256":"\#(other)""#, "document.sha256"), (#""base64":"YW J""#, "document.base64"),
            (#""base64":5"#, "document.base64"), (#""computed":true"#, "document.computed"),
        ] {
            let error = thrownError { try panel("Capture", "{\"document\":{\(member)}}") } as? PanelError
            guard case .invalidParameter(name, _)? = error else {
                Issue.record("\(member): \(String(describing: error))")
                continue
            }
        }
    }

    @Test(
        "the wrong parameter of a capture is named",
        arguments: [
            (#"{"promt":["x"]}"#, "promt"), (#"{"prompt":"x"}"#, "prompt"), (#"{"prompt":["x",7]}"#, "prompt[1]"),
            (#"{"prompt":["x",null]}"#, "prompt[1]"), (#"{"prompt":["a","b\n"]}"#, "prompt[1]"),
            (#"{"rows":{}}"#, "rows"), (#"{"rows":[{"label":"a"}]}"#, "rows[0].value"),
            (#"{"rows":[{"label":"a","value":"b"},["c","d"]]}"#, "rows[1]"),
            (#"{"rows":[{"label":"a","value":null}]}"#, "rows[0].value"),
            (#"{"rows":[{"label":"a","value":"b","x":1}]}"#, "rows[0].x"),
            (#"{"rows":[{"label":"a\t","value":"b"}]}"#, "rows[0].label"),
            (#"{"rows":[{"label":"a","value":"b\u0085"}]}"#, "rows[0].value"),
            (#"{"signer":"\u0000"}"#, "signer"), (#"{"signer":"\u0085"}"#, "signer"), (#"{"reason":7}"#, "reason"),
            (#"{"reason":"\u007f"}"#, "reason"), (#"{"operator":[]}"#, "operator"),
            (#"{"operator":"a\n"}"#, "operator"),
            (#"{"document":"x"}"#, "document"),
            (#"{"document":{"name":"x"}}"#, "document.name"), (#"{"document":{"sha256":""}}"#, "document.sha256"),
            (
                #"{"document":{"sha256":"ABABABABABABABABABABABABABABABABABABABABABABABABABABABABABABABAB"}}"#,
                "document.sha256"
            ),
            (#"{"document":{"reference":"\t"}}"#, "document.reference"), (#"{"shows":{"sign":true}}"#, "shows.sign"),
            (#"{"shows":{"date":1}}"#, "shows.date"), (#"{"policy":[]}"#, "policy"),
            (#"{"data":"x"}"#, "data"), (#"{"data":{"a":7}}"#, "data.a"), (#"{"data":{"a":null}}"#, "data.a"),
            (#"{"data":{"":"x"}}"#, "data"), (#"{"data":{"a\n":"x"}}"#, "data"),
            (#"{"data":{"a":"\u009b"}}"#, "data.a"),
            (#"{"language":"tlh"}"#, "language"), (#"{"language":""}"#, "language"), (#"{"language":7}"#, "language"),
            (#"{"letters":0.9}"#, "letters"), (#"{"letters":20.5}"#, "letters"), (#"{"letters":"large"}"#, "letters"),
            (#"{"assistance":["sight"]}"#, "assistance[0]"), (#"{"assistance":"speech"}"#, "assistance"),
            (#"{"policy":{"undo":"no"}}"#, "policy.undo"),
            (#"{"policy":{"inactivityLimit":999999}}"#, "policy.inactivityLimit"),
            (#"{"policy":{"totalLimit":86400000001}}"#, "policy.totalLimit"),
            (#"{"policy":{"totalLimit":1e300}}"#, "policy.totalLimit"),
            (#"{"policy":{"totalLimit":2000000.5}}"#, "policy.totalLimit"),
            (#"{"policy":{"minima":{"strokes":-1}}}"#, "policy.minima.strokes"),
            (#"{"policy":{"minima":{"samples":100001}}}"#, "policy.minima.samples"),
            (#"{"policy":{"minima":{"length":-0.1}}}"#, "policy.minima.length"),
            (#"{"policy":{"minima":{"extent":1e5}}}"#, "policy.minima.extent"),
            (#"{"policy":{"minima":{"breadth":"wide"}}}"#, "policy.minima.breadth"),
            (#"{"policy":{"minima":{"duration":3600000001}}}"#, "policy.minima.duration"),
            (#"{"policy":{"minima":{"depth":1}}}"#, "policy.minima.depth"), (#"{"wait":"yes"}"#, "wait"),
            ("[]", "parameters"), ("7", "parameters"),
        ] as [(String, String)])
    func wrongCapture(text: String, name: String) {
        #expect(wrongName("Capture", text) == name, "\(text)")
    }

    @Test("texts are limited, each and together")
    func longTexts() throws {
        func text(_ count: Int) -> String { "\"" + String(repeating: "ü", count: count / 2) + "\"" }
        func lines(_ count: Int, _ line: String) -> String {
            "{\"prompt\":[" + [String](repeating: line, count: count).joined(separator: ",") + "]}"
        }
        _ = try panel("Capture", lines(4, text(4096)))
        #expect(wrongName("Capture", lines(5, text(4096))) == "prompt[4]")
        #expect(wrongName("Capture", lines(1, text(4098))) == "prompt[0]")
        _ = try panel("Capture", lines(100, "\"x\""))
        #expect(wrongName("Capture", lines(101, "\"x\"")) == "prompt")
    }

    @Test("rows are limited: their number, each text, and all texts together")
    func longRows() throws {
        func rows(_ count: Int, _ label: String, _ value: String) -> String {
            let row = "{\"label\":\"\(label)\",\"value\":\"\(value)\"}"
            return "{\"rows\":[" + [String](repeating: row, count: count).joined(separator: ",") + "]}"
        }
        let long = String(repeating: "ü", count: 2048)
        _ = try panel("Capture", rows(16, "", "x"))
        #expect(wrongName("Capture", rows(17, "", "x")) == "rows")
        _ = try panel("Capture", rows(2, long, long))
        #expect(wrongName("Capture", rows(1, long + "x", "")) == "rows[0].label")
        #expect(wrongName("Capture", rows(1, "", long + "x")) == "rows[0].value")
        #expect(wrongName("Capture", rows(4, "x", long)) == "rows[3].value")
    }

    @Test("data is limited: entries, keys, values, and all texts together")
    func longData() throws {
        func data(_ count: Int, key: String = "", _ value: String, prompt: String = "x") -> String {
            let entries = (0..<count).map { "\"\(key)\($0 + 10)\":\"\(value)\"" }.joined(separator: ",")
            return "{\"prompt\":[\"\(prompt)\"],\"data\":{\(entries)}}"
        }
        let long = String(repeating: "ü", count: 512)
        _ = try panel("Capture", data(32, "x"))
        #expect(wrongName("Capture", data(33, "x")) == "data")
        _ = try panel("Capture", data(1, key: String(repeating: "ü", count: 62), "x"))
        #expect(wrongName("Capture", data(1, key: String(repeating: "ü", count: 63), "x")) == "data")
        _ = try panel("Capture", data(15, long))
        #expect(wrongName("Capture", data(1, long + "x")) == "data.10")
        // The sum is 16 times 1026 bytes.
        #expect(wrongName("Capture", data(16, long)) == "data.25")
        #expect(wrongName("Capture", data(15, long, prompt: long)) == "data.24")
    }

    @Test("Cancel, Clear and Accept")
    func commands() throws {
        let id = CaptureID("20260314-1")
        #expect(try panel("Cancel") == .pad(.cancel(nil), .all))
        #expect(try panel("Clear", #"{"id":null}"#) == .pad(.clear(nil), .all))
        #expect(try panel("Accept", #"{"id":"20260314-1"}"#) == .pad(.accept(id), .all))
        #expect(error("Cancel", #"{"id":"../x"}"#) == .notRunning)
        #expect(wrongName("Cancel", #"{"id":7}"#) == "id")
        #expect(wrongName("Cancel", #"{"name":"x"}"#) == "name")
    }

    @Test("TypeName has a name, who typed it, and the reason of staff")
    func typeName() throws {
        let id = CaptureID("20260314-1")
        #expect(
            try panel("TypeName", #"{"id":"20260314-1","name":"Ada","by":"staff","reason":"plaster"}"#)
                == .pad(.typeName(id, TypedName(name: "Ada", by: .staff, reason: "plaster")), .all))
        #expect(
            try panel("TypeName", #"{"name":"Ada","by":"person"}"#)
                == .pad(.typeName(nil, TypedName(name: "Ada", by: .person)), .all))
        #expect(wrongName("TypeName", #"{"name":"Ada","by":"staff"}"#) == "reason")
        #expect(wrongName("TypeName", #"{"name":"Ada","by":"staff","reason":" "}"#) == "reason")
        #expect(wrongName("TypeName", #"{"name":"Ada","by":"clerk"}"#) == "by")
        #expect(wrongName("TypeName", #"{"name":"","by":"person"}"#) == "name")
        #expect(wrongName("TypeName", #"{"name":"A\u202eda","by":"person"}"#) == "name")
        #expect(wrongName("TypeName", #"{"name":"A\nda","by":"person"}"#) == "name")
        let long = String(repeating: "a", count: 257)
        #expect(wrongName("TypeName", #"{"name":"\#(long)","by":"person"}"#) == "name")
        #expect(error("TypeName", #"{"id":"../x","name":"Ada","by":"person"}"#) == .notRunning)
    }

    @Test("Status and Watch")
    func status() throws {
        #expect(try panel("Status") == .pad(.status, .all))
        #expect(wrongName("Status", #"{"x":1}"#) == "x")
        #expect(try panel("Watch", more: true) == .pad(.watch, .all))
        #expect(error("Watch") == .expectedMore)
    }

    @Test("Mirror needs more, and takes a level")
    func mirror() throws {
        func call(_ parameters: String, more: Bool = true) throws -> HostCall {
            let text = #"{"method":"org.inkpanel.Panel.Mirror","more":\#(more),"parameters":\#(parameters)}"#
            return try HostCall(VarlinkCall(Array(text.utf8)[...]), by: .operator)
        }
        #expect(try call("{}") == .pad(.mirror(nil), .all))
        #expect(try call(#"{"level":"presence"}"#) == .pad(.mirror(.presence), .all))
        #expect(thrownError { try call("{}", more: false) } as? PanelError == .expectedMore)
        let wrong = thrownError { try call(#"{"level":"all"}"#) } as? PanelError
        #expect(wrong == .invalidParameter("level", expected: "one of state, presence, ink"))
    }

    @Test("Pair takes a name, six digits and, if told, the digest of a key; so does Identify")
    func pair() throws {
        let request = PairingRequest(name: "till-3", digits: "012345")
        #expect(try panel("Pair", #"{"name":"till-3","digits":"012345"}"#) == .pad(.pair(request), .all))
        for name in ["", "\u{7}", String(repeating: "x", count: 65)] {
            let text = String(decoding: try JSONEncoder().encode(["name": name, "digits": "012345"]), as: UTF8.self)
            #expect(wrongName("Pair", text) == "name")
        }
        for digits in ["", "12345", "1234567", "12345x", "１２３４５６"] {
            #expect(wrongName("Pair", #"{"name":"a","digits":"\#(digits)"}"#) == "digits")
        }
        #expect(wrongName("Pair", #"{"name":"a","digits":"012345","scopes":[]}"#) == "scopes")
        let key = "47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU="
        let withKey = PairingRequest(name: "a", digits: "012345", key: key)
        #expect(try panel("Pair", #"{"name":"a","digits":"012345","key":"\#(key)"}"#) == .pad(.pair(withKey), .all))
        let unpadded = key.dropLast()
        let wrong = [
            "", "\(unpadded)", "\(unpadded)A", key + " ", "\(unpadded.dropLast())é=", key.replacing("+", with: "-"),
        ]
        for key in wrong {
            #expect(wrongName("Pair", #"{"name":"a","digits":"012345","key":"\#(key)"}"#) == "key")
            #expect(wrongName("Identify", #"{"key":"\#(key)"}"#) == "key")
        }
        #expect(try panel("Identify", #"{"key":"\#(key)"}"#) == .pad(.identify(gatewayKey: key), .all))
        #expect(try panel("Identify", "{}") == .pad(.identify(gatewayKey: nil), .all))
    }

    @Test("Screenshot")
    func screenshot() throws {
        #expect(try panel("Screenshot") == .pad(.screenshot, .all))
        #expect(wrongName("Screenshot", #"{"x":1}"#) == "x")
    }

    @Test("Reload")
    func reload() throws {
        #expect(try panel("Reload") == .pad(.reload, .all))
        #expect(wrongName("Reload", #"{"x":1}"#) == "x")
    }

    @Test("Simulate")
    func simulate() throws {
        for act in SimulatedAct.allCases {
            #expect(try panel("Simulate", "{\"act\":\"\(act.rawValue)\"}") == .pad(.simulate(act), .all))
        }
        #expect(wrongName("Simulate") == "act" && wrongName("Simulate", #"{"act":7}"#) == "act")
        let expected = "one of sign, cancel, leave, refuse, decline, instead"
        #expect(error("Simulate", #"{"act":"Sign"}"#) == .invalidParameter("act", expected: expected))
    }

    @Test("List, Get and Delete")
    func records() throws {
        let id = try #require(CaptureID("a-1"))
        #expect(try panel("List") == .archive(.list, .all))
        #expect(try panel("Delete", #"{"id":"a-1"}"#) == .archive(.delete(id), .all))
        #expect(wrongName("Delete") == "id")
        #expect(error("Delete", #"{"id":"a/1"}"#) == .noSuchCapture("a/1"))
        #expect(try panel("Get", #"{"id":"a-1","format":"metadata"}"#) == .archive(.get(id, nil), .all))
        for format in ExportFormat.allCases {
            let choice = ExportChoice(format: format)
            let parameters = "{\"id\":\"a-1\",\"format\":\"\(format.rawValue)\"}"
            #expect(try panel("Get", parameters) == .archive(.get(id, choice), .all))
        }
        let picture = PictureChoice(
            part: .signingArea, resolution: .density(PixelDensity(dotsPerInch: 96)), isTransparent: true,
            color: Color(red: 0xC0, green: 0x10, blue: 0x20), hasCaption: true)
        #expect(
            try panel(
                "Get",
                #"{"id":"a-1","format":"png","dpi":96,"part":"signingArea","transparent":true,"color":"c01020","#
                    + #""caption":true}"#)
                == .archive(.get(id, ExportChoice(format: .png, picture: picture)), .all))
        var interrupted = ExportChoice(format: .csv)
        interrupted.includesInterrupted = true
        #expect(
            try panel("Get", #"{"id":"a-1","format":"csv","interrupted":true}"#)
                == .archive(.get(id, interrupted), .all))
        #expect(
            try panel("Get", #"{"id":"a-1","format":"metadata","interrupted":true}"#) == .archive(.get(id, nil), .all))
        let sized = PictureChoice(resolution: .size(PixelSize(width: 300, height: 100)))
        #expect(
            try panel("Get", #"{"id":"a-1","format":"svg","size":{"width":300,"height":100},"part":"ink"}"#)
                == .archive(.get(id, ExportChoice(format: .svg, picture: sized)), .all))
    }

    @Test(
        "the wrong parameter of Get is named",
        arguments: [
            (#"{"format":"png"}"#, "id"), (#"{"id":"a"}"#, "format"), (#"{"id":"a","format":"gif"}"#, "format"),
            (#"{"id":"a","format":"csv","dpi":300}"#, "dpi"), (#"{"id":"a","format":"metadata","part":"ink"}"#, "part"),
            (#"{"id":"a","format":"inkml","transparent":false}"#, "transparent"),
            (#"{"id":"a","format":"record","size":{"width":1,"height":1}}"#, "size"),
            (#"{"id":"a","format":"iso19794","caption":true}"#, "caption"),
            (#"{"id":"a","format":"svg","caption":true}"#, "caption"),
            (#"{"id":"a","format":"signature_pad","color":"000"}"#, "color"),
            (#"{"id":"a","format":"png","color":"red"}"#, "color"), (#"{"id":"a","format":"png","color":7}"#, "color"),
            (#"{"id":"a","format":"png","dpi":9}"#, "dpi"),
            (#"{"id":"a","format":"png","dpi":1e9}"#, "dpi"),
            (#"{"id":"a","format":"png","size":{"width":0,"height":1}}"#, "size"),
            (#"{"id":"a","format":"png","size":{"width":1,"height":99999}}"#, "size"),
            (#"{"id":"a","format":"png","size":{"width":1}}"#, "size.height"),
            (#"{"id":"a","format":"png","size":{"width":1,"height":1,"depth":1}}"#, "size.depth"),
            (#"{"id":"a","format":"png","dpi":96,"size":{"width":1,"height":1}}"#, "size"),
            (#"{"id":"a","format":"csv","interrupted":"yes"}"#, "interrupted"),
            (#"{"id":"a","format":"png","part":"page"}"#, "part"), (#"{"id":"a","format":"png","dip":9}"#, "dip"),
        ] as [(String, String)])
    func wrongGet(text: String, name: String) {
        #expect(wrongName("Get", text) == name, "\(text)")
    }

    @Test("Get as the client encodes it")
    func clientGet() throws {
        let id = try #require(CaptureID("a-1"))
        var choices: [ExportChoice?] = [nil] + ExportFormat.allCases.map { ExportChoice(format: $0) }
        choices.append(
            ExportChoice(
                format: .png,
                picture: PictureChoice(
                    part: .signingArea, resolution: .size(PixelSize(width: 7, height: 9)), isTransparent: true,
                    color: Color(red: 1, green: 2, blue: 3, alpha: 4), hasCaption: true)))
        choices.append(choices.last.flatMap { $0 })
        choices[choices.count - 1]?.includesInterrupted = true
        for choice in choices {
            let (name, read) = try (choice.map { GetCall(id, $0) } ?? GetCall(id, nil)).checked()
            #expect(name == id && read == choice)
        }
    }

    @Test("unknown interfaces and methods")
    func unknown() throws {
        func error(_ method: String) -> PanelError? { thrownError { try wanted(method) } as? PanelError }
        #expect(error("Capture") == .methodNotFound("Capture"))
        #expect(error("org.inkpanel.Other.Capture") == .interfaceNotFound("org.inkpanel.Other"))
        #expect(error("org.inkpanel.Panel.Sign") == .methodNotFound("org.inkpanel.Panel.Sign"))
        #expect(error("org.inkpanel.Panel.") == .methodNotFound("org.inkpanel.Panel."))
        #expect(error("org.varlink.service.Capture") == .methodNotFound("org.varlink.service.Capture"))
        #expect(error("") == .methodNotFound(""))
        let upgrade = try VarlinkCall(Array(#"{"method":"org.inkpanel.Panel.Status","upgrade":true}"#.utf8)[...])
        let refused = thrownError { try HostCall(upgrade, by: .operator) }
        #expect(refused as? PanelError == .methodNotImplemented(upgrade.method))
    }
}
