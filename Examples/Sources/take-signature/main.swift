// SPDX-License-Identifier: Apache-2.0
import Foundation
import HostAPI

// swift run take-signature [SOCKET [PICTURE.png]]
let arguments = CommandLine.arguments
var panel = try PanelClient(path: arguments.count > 1 ? arguments[1] : PanelClient.defaultPath)
let request = CaptureRequest(
    prompt: ["Delivery 4711 received"], rows: [.init(label: "Parcels", value: "3")], signer: "Anna Müller")
let capture = try panel.capture(CaptureCall(request: request)) { print($0.state.name) }
guard capture.outcome == .accepted else {
    print("not signed")
    exit(1)
}
let picture = try panel.file(GetCall(capture.id, .png))
try Data(picture).write(to: URL(fileURLWithPath: arguments.count > 2 ? arguments[2] : "signature.png"))
print("signed: \(capture.id)")
