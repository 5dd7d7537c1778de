// SPDX-License-Identifier: Apache-2.0
internal import CLibcrypto

extension EvidenceError {
    /// The error of the call of libcrypto that just failed on this thread. Empties the thread's queue of errors, so
    /// that none is taken for that of a later call.
    /// - Parameter action: what was being done, after "cannot".
    static func failed(_ action: String) -> EvidenceError { .failed(doing: action, reason: libcryptoReason()) }

    /// The reason in libcrypto's words, such as "unsupported".
    static func libcryptoReason() -> String {
        let reason = ERR_reason_error_string(ERR_peek_last_error()).map { String(cString: $0) }
        ERR_clear_error()
        return reason ?? "unknown reason"
    }
}

/// Files in memory, in PEM (RFC 7468), for libcrypto.
enum PEM {
    /// - Parameter body: reads from libcrypto's file and returns what it has read.
    /// - Returns: nil if `body` does, or without memory.
    static func read(_ bytes: [UInt8], _ body: (_ file: OpaquePointer) -> OpaquePointer?) -> OpaquePointer? {
        guard let count = Int32(exactly: bytes.count) else { return nil }
        return bytes.withUnsafeBytes { buffer in
            guard let file = BIO_new_mem_buf(buffer.baseAddress, count) else { return nil }
            defer { BIO_free_all(file) }
            return body(file)
        }
    }

    /// - Parameters:
    ///   - action: what is being done, for the error.
    ///   - body: writes into libcrypto's file and returns 1.
    static func write(
        _ action: String, _ body: (_ file: OpaquePointer) -> Int32
    ) throws(EvidenceError) -> [UInt8] {
        guard let file = BIO_new(BIO_s_mem()) else { throw EvidenceError.failed(action) }
        defer { BIO_free_all(file) }
        guard body(file) == 1 else { throw EvidenceError.failed(action) }
        var bytes = [UInt8](repeating: 0, count: BIO_ctrl_pending(file))
        guard BIO_read(file, &bytes, Int32(bytes.count)) == Int32(bytes.count) else {
            throw EvidenceError.failed(action)
        }
        return bytes
    }
}
