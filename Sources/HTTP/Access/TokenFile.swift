// SPDX-License-Identifier: Apache-2.0
import Foundation
import Glibc
import JSON
package import Linux

/// The file of tokens, mode 0600. `inkpanel-gateway token` changes it while the gateway runs, which then reads it anew.
package struct TokenFile: Sendable {
    package static let name = "tokens.json"

    package let path: String

    /// - Parameter state: the gateway's state directory.
    package init(state: String) { path = state + "/" + Self.name }

    /// - Returns: no tokens if there is no file.
    /// - Throws: ``TokenFileError``.
    package func read() throws(TokenFileError) -> [Token] {
        let bytes: [UInt8]?
        do throws(PrivateFileError) { bytes = try PrivateFile.read(path, maximumByteCount: 1 << 20) } catch {
            switch error {
            case .failed(_, .noSuchFile): return []
            case .failed(_, let error): throw .cannotRead(path, error)
            case .refused: throw .refused(error)
            }
        }
        guard let bytes else { throw .damaged(path, "it is too long") }
        do {
            // Foundation decodes what was read, not the file.
            return try Self.decoder.decode([Token].self, from: JSONValue(bytes).json)
        } catch let fault as JSONFault {
            throw .damaged(path, fault.description)
        } catch let error as DecodingError {
            throw .damaged(path, error.reason)
        } catch {
            throw .damaged(path, "\(error)")
        }
    }

    /// Replaces the tokens by those that `change` returns. Processes that change the file take turns.
    package func change(_ change: ([Token]) throws -> [Token]) throws {
        let lock = open(path + ".lock", O_CREAT | O_RDWR | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard lock >= 0, flock(lock, LOCK_EX) == 0 else { throw TokenFileError.cannotWrite(path, Errno(code: errno)) }
        defer { close(lock) }
        let tokens = try change(try read())
        let bytes = Array((try? Self.encoder.encode(tokens)) ?? Data())
        do throws(Errno) { try AtomicFile.write(bytes, to: path) } catch {
            throw TokenFileError.cannotWrite(path, error)
        }
        Self.giveToOwnerOfDirectory(path)
        Self.giveToOwnerOfDirectory(path + ".lock")
    }

    /// A number that changes whenever the file does; 0 without a file.
    package var version: UInt64 {
        var status = stat()
        guard stat(path, &status) == 0 else { return 0 }
        return UInt64(status.st_ino) &* 1_000_003 ^ UInt64(bitPattern: Int64(status.st_mtim.tv_sec)) &* 1_000_000_000
            ^ UInt64(bitPattern: Int64(status.st_mtim.tv_nsec))
    }

    /// Root writes a file of the state directory, and the gateway's own user must read it.
    package static func giveToOwnerOfDirectory(_ path: String) {
        var status = stat()
        let directory = path.lastIndex(of: "/").map { String(path[..<$0]) } ?? "."
        if geteuid() == 0, stat(directory, &status) == 0 { _ = lchown(path, status.st_uid, status.st_gid) }
    }

    private static var decoder: JSONDecoder {
        let decoder = JSONDecoder()
        decoder.dateDecodingStrategy = .iso8601
        return decoder
    }

    private static var encoder: JSONEncoder {
        let encoder = JSONEncoder()
        encoder.dateEncodingStrategy = .iso8601
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        return encoder
    }
}

package enum TokenFileError: Error, CustomStringConvertible {
    case cannotRead(String, Errno)
    case cannotWrite(String, Errno)
    /// The file, and what is wrong with it.
    case damaged(String, String)
    /// The file may be another user's work.
    case refused(PrivateFileError)

    package var description: String {
        switch self {
        case .cannotRead(let path, let error):
            "cannot read the tokens in \(path): \(error); run this as root or as the gateway's user"
        case .cannotWrite(let path, let error):
            "cannot write the tokens to \(path): \(error); run this as root or as the gateway's user"
        case .damaged(let path, let reason):
            "\(path) is damaged (\(reason)): remove it, and add the tokens again"
        case .refused(let error): "the tokens are not used: \(error)"
        }
    }
}
