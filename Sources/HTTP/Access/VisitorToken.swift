// SPDX-License-Identifier: Apache-2.0
import Evidence
import Foundation
import Linux

/// The token of the page of a virtual panel, for everything that the gateway can do. It is kept as text, so that pages
/// that are still open go on when the gateway is started again.
package struct VisitorToken: Sendable {
    static let fileName = "visitor-token"

    package let token: Token
    package let text: String

    /// Reads the token, or makes one.
    /// - Parameter state: the gateway's state directory.
    /// - Throws: ``TokenFileError`` if it cannot be kept, or if the file is not this user's alone: whoever put it there
    ///   would have a token for everything.
    package init(state: String) throws {
        let path = state + "/" + Self.fileName
        let made = Token.make(name: "visitor", scopes: [.admin], expires: nil, now: Date())
        let kept: [UInt8]?
        do throws(PrivateFileError) { kept = try PrivateFile.read(path, maximumByteCount: 256) } catch {
            guard error.isMissing else { throw TokenFileError.refused(error) }
            kept = nil
        }
        if let bytes = kept {
            let parts = String(decoding: bytes, as: UTF8.self).split(separator: "_", omittingEmptySubsequences: false)
            let isToken = parts.count == 3 && parts[0] == "ipt" && !parts[1].isEmpty && parts[2].utf8.count == 43
            if isToken, parts.joined().utf8.allSatisfy({ Self.characters.contains($0) }) {
                text = parts.joined(separator: "_")
                var token = made.token
                token.id = String(parts[1])
                token.digest = SHA256Digest(of: Array(text.utf8)).description
                self.token = token
                return
            }
        }
        (token, text) = made
        do throws(Errno) { try AtomicFile.write(Array(text.utf8), to: path) } catch {
            throw TokenFileError.cannotWrite(path, error)
        }
    }

    /// Those of ``Token/make(name:scopes:origins:expires:now:)``.
    private static let characters = Set("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-~".utf8)
}
