// SPDX-License-Identifier: Apache-2.0
import Configuration
import Evidence
import Linux
import Store
import TestSupport
import Testing

@testable import inkpanel

@Suite("The panel's certificate")
struct PanelCertificateTests {
    private let directory: TemporaryDirectory
    private let key: SigningKey
    private let path: String

    init() throws {
        directory = try TemporaryDirectory()
        key = try SigningKey.generate()
        path = directory.path + "/certificate.pem"
    }

    private func keep() throws -> String? { try PanelStore.keepCertificate(of: key, named: "Panel 12", at: path) }

    private func contents() throws -> [UInt8] { try #require(try InputFile.read(path, maximumByteCount: 1 << 16)) }

    @Test("a missing one is made and stays; one that was made for a key that is not kept is made anew")
    func own() throws {
        #expect(try keep() == nil)
        let made = try contents()
        #expect(try Certificate(pem: made).key == key.publicKey)
        #expect(try keep() == nil)
        #expect(try contents() == made)
        try PanelStore.writeCertificate(of: SigningKey.generate(), named: "Panel 12", organization: nil, to: path)
        #expect(try keep() == nil)
        #expect(try Certificate(pem: try contents()).key == key.publicKey)
    }

    @Test("anything else stays and is a fault")
    func others() throws {
        let subject = try CertificateSubject(commonName: "Panel 12")
        let withEnd = try SigningKey.generate().selfSignedCertificate(subject: subject, from: 0, until: 2_000_000_000)
        for (file, text) in [
            (withEnd, "another key than the panel's \(key.publicKey.fingerprint)"), ([], "no PEM block"),
            ([UInt8](repeating: 10, count: 1 << 15), "too long"),
        ] {
            try AtomicFile.write(file, to: path)
            let fault = try #require(try keep())
            #expect(fault.contains(text) && fault.contains(path))
            #expect(try contents() == file)
        }
        try AtomicFile.write(try key.selfSignedCertificate(subject: subject, from: 0, until: 2_000_000_000), to: path)
        #expect(try keep() == nil)
    }

    @Test("a store compares it with its key when it opens, and seals also with a fault")
    func store() throws {
        var configuration = try Configuration(document: [], path: "f")
        configuration.record.directory = directory.path
        func faults() throws -> [String] {
            let store = try PanelStore(configuration).store
            try store.checkReady()
            #expect(store.chain?.isOpen == true)
            return try #require(store.chain?.faults)
        }
        #expect(try faults().isEmpty)
        let own = try Certificate(pem: try contents()).key
        try PanelStore.writeCertificate(of: key, named: "Panel 12", organization: nil, to: path)
        #expect(try faults().isEmpty)
        #expect(try Certificate(pem: try contents()).key == own)
        try AtomicFile.write([1], to: path)
        #expect(try faults().count == 1)
    }
}
