// SPDX-License-Identifier: Apache-2.0

/// The interfaces of the service, and their descriptions.
package enum InterfaceText {
    package static let service = "org.varlink.service"
    package static let panel = "org.inkpanel.Panel"
    package static let all = [service, panel]

    /// nil for any other.
    package static func description(of interface: String) -> String? {
        switch interface {
        case service: String(decoding: PackageResources.org_varlink_service_varlink, as: UTF8.self)
        case panel: String(decoding: PackageResources.org_inkpanel_Panel_varlink, as: UTF8.self)
        default: nil
        }
    }
}

/// The methods of org.inkpanel.Panel.
public enum PanelMethod: String, CaseIterable, Sendable {
    case openDocument = "OpenDocument"
    case append = "Append"
    case closeDocument = "CloseDocument"
    case capture = "Capture"
    case cancel = "Cancel"
    case clear = "Clear"
    case accept = "Accept"
    case typeName = "TypeName"
    case list = "List"
    case get = "Get"
    case getDocument = "GetDocument"
    case delete = "Delete"
    case status = "Status"
    case health = "Health"
    case watch = "Watch"
    case events = "Events"
    case abilities = "Abilities"
    case mirror = "Mirror"
    case pair = "Pair"
    case identify = "Identify"
    case screenshot = "Screenshot"
    case simulate = "Simulate"
    case reload = "Reload"

    /// The full name.
    public var name: String { InterfaceText.panel + "." + rawValue }
}
