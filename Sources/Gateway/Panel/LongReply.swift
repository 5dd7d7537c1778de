// SPDX-License-Identifier: Apache-2.0
import Foundation
import HTTP
package import HostAPI

/// A reply of the panel that is read while it is used, so that this program never holds a whole one.
package actor LongReply {
    /// The time for which a slow client may keep others waiting, and the time between two looks whether it does.
    private static let patience = Duration.seconds(15)
    private static let interval = Duration.seconds(1)

    private let connection: PanelConnection
    private let place: PanelPlaces.Place
    private var scanner = ReplyScanner()
    private var watch: Task<Void, any Error>?

    init(_ connection: PanelConnection, _ place: PanelPlaces.Place) {
        self.connection = connection
        self.place = place
    }

    deinit {
        watch?.cancel()
        connection.end()
    }

    /// Lets a client take the reply, at its own pace. After a while it loses its place to others who wait for
    /// one: the reply ends early then, also if the client takes nothing.
    func passOn() {
        watch = Task { [connection, place] in
            try await Task.sleep(for: Self.patience)
            while await !place.isWanted { try await Task.sleep(for: Self.interval) }
            connection.end()
            place.giveUp()
        }
    }

    /// Waits for the next pieces, in order.
    /// - Returns: nil after the last one.
    /// - Throws: ``Problem`` with the panel's error, or if the reply cannot be used.
    package func portion() async throws -> ReplyScanner.Pieces? {
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
        do throws(ReplyError) { _ = try VarlinkReply(scanner.rest[...]) } catch { throw Problem(error) }
        return nil
    }

    /// The name of its long member, if that is a text.
    var textName: String? { scanner.textName }

    /// The parameters received, without the long member. While that comes, only the members before it.
    /// - Throws: ``Problem`` with the panel's error.
    package func parameters<Parameters: Decodable & Sendable>(_ type: Parameters.Type) throws -> Parameters {
        let rest = scanner.isComplete ? scanner.rest : scanner.rest + Array("\"}}".utf8)
        do throws(ReplyError) { return try VarlinkReply(rest[...]).parameters(type) } catch { throw Problem(error) }
    }
}
