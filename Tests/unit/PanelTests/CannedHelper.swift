// SPDX-License-Identifier: Apache-2.0
import Document
import Glibc
import Linux
import TestSupport
import Testing

@testable import Panel

/// A helper program that answers what a test says, one answer after the other.
final class CannedHelper {
    private let folder: TemporaryFolder
    let helper: DocumentHelper

    /// - Parameter answers: the results, or the reasons why there are none.
    init(_ answers: [Result<[UInt8], DocumentFault>]) throws {
        signal(SIGPIPE, SIG_IGN)
        folder = try TemporaryFolder(prefix: "canned")
        var helper = DocumentHelper()
        helper.firstSocket = "/nonexistent/socket"
        helper.program = "/bin/sh"
        helper.sandbox = folder.path + "/run"
        self.helper = helper
        for (number, answer) in answers.enumerated() {
            let bytes =
                switch answer {
                case .success(let body): HelperAnswer.body(byteCount: body.count).line + body
                case .failure(let fault): HelperAnswer.refusal(fault).line
                }
            try AtomicFile.replace(bytes, at: folder.path + "/answer-\(number)")
        }
        let script = """
            #!/bin/sh
            cd \(folder.path)
            number=$(cat count 2>/dev/null || echo 0)
            echo $((number + 1)) > count
            cat > /dev/null
            cat answer-$number
            """
        try Array(script.utf8).withUnsafeBytes { bytes in
            let file = open(helper.sandbox, O_CREAT | O_WRONLY | O_CLOEXEC, 0o700)
            defer { close(file) }
            try #require(write(file, bytes.baseAddress, bytes.count) == bytes.count)
        }
    }
}
