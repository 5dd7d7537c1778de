// SPDX-License-Identifier: Apache-2.0
import Evidence
import FoundationEssentials
import Glibc
import HostAPI
import JSON
import Linux
import Record
import Store

// Does with Evidence what tests ask for on standard input (Tests/system/Evidence): a line of fields between tabs for
// each call, the command first. Answers a line: `ok` and results between tabs, or `refused` and the reason.

func contents(_ path: String) throws -> [UInt8] {
    guard let bytes = try InputFile.read(path, maximumByteCount: 64 << 20) else { throw Errno(code: EFBIG) }
    return bytes
}

// Thousands of files, which need not outlast a power cut.
func write(_ bytes: [UInt8], to path: String) throws {
    try FileDescriptor(opening: path, O_WRONLY | O_CREAT | O_TRUNC, permissions: 0o600).writeAll(bytes)
}

func answer(_ command: String, _ fields: [String]) throws -> [String]? {
    switch (command, fields.count) {
    case ("make-key", 1):
        let key = try SigningKey.generate()
        try write(key.pem(), to: fields[0])
        return [key.publicKey.text, key.publicKey.fingerprint]
    case ("read-key", 1):
        let key = try SigningKey(pem: contents(fields[0]))
        return [key.publicKey.text, key.publicKey.fingerprint]
    case ("sign", 4):
        let signature = try SigningKey(pem: contents(fields[0])).sign(contents(fields[2]), namespace: fields[1])
        try write(signature.armoured, to: fields[3])
        return []
    case ("verify", 2):
        let signature = try SSHSignature(armoured: contents(fields[1]))
        let isValid = try signature.isValid(for: contents(fields[0]))
        return [isValid ? "valid" : "invalid", signature.namespace, signature.publicKey.text]
    case ("allowed-line", 4):
        guard let key = PublicKey(text: fields[1]) else { return nil }
        let from = fields[3].isEmpty ? nil : fields[3]
        return [AllowedSigners.line(principal: fields[0], key: key, namespace: fields[2], validAfter: from)]
    case ("allowed", 4):
        guard let key = PublicKey(text: fields[1]), let time = Int64(fields[3]) else { return nil }
        let signers = try AllowedSigners(contents(fields[0])).signers(of: key, namespace: fields[2])
        return signers.filter { $0.isValid(at: time) }.flatMap(\.principals)
    case ("certify", 6):
        guard let from = Int64(fields[2]), let until = Int64(fields[3]) else { return nil }
        let subject = try CertificateSubject(
            commonName: fields[4], organization: fields[5].isEmpty ? nil : fields[5])
        let key = try SigningKey(pem: contents(fields[0]))
        try write(key.selfSignedCertificate(subject: subject, from: from, until: until), to: fields[1])
        return []
    case ("request", 4):
        let subject = try CertificateSubject(
            commonName: fields[2], organization: fields[3].isEmpty ? nil : fields[3])
        try write(
            SigningKey(pem: contents(fields[0])).certificateRequest(subject: subject), to: fields[1])
        return []
    case ("certificate-key", 1):
        return [try PublicKey(certificate: contents(fields[0])).text]
    case ("make-identity", 1):
        let identity = try AgeIdentity.generate()
        try write(Array((identity.text + "\n").utf8), to: fields[0])
        return [identity.recipient.description]
    case ("recipients", 1):
        return try AgeIdentity.identities(inFile: contents(fields[0])).map(\.recipient.description)
    case ("encrypt", 3...):
        let recipients = try fields[2...].map { try AgeRecipient($0) }
        try write(Age.encrypt(contents(fields[0]), to: recipients), to: fields[1])
        return []
    case ("decrypt", 3):
        let identities = try AgeIdentity.identities(inFile: contents(fields[2]))
        let plain = try Age.decrypt(contents(fields[0]), with: identities)
        if !fields[1].isEmpty { try write(plain, to: fields[1]) }
        return [SHA256Digest(of: plain).description]
    case ("keep", 4...): return try keep(fields)
    case ("json", 1):
        // What was read, written again.
        return [String(decoding: try JSONEncoder().encode(JSONValue(decoded(fields[0]))), as: UTF8.self)]
    case ("record", 1):
        let record = try CaptureDecoder.decode(decoded(fields[0]))
        return [record.outcome.rawValue, String(record.entries.count)]
    case ("seal-line", 1):
        return [String(try Seal(line: decoded(fields[0])).n)]
    default: return nil
    }
}

/// Writes a record to a store, as a capture does, with a document that its signed document begins with.
/// - Parameter fields: the store, its key, the record, the document; then a folder in memory and the recipients.
func keep(_ fields: [String]) throws -> [String] {
    let key = try SigningKey(pem: contents(fields[1]))
    let record = try CaptureDecoder.decode(contents(fields[2]))
    let document = try contents(fields[3])
    let witness = SealChain.Witness(program: "evidence-peer", boot: nil) {
        (WallClock.microseconds, Seal.Clock(synchronized: true, maximumError: 1))
    }
    let store = CaptureStore(
        path: fields[0], chain: SealChain(of: fields[0], isRequired: true, witness: witness) { _ in key },
        encryption: fields.count < 6
            ? nil
            : CaptureStore.Encryption(
                recipients: try fields[5...].map { try AgeRecipient($0) }, journals: fields[4], readableFor: .zero))
    try store.prepare()
    try store.checkReady()
    guard let end = record.end else { return [] }
    var writer = try JournalWriter(record.header, in: store)
    for entry in record.entries { try writer.append(entry) }
    try writer.finish(end) { (digest) throws(StoreError) in
        document + Array("\n% /INKP_RecordSHA256 <\(digest)>\n".utf8)
    }
    return [record.header.id]
}

func decoded(_ base64: String) throws -> [UInt8] {
    guard let data = Data(base64Encoded: base64) else { throw Errno(code: EINVAL) }
    return Array(data)
}

while let line = readLine() {
    let fields = line.split(separator: "\t", omittingEmptySubsequences: false).map(String.init)
    do {
        guard let results = try answer(fields[0], Array(fields.dropFirst())) else {
            print("evidence-peer: \(line) is no call")
            exit(EX_USAGE)
        }
        print((["ok"] + results).joined(separator: "\t"))
    } catch {
        print("refused\t\(error)")
    }
    fflush(nil)
}
