// SPDX-License-Identifier: Apache-2.0

/// The interfaces of the service and their descriptions, which are files beside this folder.
enum InterfaceText {
    static let service = "org.varlink.service"
    static let panel = "org.inkpanel.Panel"
    static let all = [service, panel]

    /// Nil for any other.
    static func description(of interface: String) -> String? {
        switch interface {
        case service: String(decoding: PackageResources.org_varlink_service_varlink, as: UTF8.self)
        case panel: String(decoding: PackageResources.org_inkpanel_Panel_varlink, as: UTF8.self)
        default: nil
        }
    }
}
