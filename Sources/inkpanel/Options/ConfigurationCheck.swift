// SPDX-License-Identifier: Apache-2.0
import Configuration
import Control
import Glibc
import Linux
import Touch

/// What `inkpanel config check` tells besides what is wrong within the file: whether what it names is there, on this
/// machine and now. It changes nothing.
struct ConfigurationCheck {
    private let file: ConfigurationFile
    private var problems: [ConfigurationProblem]

    /// - Returns: all of them, in the order of their lines.
    static func problems(of file: ConfigurationFile) -> [ConfigurationProblem] {
        var check = ConfigurationCheck(file: file, problems: file.problems)
        check.pad()
        check.control()
        check.recordings()
        check.records()
        return check.problems.sorted { ($0.line ?? 0) < ($1.line ?? 0) }
    }

    /// What ends `run` before the pad is shown.
    private mutating func pad() {
        let pad = file.configuration.pad
        do throws(CommandError) { _ = try PadContent.messages(pad) } catch { add("messages", "pad", error.message) }
        do throws(CommandError) { _ = try PadContent.picture(pad) } catch { add("idle-picture", "pad", error.message) }
    }

    /// The default group and the default socket's directory come with the package and the service's start.
    private mutating func control() {
        let (control, usual) = (file.configuration.control, Configuration.Control())
        if let group = control.group, group != usual.group {
            do throws(ControlSocketError) { _ = try ControlGroup(named: group) } catch {
                add("group", "control", error.description)
            }
        }
        if control.socket != usual.socket { checkParent(of: control.socket, "socket", "control") }
    }

    private mutating func recordings() {
        for case .recording(let path)? in file.configuration.touch.devices.map({ TouchChoice(argument: $0) }) {
            if access(path, R_OK) != 0 { add("device", "touch", "cannot read \(path): \(Errno.current)") }
        }
    }

    /// It is made where its parent is there.
    private mutating func records() {
        let directory = file.configuration.record.directory
        if directory != Configuration.Record().directory { checkParent(of: directory, "directory", "record") }
    }

    private mutating func checkParent(of path: String, _ key: String, _ table: String) {
        let parts = path.split(separator: "/")
        let parent = "/" + parts.dropLast().joined(separator: "/")
        do throws(Errno) { _ = try Directory.open(parent) } catch {
            // One that this user may not look into may be the panel's user's.
            if error == .noSuchFile || error == .notADirectory { add(key, table, "there is no directory \(parent)") }
        }
    }

    private mutating func add(_ key: String, _ table: String, _ reason: String) {
        problems.append(
            ConfigurationProblem(
                line: file.line(of: key, in: table), reason: .unusable(key: key, table: table, reason)))
    }
}
