// SPDX-License-Identifier: Apache-2.0
import Glibc
import Linux
import TestSupport
import Testing

@testable import Screen

/// These tests use a directory in place of /sys/class/backlight.
@Suite("Backlights")
struct BacklightTests {
    private final class Folder {
        let root: TemporaryDirectory

        init() throws { root = try TemporaryDirectory() }

        func add(_ name: String, type: String = "raw", maximum: String = "255", brightness: String = "200") throws {
            mkdir("\(root.path)/\(name)", 0o755)
            for (file, text) in [
                ("type", type), ("max_brightness", maximum), ("brightness", brightness), ("bl_power", "0"),
            ] { try AtomicFile.write(Array((text + "\n").utf8), to: "\(root.path)/\(name)/\(file)") }
        }

        /// The first line. A shorter write to a regular file keeps the rest of the old content, unlike sysfs.
        func read(_ path: String) throws -> String {
            let bytes = try #require(try InputFile.read("\(root.path)/\(path)", maximumByteCount: 100))
            return String(decoding: bytes.prefix { $0 != 0x0A }, as: UTF8.self)
        }

        func find(dimmed: Int = 20) -> Backlight? { Backlight.find(dimmedPercent: dimmed, in: root.path) }
    }

    @Test("firmware is preferred to platform, platform to raw, then the first by name")
    func choice() throws {
        let folder = try Folder()
        #expect(folder.find() == nil, "none")
        try folder.add("b", type: "raw")
        try folder.add("a", type: "raw")
        #expect(folder.find()?.path.hasSuffix("/a") == true)
        try folder.add("z", type: "platform")
        #expect(folder.find()?.path.hasSuffix("/z") == true)
        try folder.add("zz", type: "firmware")
        #expect(folder.find()?.path.hasSuffix("/zz") == true)
        #expect(Backlight.find(dimmedPercent: 20, in: "/nowhere") == nil)
    }

    @Test(
        "a backlight with an impossible maximum is skipped",
        arguments: ["", "0", "-5", "much", "99999999999", "1e3"])
    func impossible(maximum: String) throws {
        let folder = try Folder()
        try folder.add("a", type: "firmware", maximum: maximum)
        try folder.add("b")
        try folder.add("c", type: "quantum")
        #expect(folder.find()?.path.hasSuffix("/b") == true)
    }

    @Test("dims to the given percentage, switches off and on, and restores the brightness")
    func levels() throws {
        let folder = try Folder()
        try folder.add("a")
        var backlight = try #require(folder.find())
        try backlight.set(.dimmed)
        #expect(try folder.read("a/brightness") == "51")
        try backlight.set(.off)
        #expect(try folder.read("a/bl_power") == "4")
        try backlight.set(.on)
        #expect(try folder.read("a/brightness") == "200" && folder.read("a/bl_power") == "0")
    }

    @Test("keeps a brightness that another program has set meanwhile")
    func changed() throws {
        let folder = try Folder()
        try folder.add("a")
        var backlight = try #require(folder.find())
        try AtomicFile.write(Array("150\n".utf8), to: backlight.path + "/brightness")
        try backlight.set(.dimmed)
        try backlight.set(.on)
        #expect(try folder.read("a/brightness") == "150")
    }

    @Test(
        "a low or impossible brightness at the start is replaced by the maximum",
        arguments: ["0", "51", "30", "9999"])
    func rest(brightness: String) throws {
        let folder = try Folder()
        try folder.add("a", brightness: brightness)
        var backlight = try #require(folder.find())
        try backlight.set(.on)
        #expect(try folder.read("a/brightness") == "255")
    }

    @Test("never dims to 0")
    func coarse() throws {
        let folder = try Folder()
        try folder.add("a", maximum: "3", brightness: "3")
        var backlight = try #require(folder.find(dimmed: 1))
        try backlight.set(.dimmed)
        #expect(try folder.read("a/brightness") == "1")
    }

    @Test("without bl_power the brightness is set to 0")
    func withoutPower() throws {
        let folder = try Folder()
        try folder.add("a")
        unlink("\(folder.root.path)/a/bl_power")
        var backlight = try #require(folder.find())
        try backlight.set(.off)
        #expect(try folder.read("a/brightness") == "0")
        let error = thrownError { try backlight.set(.on) } as? BacklightError
        #expect(error == .cannotWrite(path: backlight.path + "/bl_power", .noSuchFile))
        #expect(try folder.read("a/brightness") == "200", "switched on in spite of the error")
    }

    @Test("the error of a failed write names the file and says what to do")
    func readOnly() throws {
        let folder = try Folder()
        try folder.add("a")
        var backlight = try #require(folder.find())
        // Permissions would not stop root.
        for name in ["brightness", "bl_power"] {
            unlink("\(folder.root.path)/a/\(name)")
            mkdir("\(folder.root.path)/a/\(name)", 0o755)
        }
        let error = thrownError { try backlight.set(.off) } as? BacklightError
        #expect(error == .cannotWrite(path: backlight.path + "/brightness", .isDirectory))
        let path = "/sys/class/backlight/a/bl_power"
        func words(_ error: Errno) -> String { BacklightError.cannotWrite(path: path, error).description }
        #expect(words(.readOnlyFileSystem).contains("ReadWritePaths"))
        #expect(words(.permissionDenied).contains("udev"))
        #expect(words(.inputOutput).contains(path))
    }
}
