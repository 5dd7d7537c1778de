// SPDX-License-Identifier: Apache-2.0
public import Linux

/// Why a card or a connector is not used.
public enum PassedOver: Equatable, Sendable {
    // a card
    case refused(NodeRefusal)
    case cannotOpen(Errno)
    /// A GPU without display outputs, such as v3d on a Raspberry Pi.
    case onlyRenders
    case noDumbBuffers
    case noOutputs
    // a connector
    case disconnected
    /// Something is there but has not said what it can show.
    case noModes
    /// A headset, or another thing that is no desktop screen.
    case notDesktop
    case writeback
    case noCRTC
    /// No primary plane takes XRGB8888; what they take.
    case noPlane(formats: [String])
    case notRequested
    /// It could be used, but this one is the better choice.
    case outranked(by: String)
    // either
    case unreadable(call: String, Errno)
}

extension PassedOver: CustomStringConvertible {
    public var description: String {
        switch self {
        case .refused(let refusal): refusal.description
        case .cannotOpen(let error): "cannot open: \(error)"
        case .onlyRenders: "renders only, has no display outputs"
        case .noDumbBuffers: "the driver has no dumb buffers"
        case .noOutputs: "no connector or no CRTC"
        case .disconnected: "nothing connected"
        case .noModes: "connected, but reports no modes (yet)"
        case .notDesktop: "not a desktop screen (non-desktop is set)"
        case .writeback: "writes to memory, not to a screen"
        case .noCRTC: "no CRTC can drive it"
        case .noPlane(let formats):
            "no primary plane takes XRGB8888 (XR24)"
                + (formats.isEmpty ? "" : "; they take " + formats.joined(separator: ", "))
        case .notRequested: "not the one asked for"
        case .outranked(let other): "\(other) is preferred"
        case .unreadable(let call, let error): "\(call): \(error)"
        }
    }
}
