// SPDX-License-Identifier: Apache-2.0

/// Leaves out of messages what belongs to people or identifies a machine: names of hosts and networks, texts in quotes,
/// addresses, serial numbers, identifiers and tokens. It rather leaves out too much.
struct PrivateParts {
    /// The machine's own name.
    var hostName = ""

    static let mark = "…"
    private static let quotes: [Character: Character] = ["\"": "\"", "“": "”", "„": "“", "‘": "’", "«": "»", "`": "`"]
    private static let separators: Set<Character> = [
        " ", "\t", ",", ";", "=", "(", ")", "[", "]", "<", ">", "{", "}", "'",
    ]
    /// Digits of a number that identifies something, such as a serial number or a digest.
    private static let identifyingDigits = 12

    /// A line without them.
    func removed(from line: String) -> String {
        var result = ""
        var word = ""
        var wasSerial = false
        var quote: Character?
        func take() {
            if word.isEmpty { return }
            let isHidden = wasSerial || isPrivate(word)
            result += isHidden ? Self.mark : word
            let plain = word.lowercased()
            wasSerial = ["serial", "serialnumber:", "serial:", "sn:", "uniq", "uniq:", "hostname", "ssid"].contains(
                plain)
            word = ""
        }
        for character in line {
            if let end = quote {
                if character == end {
                    result += Self.mark + String(character)
                    quote = nil
                }
                continue
            }
            if Self.separators.contains(character) {
                take()
                result.append(character)
            } else if let end = Self.quotes[character] {
                take()
                quote = end
                result.append(character)
            } else {
                word.append(character)
            }
        }
        // A quote without an end hides the rest.
        if quote != nil { return result + Self.mark }
        take()
        return result
    }

    private func isPrivate(_ word: String) -> Bool {
        let plain = word.trimmed(of: [":", ".", "/"])
        if !hostName.isEmpty, plain.lowercased() == hostName.lowercased() { return true }
        if word.contains("://") { return true }
        // A mode has a number there: 800x480@60.
        if let at = word.firstIndex(of: "@"), word[word.index(after: at)...].first?.isLetter == true { return true }
        if ["ipt_", "age1", "AGE-", "SHA256:"].contains(where: { plain.hasPrefix($0) }) { return true }
        if plain.hasPrefix("/home/") || plain.hasPrefix("/media/") || plain.hasPrefix("/mnt/") { return true }
        return isAddress(String(plain)) || isDomain(plain) || hasIdentifier(String(plain))
    }

    /// The last parts of names that are no domains: of units, files and devices.
    private static let endings: Set<Substring> = [
        "age", "conf", "dsi", "gpio", "gpu", "hdmi", "i2c", "jsonl", "key", "ko", "mmc", "mount", "path", "pcie", "pdf",
        "pem", "pwm", "serial", "service", "slice", "so", "sock", "socket", "spi", "target", "timer", "toml", "usb",
    ]

    /// Names of other machines, with or without a port: `mqtt.example.org:8883`.
    private func isDomain(_ word: Substring) -> Bool {
        let labels = (word.split(separator: ":").first ?? "").split(separator: ".", omittingEmptySubsequences: false)
        guard labels.count >= 2, let last = labels.last, last.count >= 2, last.allSatisfy(\.isLetter),
            !Self.endings.contains(last)
        else { return false }
        // A device of the device tree begins with its address: fe804000.i2c.
        let isDevice = labels[0].count >= 6 && labels[0].allSatisfy(\.isHexDigit)
        return !isDevice
            && labels.allSatisfy { !$0.isEmpty && $0.allSatisfy { $0.isLetter || $0.isNumber || $0 == "-" } }
    }

    /// IPv4 with or without a port, IPv6, and MAC addresses.
    private func isAddress(_ word: String) -> Bool {
        let host = word.split(separator: ":", omittingEmptySubsequences: false)
        let parts = (host.first ?? "").split(separator: ".", omittingEmptySubsequences: false)
        if parts.count == 4, host.count <= 2, parts.allSatisfy({ Int($0).map { 0...255 ~= $0 } ?? false }) {
            return true
        }
        let isHexadecimal = host.allSatisfy { $0.count <= 4 && $0.allSatisfy(\.isHexDigit) }
        // Addresses of PCI and USB devices have a dot or other groups: 0000:01:00.0.
        return host.count >= 4 && isHexadecimal || word.contains("::") && isHexadecimal && host.count > 2
    }

    /// Enough digits one after the other, hyphens between them left out: capture ids, UUIDs, digests, serial numbers.
    private func hasIdentifier(_ word: String) -> Bool {
        if word.hasPrefix("0x") { return false }
        var count = 0
        var hasDigit = false
        for character in word {
            if character.isHexDigit {
                count += 1
                hasDigit = hasDigit || character.isNumber
            } else if character != "-" {
                (count, hasDigit) = (0, false)
            }
            if count >= Self.identifyingDigits, hasDigit { return true }
        }
        return false
    }
}

extension String {
    fileprivate func trimmed(of characters: Set<Character>) -> Substring {
        var rest = self[...]
        while let last = rest.last, characters.contains(last) { rest = rest.dropLast() }
        return rest
    }
}
