// SPDX-License-Identifier: Apache-2.0
import Testing

@testable import Linux

@Suite("The machine")
struct MachineTests {
    private func read(_ path: String) -> String? {
        guard let bytes = try? InputFile.read(path, maximumByteCount: 4096) else { return nil }
        return String(decoding: bytes.filter { $0 > 0x20 }, as: UTF8.self)
    }

    @Test("the kernel is named as in /proc, with the processor")
    func kernel() throws {
        let parts = try #require(Machine.kernel).split(separator: " ")
        #expect(parts.count == 2)
        #expect(read("/proc/sys/kernel/osrelease") == String(parts[0]))
        #if arch(x86_64)
            #expect(parts[1] == "x86_64")
        #elseif arch(arm64)
            #expect(parts[1] == "aarch64")
        #endif
    }

    @Test("the boot has the kernel's id, without hyphens")
    func boot() throws {
        let id = try #require(read("/proc/sys/kernel/random/boot_id"))
        #expect(Machine.bootID == id.filter { $0 != "-" })
    }

    @Test("where the kernel's is hidden, only 32 digits count as the boot's id")
    func given() {
        let id = "00112233445566778899aabbccddeeff"
        #expect(Machine.identifier(id) == id)
        let hyphens = "00112233-4455-6677-8899-aabbccddeeff"
        for text in ["", "%b", hyphens, id + "0", String(id.dropLast()), id.uppercased(), "é" + id.dropFirst(2)] {
            #expect(Machine.identifier(text) == nil, "\(text)")
        }
    }

    @Test("the machine has an id unlike that in /etc/machine-id; without that it has none")
    func id() {
        // uninitialized during the first boot.
        let secret = read("/etc/machine-id").flatMap { $0.count == 32 ? $0 : nil }
        #expect((Machine.id == nil) == (secret == nil))
        guard let id = Machine.id, let secret else { return }
        #expect(id != secret && id == Machine.id)
        #expect(Machine.identifier(id) == id)
    }
}
