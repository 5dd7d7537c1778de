// SPDX-License-Identifier: Apache-2.0
import Configuration
import Glibc
import Linux

/// Where a simulated panel has its socket and its records unless it is told: in a folder of its own, which is removed at
/// its end. So tests of hosts run as any user, and beside a real panel.
final class SimulatedPlace {
    /// The path of the socket; nil if the options or the configuration name one.
    private(set) var socket: String?
    /// The configuration with the places.
    private(set) var configuration: Configuration
    private var folder: TemporaryFolder?

    /// - Throws: ``CommandError`` if the folder cannot be made.
    init(_ file: ConfigurationOption, _ options: RunOptions) throws {
        let usual = Configuration()
        // The machine's configuration is that of its panel.
        configuration = try file.path == nil ? usual : file.read()
        let hasSocket = options.socket != nil || configuration.control.socket != usual.control.socket
        if file.path == nil || !hasSocket {
            // Only this user has access.
            configuration.control.group = nil
            configuration.control.gateway = nil
        }
        if !hasSocket {
            socket = try place() + "/panel.sock"
            configuration.control.socket = socket ?? ""
        }
        if options.store == nil, configuration.record.directory == usual.record.directory {
            configuration.record.directory = try place() + "/records"
        }
        if configuration.sketch.directory == usual.sketch.directory {
            configuration.sketch.directory = try place() + "/drawings"
        }
    }

    /// The folder, in the user's own directory in memory if there is one.
    private func place() throws(CommandError) -> String {
        if let folder { return folder.path }
        var parent: String?
        if let own = getenv("XDG_RUNTIME_DIR"), access(own, W_OK) == 0 { parent = String(cString: own) }
        do throws(Errno) {
            let folder = try TemporaryFolder(in: parent, prefix: "inkpanel-simulated")
            self.folder = folder
            return folder.path
        } catch {
            throw CommandError(
                message: "cannot make a directory in \(parent ?? TemporaryFolder.parent): \(error); name another in "
                    + "TMPDIR, or --socket and --store", status: EX_CANTCREAT)
        }
    }
}
