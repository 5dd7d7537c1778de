// SPDX-License-Identifier: Apache-2.0
import Foundation
import JSON

/// A reply of the panel that is read while it is used, so that this program never holds a whole one.
actor LongReply {
    private let connection: PanelConnection
    private let place: PanelPlaces.Place
    private var scanner = ReplyScanner()

    init(_ connection: PanelConnection, _ place: PanelPlaces.Place) {
        self.connection = connection
        self.place = place
    }

    deinit { connection.end() }

    /// Waits for the next pieces, in order.
    /// - Returns: nil after the last one.
    /// - Throws: ``Problem`` with the panel's error, or if the reply cannot be used.
    func portion() async throws -> ReplyScanner.Pieces? {
        while !scanner.isComplete {
            let bytes = try await connection.portion()
            do throws(ReplyScanner.Fault) {
                let pieces = try scanner.scan(bytes)
                if !pieces.isEmpty { return pieces }
            } catch {
                throw Problem.panelFailed(error == .tooLong ? "it is too long" : "it is not JSON")
            }
        }
        // An error has no long member.
        _ = try parameters
        return nil
    }

    /// The name of its long member, if that is a text.
    var textName: String? { scanner.textName }

    /// What has come of the reply, without its long member. While that comes, only the members before it.
    /// - Throws: ``Problem`` with the panel's error.
    var parameters: JSONValue {
        get throws {
            let rest = scanner.isComplete ? scanner.rest : scanner.rest + Array("\"}}".utf8)
            guard let message = try? JSONValue(rest) else { throw Problem.panelFailed("it is not JSON") }
            return try PanelConnection.parameters(of: message)
        }
    }
}
