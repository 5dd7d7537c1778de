// SPDX-License-Identifier: Apache-2.0
import Configuration
import Geometry
import Glibc
import Linux
import Screen
import TestSupport
import Testing
import Touch

@testable import Panel

@Suite("Screen power")
struct ScreenPowerTests {
    /// A screen with a simulated backlight and clock.
    private final class Rig {
        var now: Timestamp = 1_000_000
        /// An hour from now, so that no real timer fires.
        private let base = MonotonicClock.now + .seconds(3600)
        var blanks: [Bool] = []
        let root: TemporaryDirectory
        private(set) var power: ScreenPower! = nil

        /// - Parameter hasBacklight: creates a directory with the files of sysfs.
        init(
            dimAfter: Duration? = nil, offAfter: Duration? = nil, blank: PowerBlanking = .backlight,
            hasBacklight: Bool = true
        ) throws {
            root = try TemporaryDirectory()
            if hasBacklight {
                mkdir(root.path + "/a", 0o755)
                for (file, text) in [
                    ("type", "raw"), ("max_brightness", "100"), ("brightness", "90"), ("bl_power", "0"),
                ] { try AtomicFile.write(Array("\(text)\n".utf8), to: "\(root.path)/a/\(file)") }
            }
            var settings = Configuration().power
            (settings.dimAfter, settings.offAfter, settings.blank) = (dimAfter, offAfter, blank)
            power = try ScreenPower(
                settings, log: Log(threshold: .error),
                findBacklight: { [root] in Backlight.find(dimmedPercent: settings.dimmedPercent, in: root.path) },
                now: { [unowned self] in base + (now - .zero) },
                blank: { [unowned self] in blanks.append($0) })
        }

        func light(_ folder: String = "a") throws -> [String] {
            try ["brightness", "bl_power"].map { name in
                let bytes = try #require(try InputFile.read("\(root.path)/\(folder)/\(name)", maximumByteCount: 100))
                return String(decoding: bytes.prefix { $0 != 0x0A }, as: UTF8.self)
            }
        }

        func touch(_ phase: Contact.Phase) throws -> Int {
            let reading = DeviceReading(x: 1, y: 1, pressure: nil)
            let sample = Sample(time: .zero, position: Point(x: 1, y: 1))
            return try power.admit([TouchEvent(phase, contact: 7, sample: sample, reading: reading)]).count
        }

        func pass(to time: Timestamp) throws {
            now = time
            try power.timerFired()
        }

        func isArmed() throws -> Bool {
            let path = "/proc/self/fdinfo/\(power.timerDescriptor)"
            let bytes = try #require(try InputFile.read(path, maximumByteCount: 4096))
            let text = String(decoding: bytes, as: UTF8.self)
            try #require(text.contains("it_value: "), "proc_pid_fdinfo(5)")
            return !text.contains("it_value: (0, 0)")
        }
    }

    @Test("dims the screen, switches it off, and wakes it by a touch that has no other effect")
    func levels() throws {
        let rig = try Rig(dimAfter: .seconds(1), offAfter: .seconds(5))
        #expect(try rig.isArmed())
        try rig.pass(to: 2_000_000)
        #expect(try rig.light() == ["20", "0"])
        try rig.pass(to: 6_000_000)
        #expect(try rig.light()[1] == "4")
        #expect(try !rig.isArmed(), "nothing is waited for in the dark")
        let heard = [try rig.touch(.began), try rig.touch(.moved), try rig.touch(.ended)]
        #expect(heard == [0, 0, 0])
        #expect(try rig.light() == ["90", "0"])
        #expect(try rig.isArmed())
        let next = try rig.touch(.began)
        #expect(next == 1)
        #expect(rig.blanks.isEmpty, "the backlight does it")
    }

    @Test("a new display is switched on and its backlight is found")
    func display() throws {
        let rig = try Rig(dimAfter: .seconds(1), offAfter: .seconds(5))
        try rig.pass(to: 6_000_000)
        #expect(try rig.light()[1] == "4")
        rename(rig.root.path + "/a", rig.root.path + "/b")
        // The backlight is replaced with the driver of the panel.
        try rig.power.displayAttached()
        #expect(try rig.light("b") == ["90", "0"])
        try rig.pass(to: 8_000_000)
        #expect(try rig.light("b")[0] == "20")
    }

    @Test("a backlight added while the screen is off is switched off and replaces black frames")
    func lateLight() throws {
        let rig = try Rig(offAfter: .seconds(1))
        rename(rig.root.path + "/a", rig.root.path + "/.a")
        rename(rig.root.path + "/.a", rig.root.path + "-away")
        rig.power.backlightsChanged()
        try rig.pass(to: 2_000_000)
        #expect(rig.blanks == [true])
        rename(rig.root.path + "-away", rig.root.path + "/a")
        rig.power.backlightsChanged()
        #expect(rig.blanks == [true, false])
        #expect(try rig.light()[1] == "4")
    }

    @Test("a timer set before the last touch is set again when it fires")
    func movedDeadline() throws {
        let rig = try Rig(offAfter: .seconds(2))
        rig.now = 2_500_000
        _ = try rig.touch(.began)
        _ = try rig.touch(.ended)
        try rig.pass(to: 3_000_000)
        #expect(try rig.light()[1] == "0")
        #expect(try rig.isArmed())
        try rig.pass(to: 4_500_000)
        #expect(try rig.light()[1] == "4")
    }

    @Test("frames are black without a backlight, or if configured so")
    func black() throws {
        for rig in [
            try Rig(offAfter: .seconds(1), hasBacklight: false), try Rig(offAfter: .seconds(1), blank: .black),
        ] {
            try rig.pass(to: 2_000_000)
            #expect(rig.blanks == [true])
            try rig.power.setCapturing(true)
            #expect(rig.blanks == [true, false])
        }
    }

    @Test("frames are black if the backlight cannot be written")
    func refused() throws {
        let rig = try Rig(dimAfter: .seconds(1), offAfter: .seconds(2))
        for name in ["brightness", "bl_power"] {
            unlink("\(rig.root.path)/a/\(name)")
            mkdir("\(rig.root.path)/a/\(name)", 0o755)
        }
        try rig.pass(to: 2_000_000)
        #expect(rig.blanks.isEmpty, "dimming is not worth a black screen")
        try rig.pass(to: 3_000_000)
        #expect(rig.blanks == [true])
    }

    @Test("the screen stays on during a capture, and close() switches it on")
    func captures() throws {
        let rig = try Rig(dimAfter: .seconds(1), offAfter: .seconds(2))
        try rig.power.setCapturing(true)
        try rig.pass(to: 50_000_000)
        #expect(try rig.light() == ["90", "0"])
        try rig.power.setCapturing(false)
        try rig.pass(to: 52_000_000)
        #expect(try rig.light()[1] == "4")
        rig.power.close()
        #expect(try rig.light() == ["90", "0"])
    }

    @Test("without timeouts no timer is set and the backlight is not written")
    func never() throws {
        let rig = try Rig()
        #expect(try !rig.isArmed())
        unlink("\(rig.root.path)/a/brightness")
        let heard = try rig.touch(.began)
        #expect(heard == 1)
        // A new backlight is left alone, too.
        rename(rig.root.path + "/a", rig.root.path + "/b")
        rig.power.backlightsChanged()
        try rig.power.displayAttached()
        rig.power.close()
        #expect(try !rig.isArmed() && rig.blanks.isEmpty)
    }
}
