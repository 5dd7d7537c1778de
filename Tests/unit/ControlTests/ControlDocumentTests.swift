// SPDX-License-Identifier: Apache-2.0
import ControlFixtures
import Evidence
import FoundationEssentials
import Glibc
import HostAPI
import Linux
import Pad
import Store
import TestSupport
import Testing

@testable import Control

/// Documents over real sockets. The pad takes any bytes for a document of one page.
@Suite("Handing over documents")
struct ControlDocumentTests {
    private static let bytes = [UInt8]((0..<200_000).map { UInt8(truncatingIfNeeded: $0 &* 31 >> 3) })
    private static let digest = SHA256Digest(of: bytes).description

    private func open(_ host: RawHost, size: Int = bytes.count, sha256: String = digest) throws -> String {
        try host.call("OpenDocument", "{\"size\":\(size),\"sha256\":\"\(sha256)\"}")
        let words = try #require(try host.next()).split(separator: "\"")
        return String(try #require(words.dropFirst(5).first))
    }

    private func append(_ host: RawHost, _ id: String, _ range: Range<Int>) throws -> String {
        let text = Data(Self.bytes[range]).base64EncodedString()
        try host.call("Append", "{\"id\":\"\(id)\",\"base64\":\"\(text)\"}")
        return try #require(try host.next())
    }

    private func capture(_ host: RawHost, _ id: String, _ more: String = "") throws -> String {
        try host.call("Capture", "{\"reason\":\"accept\",\"document\":{\"id\":\"\(id)\"\(more)}}")
        return try #require(try host.next())
    }

    private func calls(_ panel: TestPanel) -> [CaptureCall] {
        panel.pad.events.compactMap { event in
            if case .call(_, .capture(let call), _) = event { call } else { nil }
        }
    }

    @Test("the client hands a document over, and the pad gets its bytes and its digest")
    func client() throws {
        let panel = try TestPanel()
        var client = try PanelClient(path: panel.path)
        let id = try client.open(document: Self.bytes, sha256: Self.digest)
        var call = CaptureCall(request: CaptureRequest(prompt: ["Sign"], reason: "none"))
        call.flow.document = ReadDocument(id: id)
        let ended = try client.capture(call) { progress in
            guard var other = try? PanelClient(path: panel.path) else { return }
            try? other.cancel(progress.id)
        }
        #expect(ended.outcome == .cancelled(by: .host))
        let received = try #require(calls(panel).first)
        #expect(received.documentBytes == Self.bytes)
        #expect(received.request.document == .init(sha256: Self.digest, computed: true))
        // It stays for another capture, until it is closed.
        try client.closeDocument(id)
        var refusal: PanelClientError?
        do throws(PanelClientError) { _ = try client.capture(call) } catch { refusal = error }
        #expect(refusal == .refused(.noSuchDocument(id)))
        do throws(PanelClientError) { try client.closeDocument(id) } catch { refusal = error }
        #expect(refusal == .refused(.noSuchDocument(id)))
    }

    @Test("a capture needs a whole document of the same connection")
    func ownership() throws {
        let panel = try TestPanel()
        let (host, other) = (try panel.host(), try panel.host())
        let id = try open(host)
        #expect(try capture(other, id).contains("NoSuchDocument"))
        #expect(try append(other, id, 0..<10).contains("NoSuchDocument"))
        #expect(try capture(host, id).contains(#""fault":"incomplete""#))
        #expect(try append(host, id, 0..<40_000) == #"{"parameters":{}}"#)
        let refusal = try capture(host, id)
        #expect(refusal.contains("40000 of its 200000 bytes have come"))
        for start in stride(from: 40_000, to: 200_000, by: 40_000) {
            #expect(try append(host, id, start..<start + 40_000) == #"{"parameters":{}}"#)
        }
        let wrong = try capture(host, id, ",\"sha256\":\"\(String(repeating: "0a", count: 32))\"")
        #expect(wrong.contains(#""parameter":"document.sha256""#))
        #expect(calls(panel).isEmpty)
    }

    @Test("a wrong size, a wrong digest, bytes that are none and a second document are refused")
    func refusals() throws {
        let panel = try TestPanel()
        let host = try panel.host()
        for size in ["0", "-1", "33554433", "1.5", "9223372036854775808", "\"1\""] {
            try host.call("OpenDocument", "{\"size\":\(size),\"sha256\":\"\(Self.digest)\"}")
            let reply = try #require(try host.next())
            // A number that JSON readers take differently is no message.
            if reply.contains("MalformedMessage") { return }
            #expect(reply.contains(#""parameter":"size""#), "\(size): \(reply)")
        }
    }

    @Test("what does not fit what was announced is refused; then the document can be opened again")
    func faults() throws {
        let panel = try TestPanel()
        let host = try panel.host()
        try host.call("OpenDocument", "{\"size\":1,\"sha256\":\"\(Self.digest.uppercased())\"}")
        #expect(try host.next()?.contains(#""parameter":"sha256""#) == true)
        let short = try open(host, size: 1000)
        #expect(try append(host, short, 0..<1001).contains(#""fault":"size""#))
        #expect(try append(host, short, 0..<1).contains(#""fault":"size""#))
        let other = try open(host, size: 1000)
        #expect(other != short)
        #expect(try append(host, short, 0..<1).contains("NoSuchDocument"))
        #expect(try append(host, other, 0..<1000).contains(#""fault":"digest""#))
        #expect(try capture(host, other).contains(#""fault":"digest""#))
        let third = try open(host)
        for garbage in ["%%", "YQ", "", "é"] {
            try host.call("Append", "{\"id\":\"\(third)\",\"base64\":\"\(garbage)\"}")
            #expect(try host.next()?.contains(#""parameter":"base64""#) == true, "\(garbage)")
        }
        try host.call("OpenDocument", "{\"size\":1,\"sha256\":\"\(Self.digest)\"}")
        #expect(try host.next()?.contains("document \(third) is open on this connection") == true)
    }

    @Test("a document that dribbles is discarded, and so is one whose room another needs")
    func slow() throws {
        var limits = ControlLimits()
        limits.stall = .milliseconds(200)
        limits.documentSpare = .milliseconds(100)
        limits.allDocumentBytes = 300_000
        let panel = try TestPanel(limits: limits)
        let (slow, first, second) = (try panel.host(), try panel.host(), try panel.host())
        let late = try open(slow)
        #expect(try append(slow, late, 0..<10) == #"{"parameters":{}}"#)
        // There is no room beside it, until it is late.
        try first.call("OpenDocument", "{\"size\":200000,\"sha256\":\"\(Self.digest)\"}")
        #expect(try first.next()?.contains("org.inkpanel.Panel.Unavailable") == true)
        usleep(400_000)
        #expect(try append(slow, late, 10..<20).contains(#""fault":"discarded""#))
        let id = try open(first)
        for start in stride(from: 0, to: 200_000, by: 40_000) { _ = try append(first, id, start..<start + 40_000) }
        usleep(300_000)
        _ = try open(second)
        let refusal = try capture(first, id)
        #expect(refusal.contains(#""fault":"discarded""#) && refusal.contains("another one needed its room"))
    }

    @Test("the end of a connection makes room")
    func gone() throws {
        var limits = ControlLimits()
        limits.allDocumentBytes = 300_000
        let panel = try TestPanel(limits: limits)
        do { _ = try open(try panel.host()) }
        let host = try panel.host()
        for _ in 0..<1000 {
            try host.call("OpenDocument", "{\"size\":200000,\"sha256\":\"\(Self.digest)\"}")
            if try host.next()?.contains("\"id\"") == true { return }
            usleep(10_000)
        }
        Issue.record("there is no room any more")
    }

    @Test("a signed document comes in parts")
    func signed() throws {
        let panel = try TestPanel()
        var client = try PanelClient(path: panel.path)
        let id = try client.capture(CaptureCall(request: CaptureRequest(reason: "accept"))).id
        func refusal() throws -> PanelClientError? {
            do throws(PanelClientError) {
                _ = try client.signedDocument(of: id)
                return nil
            } catch {
                return error
            }
        }
        #expect(try refusal() == .refused(.notExportable(reason: "capture \(id) has no signed document")))
        var document = Self.bytes
        for _ in 0..<3 { document += document }
        let file = "\(panel.store.path)/captures/\(id).pdf"
        try AtomicFile.write(document, to: file)
        #expect(try client.signedDocument(of: id) == document)
        let host = try panel.host()
        let expectations = [
            (1_600_000, #"{"base64":"","more":false}"#), (1_600_001, "1600000 bytes"), (-1, "offset"),
        ]
        for (offset, expected) in expectations {
            try host.call("GetDocument", "{\"id\":\"\(id)\",\"offset\":\(offset)}")
            let reply = try #require(try host.next())
            #expect(reply.contains(expected), "\(reply)")
        }
        try host.call("GetDocument", "{\"id\":\"none\",\"offset\":0}")
        #expect(try host.next()?.contains("NoSuchCapture") == true)
    }
}
