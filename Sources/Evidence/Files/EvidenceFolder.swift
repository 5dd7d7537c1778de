// SPDX-License-Identifier: Apache-2.0
import Glibc
import Linux

/// The files of a folder, each of which counts (docs/seals.md, "Folders").
struct EvidenceFolder {
    /// A file whose place in a panel's directory says what it is.
    struct Placed {
        enum Kind: CaseIterable {
            case record, encrypted, signed, encryptedSigned

            var ending: String {
                switch self {
                case .record: ".jsonl"
                case .encrypted: ".jsonl.age"
                case .signed: ".pdf"
                case .encryptedSigned: ".pdf.age"
                }
            }
        }
        let path: String
        let id: String
        let kind: Kind
    }

    /// Seals in directories of panels, and those directories.
    private(set) var seals: [(path: String, store: String)] = []
    private(set) var captures: [Placed] = []
    /// Files whose places say nothing.
    private(set) var files: [String] = []
    private(set) var findings: [Finding] = []

    /// The deepest folder that is read: the same as in verify.html.
    private static let deepest = 8
    private static let sealEnding = ".seal"

    init(_ path: String) throws(EvidenceFileError) { try walk(path, 1) }

    private mutating func walk(_ path: String, _ depth: Int) throws(EvidenceFileError) {
        guard depth <= Self.deepest else {
            return findings.append(
                Finding(.wrong, path, "is not checked: it lies too deep in folders; name it by itself"))
        }
        let isStore = ((try? Directory.names(of: path + "/seals")) ?? []).contains(where: Self.isSeal)
        for name in try Self.names(path) {
            let child = "\(path)/\(name)"
            let isFolder = Self.type(child) == S_IFDIR
            if name == "lost+found", isFolder, (try? Directory.names(of: child)) == nil {
                // The root of a file system has it, for its administrator only.
                findings.append(Finding(.open, child, "is not checked: it cannot be read"))
            } else if isStore, Self.isOwn(name, isFolder: isFolder) {
                findings.append(Finding(.open, child, "is not checked: a panel's directory has it for itself"))
            } else if !isFolder {
                addFile(child)
            } else if isStore, name == "seals" || name == "captures" {
                try walkPlaces(path, name, depth)
            } else {
                try walk(child, depth + 1)
            }
        }
    }

    /// The folder of captures or that of seals in a panel's directory.
    private mutating func walkPlaces(_ store: String, _ folder: String, _ depth: Int) throws(EvidenceFileError) {
        for name in try Self.names("\(store)/\(folder)") {
            let path = "\(store)/\(folder)/\(name)"
            if Self.type(path) == S_IFDIR {
                try walk(path, depth + 2)
            } else if Self.isTemporary(name) {
                findings.append(Finding(.open, path, "is not checked: a panel's directory has it for itself"))
            } else if folder == "seals", Self.isSeal(name) {
                seals.append((path, store))
            } else if folder == "captures", let kind = Placed.Kind.allCases.first(where: { Self.has(name, $0.ending) })
            {
                captures.append(Placed(path: path, id: String(name.dropLast(kind.ending.count)), kind: kind))
            } else {
                addFile(path)
            }
        }
    }

    private mutating func addFile(_ path: String) {
        if Self.type(path) == S_IFREG { return files.append(path) }
        findings.append(Finding(.wrong, path, "is not checked: it is no file, or leads nowhere"))
    }

    /// The type of a file, also through a link; nil if nothing is there.
    private static func type(_ path: String) -> mode_t? {
        var status = stat()
        return stat(path, &status) == 0 ? status.st_mode & S_IFMT : nil
    }

    private static func names(_ path: String) throws(EvidenceFileError) -> [String] {
        do throws(Errno) { return try Directory.names(of: path).sorted() } catch { throw .cannotRead(path, error) }
    }

    private static func has(_ name: String, _ ending: String) -> Bool {
        name.hasSuffix(ending) && name.utf8.count > ending.utf8.count
    }

    private static func isSeal(_ name: String) -> Bool { has(name, sealEnding) }

    private static let ownNames: Set = [
        "scatter.jsonl", "self-tests.jsonl", "certificate.pem", ".backup.lock", ".restored", ".restoring",
        ".restoring.part",
    ]

    /// Whether a panel's directory has a file beside captures and seals (docs/record.md, "The store"), or a program
    /// left it there when it was killed.
    private static func isOwn(_ name: String, isFolder: Bool) -> Bool {
        if isFolder { return ["open", "outbox", "linked"].contains(name) || name.hasPrefix(".backup.") }
        if Self.ownNames.contains(name) { return true }
        if name == "sketch.jsonl" || name.hasPrefix("sketch-") && name.hasSuffix(".jsonl") { return true }
        for key in ["inkpanel.key", "key.pem"] where name.hasPrefix(key) {
            let more = name.dropFirst(key.count)
            if more.isEmpty || more.first == "." && more.count > 1 && more.dropFirst().allSatisfy({ "a"..."z" ~= $0 }) {
                return true
            }
        }
        return isTemporary(name)
    }

    /// A file that was not given its name before the power went (``AtomicFile``).
    private static func isTemporary(_ name: String) -> Bool {
        let digits = name.dropFirst(".inkpanel.".count).dropLast(".part".count)
        return name.hasPrefix(".inkpanel.") && name.hasSuffix(".part") && !digits.isEmpty
            && digits.allSatisfy { "0"..."9" ~= $0 || "a"..."f" ~= $0 }
    }
}
