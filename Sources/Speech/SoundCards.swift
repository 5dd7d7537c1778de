// SPDX-License-Identifier: Apache-2.0
import Glibc
import Linux

/// Finds USB sound cards among those of the kernel: the links in `/sys/class/sound` say where they are connected.
struct SoundCards: Sendable {
    var folder = "/sys/class/sound"
    /// The folder in which udev makes the cards' nodes.
    var nodes = "/dev/snd"

    /// A USB card that plays sound.
    struct Card {
        /// Headphones or a headset hang on it, as its descriptors say (USB Device Class Definition for Terminal Types
        /// 1.0, 2.3 and 2.4), rather than a loudspeaker.
        var isHeadset: Bool
    }

    /// The device of ALSA of the newest card that is wanted; nil without one that this process may use.
    func output(_ isWanted: (Card) -> Bool) -> String? {
        // pcmC1D0p: card 1, device 0, playback.
        let outputs = ((try? Directory.names(of: folder)) ?? []).compactMap { name -> (card: Int, device: Int)? in
            guard name.hasPrefix("pcmC"), name.hasSuffix("p") else { return nil }
            let numbers = name.dropFirst(4).dropLast().split(separator: "D").compactMap { Int($0) }
            return numbers.count == 2 ? (numbers[0], numbers[1]) : nil
        }
        for (card, device) in outputs.sorted(by: { ($1.card, $0.device) < ($0.card, $1.device) }) {
            guard let path = Directory.realPath("\(folder)/card\(card)") else { continue }
            // The card hangs on an interface of a USB device: .../usb1/1-1/1-1:1.0/sound/card1.
            let parts = path.split(separator: "/")
            guard parts.count > 3, parts.contains(where: { $0.hasPrefix("usb") }) else { continue }
            let usb = "/" + parts.dropLast(3).joined(separator: "/")
            let descriptors = (try? InputFile.read(usb + "/descriptors", maximumByteCount: 1 << 16)) ?? []
            if !isWanted(Card(isHeadset: Self.hasHeadset(descriptors))) { continue }
            // Before udev has set the group, nothing can be played.
            let needed = ["controlC\(card)", "pcmC\(card)D\(device)p"]
            if needed.allSatisfy({ access("\(nodes)/\($0)", R_OK | W_OK) == 0 }) { return "plughw:\(card),\(device)" }
        }
        return nil
    }

    /// - Parameter descriptors: of a USB device, with those of its interfaces: each begins with its length and type.
    static func hasHeadset(_ descriptors: [UInt8]) -> Bool {
        var (index, isControl) = (0, false)
        while index + 2 <= descriptors.count {
            let length = Int(descriptors[index])
            guard length >= 2, index + length <= descriptors.count else { return false }
            let descriptor = descriptors[index..<index + length]
            switch descriptors[index + 1] {
            // An interface: of audio (1), for control (1).
            case 4 where length >= 9: isControl = descriptors[index + 5] == 1 && descriptors[index + 6] == 1
            // A descriptor of audio: an output terminal (3), with its type in two bytes.
            case 0x24 where isControl && length >= 9 && descriptors[index + 2] == 3:
                let type = Int(descriptor[index + 4]) | Int(descriptor[index + 5]) << 8
                if [0x0302, 0x0303, 0x0401, 0x0402].contains(type) { return true }
            default: break
            }
            index += length
        }
        return false
    }
}
