// SPDX-License-Identifier: Apache-2.0
import Configuration
import Glibc
import Linux

/// The place of a simulated panel's socket and records, unless options name others: a folder of its own, removed
/// at its end. So tests of hosts run as any user, and beside a real panel.
final class SimulatedPlace {
    /// The path of the socket; nil if the options or the configuration name one.
    private(set) var socket: String?
    private let file: ConfigurationOption
    private let options: RunOptions
    private var folder: TemporaryFolder?

    init(_ file: ConfigurationOption, _ options: RunOptions) { (self.file, self.options) = (file, options) }

    /// Reads the configuration, with the places.
    /// - Throws: ``CommandError`` if the folder cannot be made, or an error of the file.
    func read() throws -> Configuration {
        let usual = Configuration()
        // The machine's configuration is that of its panel.
        var configuration = try file.path == nil ? usual : file.read()
        let hasSocket = options.socket != nil || configuration.control.socket != usual.control.socket
        if file.path == nil || !hasSocket {
            // Only this user has access.
            configuration.control.group = nil
            configuration.control.gateway = nil
            configuration.control.fleet = nil
            configuration.control.webhooks = nil
        }
        if !hasSocket {
            let path = try place() + "/panel.sock"
            socket = path
            configuration.control.socket = path
        }
        if options.store == nil, configuration.record.directory == usual.record.directory {
            configuration.record.directory = try place() + "/records"
        }
        if configuration.sketch.directory == usual.sketch.directory {
            configuration.sketch.directory = try place() + "/drawings"
        }
        return configuration
    }

    /// The path of a socket has at most 107 bytes (unix(7)); the rest are for the folder's name, and the name that the
    /// socket has before it is ready.
    private static let longestParent = 55

    /// The folder, in the first place of these that will do: the user's own directory in memory, TMPDIR, /tmp.
    private func place() throws(CommandError) -> String {
        if let folder { return folder.path }
        let parents = [getenv("XDG_RUNTIME_DIR").map { String(cString: $0) }, TemporaryFolder.parent, "/tmp"]
        var failure: (parent: String, error: Errno)?
        for parent in parents.compactMap({ $0 }) where !parent.isEmpty && parent.utf8.count <= Self.longestParent {
            do throws(Errno) {
                let folder = try TemporaryFolder(in: parent, prefix: "inkpanel-simulated")
                self.folder = folder
                return folder.path
            } catch {
                failure = (parent, error)
            }
        }
        throw CommandError(
            message: "cannot make a directory in \(failure?.parent ?? "/tmp"): \(failure?.error ?? .noSuchFile); name "
                + "another in TMPDIR, or --socket and --store", status: EX_CANTCREAT)
    }
}
