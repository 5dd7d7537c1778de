// SPDX-License-Identifier: Apache-2.0
import Geometry
import Glibc
import HostAPI
import Linux
import Screen
import Touch

/// The text of `inkpanel report`: a section for each part of the machine.
struct MachineReport {
    /// The kernel's options that concern a screen, a console or touch.
    private static let options = [
        "video=", "fbcon=", "console=", "quiet", "splash", "logo.", "vt.", "drm.", "nomodeset", "i915.", "amdgpu.",
        "usbhid.", "loglevel=", "cma=",
    ]
    private static let packages = [
        "inkpanel*", "libdrm2", "libevdev2", "libpango-1.0-0", "mupdf-tools", "poppler-utils", "raspi-firmware",
        "systemd",
    ]
    private static let mostMessages = 80

    private let files: MachineFiles
    private let privateParts: PrivateParts
    private(set) var text: String

    init(_ files: MachineFiles) {
        self.files = files
        privateParts = PrivateParts(hostName: files.text("/proc/sys/kernel/hostname") ?? "")
        text = "Report of \(Inkpanel.program): without names, serial numbers, addresses and tokens.\n"
    }

    mutating func add(_ title: String, _ lines: [String]) {
        text += "\n== \(title)\n"
        for line in lines.isEmpty ? ["none"] : lines {
            let isVerbatim = line.hasPrefix(Self.verbatim)
            text += (isVerbatim ? String(line.dropFirst()) : privateParts.removed(from: line)) + "\n"
        }
    }

    /// Begins a line without private parts, which would be taken for some.
    private static let verbatim = "\u{1}"

    // MARK: the machine

    mutating func addMachine() {
        let dmi = ["sys_vendor", "product_name", "bios_version"].compactMap { files.text("/sys/class/dmi/id/" + $0) }
            .filter { !$0.isEmpty }
        let system = files.lines("/etc/os-release").first { $0.hasPrefix("PRETTY_NAME=") }?.dropFirst(12)
            .filter { $0 != "\"" }
        let processors = files.lines("/proc/cpuinfo")
        let model = processors.first { $0.hasPrefix("model name") }?.split(separator: ":").last?.drop { $0 == " " }
        let memory = files.lines("/proc/meminfo").first { $0.hasPrefix("MemTotal") }?.split(separator: " ").dropFirst()
            .first
        let options = (files.text("/proc/cmdline") ?? "").split(separator: " ").filter { word in
            Self.options.contains { word.hasPrefix($0) }
        }
        let board = files.text("/proc/device-tree/model") ?? (dmi.isEmpty ? "unknown" : dmi.joined(separator: ", "))
        add(
            "machine",
            [
                "board      \(board)",
                "system     \(system ?? "unknown")",
                "kernel     \(files.text("/proc/sys/kernel/osrelease") ?? "unknown")",
                "processors \(processors.count { $0.hasPrefix("processor") })\(model.map { ", \($0)" } ?? "")",
                "memory     \(memory.map { "\($0) kB" } ?? "unknown")",
                Self.verbatim + "options    " + options.joined(separator: " "),
            ])
    }

    mutating func addScreens(_ inventory: DisplayInventory) {
        var lines = inventory.description.split(separator: "\n").map { String($0) }
        lines += FramebufferList.descriptions().map { "framebuffer " + $0 }
        for connector in files.names("/sys/class/drm") {
            guard let edid = files.bytes("/sys/class/drm/\(connector)/edid").flatMap({ EDID($0) }) else { continue }
            lines.append("EDID of \(connector): \(edid.model), without serial number")
            lines += edid.lines.map { Self.verbatim + "    " + $0 }
        }
        add("screens (* is used)", lines)
    }

    mutating func addTouchDevices() {
        let title = "touch devices (* is used)"
        do throws(TouchError) {
            let candidates = try DeviceFinder.list()
            var lines = DeviceReport.lines(candidates, DeviceFinder.choose(from: candidates))
            for case let device? in candidates.map(\.device) {
                let ids = [device.bus, device.vendor, device.product, device.version].map { String($0, radix: 16) }
                lines.append("    \(device.name): bus, vendor, product, version \(ids.joined(separator: " "))")
            }
            add(title, lines)
        } catch {
            add(title, [error.message])
        }
    }

    // MARK: the panel

    mutating func add(_ status: PanelStatus) {
        let screen = status.screen
        add(
            "panel",
            [
                "program    \(status.program), page \(status.page)",
                "screen     \(screen.name), \(screen.size.width) x \(screen.size.height), "
                    + "\(Self.hundredths(screen.pixelsPerMillimetre)) pixels/mm, fault: \(screen.fault ?? "none")",
                "touch      \(status.touchDevices.count) devices",
                "store      \(status.store.captures) captures, \(status.store.freeBytes >> 20) MiB free, "
                    + "fault: \(status.store.fault ?? "none")",
            ])
    }

    /// - Parameter captures: newest first.
    mutating func addCaptures(_ captures: [RecordMetadata]) {
        let lines = captures.compactMap(\.quality).map { quality in
            let rate = quality.reportRate.map { "\(Self.hundredths($0)) reports/s" } ?? "no rate"
            let gap = quality.longestGap.map { "longest gap \(Self.hundredths(Double($0) / 1000)) ms" } ?? "no gap"
            let latency = quality.latency.map {
                "delay to the screen "
                    + [$0.p50, $0.p95, $0.p99].map(Self.hundredths).joined(separator: ", ") + " ms"
            }
            return [
                rate, gap, latency ?? "no delay", "\(quality.drops) drops, \(quality.ignoredContacts) ignored contacts",
            ]
            .joined(separator: "; ")
        }
        add("last captures (delays: median, 95 %, 99 %)", lines)
    }

    private static func hundredths(_ number: Double) -> String {
        guard number.isFinite, abs(number) < 1e9 else { return "?" }
        return "\((number * 100).rounded() / 100)"
    }

    // MARK: other programs

    mutating func addPrograms() {
        add(
            "packages",
            files.output(
                of: "dpkg-query",
                ["--show", "--showformat", "${db:Status-Status} ${Package} ${Version}\\n"] + Self.packages
            ).filter { $0.hasPrefix("installed ") }.map { String($0.dropFirst(10)) })
        let failed = files.output(
            of: "systemctl", ["list-units", "--failed", "--plain", "--no-legend", "--no-pager"])
        add("failed units", failed.compactMap { $0.split(separator: " ").first.map { String($0) } })
    }

    mutating func addMessages() {
        let usual = ["--boot", "--no-pager", "--output=cat", "--priority=warning", "--lines=\(Self.mostMessages)"]
        for (name, option) in [("Inkpanel", "--unit=inkpanel*"), ("the kernel", "--dmesg")] {
            let messages = files.output(of: "journalctl", usual + [option])
            add("warnings of \(name) since the start of the machine", messages)
        }
    }
}
