// SPDX-License-Identifier: Apache-2.0
import Geometry
import Linux

/// The framebuffer devices that have a node now.
public enum FramebufferList {
    /// The paths of all `fb*` in `directory`, by number.
    public static func paths(in directory: String = "/dev") -> [String] {
        let names = (try? Directory.names(of: directory)) ?? []
        let numbers = names.filter { $0.hasPrefix("fb") }.compactMap { UInt32($0.dropFirst(2)) }
        return numbers.sorted().map { "\(directory)/fb\($0)" }
    }

    /// A line for each, for people: what it is, or why it cannot be drawn on.
    public static func descriptions() -> [String] {
        descriptions(of: paths()) { path throws(Errno) in try Framebuffer(path: path) }
    }

    static func descriptions(
        of paths: [String], open: (String) throws(Errno) -> any FramebufferDevice
    ) -> [String] {
        paths.map { path in
            do throws(Errno) {
                return description(of: try open(path))
            } catch {
                return ScreenError.cannotOpen(card: path, error).description
            }
        }
    }

    private static func description(of device: any FramebufferDevice) -> String {
        do throws(ScreenError) {
            let (info, format) = try FramebufferDisplay.look(at: device)
            let size = info.millimetres.map { ", \($0) mm" } ?? ""
            return "\(device.path) (\(info.name)): \(info.size) \(format)\(size)\(info.canPan ? ", panning" : "")"
                + (info.isEmulated ? ", a graphics card's: kms is better" : "")
        } catch {
            return error.description
        }
    }
}
