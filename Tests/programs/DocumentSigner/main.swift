// SPDX-License-Identifier: Apache-2.0
import Document
import Evidence
import FoundationEssentials
import Glibc
import Linux
import PDF

// Signs documents without a pad (Tests/system/Document):
//
//     document-signer FILE OUTPUT JOB...
//
// A job is JSON: {"update": a DocumentUpdate, "key": FILE, "certificates": FILE}. Each adds a signature. Prints the
// size of each update, or the reason of a refusal with status 1.

struct Job: Decodable {
    var update: DocumentUpdate
    var key: String
    var certificates: String
}

func contents(_ path: String) throws -> [UInt8] {
    guard let bytes = try InputFile.read(path, maximumByteCount: 64 << 20) else { throw Errno(code: EFBIG) }
    return bytes
}

func signed(_ document: [UInt8], _ job: Job) throws -> SignedDocument {
    let update = try PDFUpdate.assemble(document, job.update)
    var signed = try SignedDocument(original: document, update: update)
    var hash = SHA256Hash()
    signed.bytes.withUnsafeBytes { bytes in
        for range in signed.signedRanges { hash.update(UnsafeRawBufferPointer(rebasing: bytes[range])) }
    }
    let key = try SigningKey(pem: contents(job.key))
    try signed.fill(with: key.cmsSignature(of: hash.finish(), certificates: contents(job.certificates)))
    return signed
}

guard CommandLine.arguments.count >= 4 else {
    print("usage: document-signer FILE OUTPUT JOB...")
    exit(EX_USAGE)
}
let paths = Array(CommandLine.arguments[1...2])
do {
    var document = try contents(paths[0])
    for text in CommandLine.arguments[3...] {
        let job = try JSONDecoder().decode(Job.self, from: Data(text.utf8))
        let before = document.count
        document = try signed(document, job).bytes
        print(document.count - before)
    }
    try FileDescriptor(opening: paths[1], O_WRONLY | O_CREAT | O_TRUNC, permissions: 0o600).writeAll(document)
} catch {
    print("\(error)")
    exit(1)
}
