// SPDX-License-Identifier: Apache-2.0
import Evidence
import FlyingFox
import Foundation
package import HTTP

/// A file of the gateway's pages, which the program contains.
struct WebFile {
    let path: String
    let type: String
    let bytes: [UInt8]

    private static let script = "text/javascript; charset=utf-8"

    /// The description of the calls of hosts.
    static let description = WebFile(
        path: "/v1/openapi.json", type: "application/json", bytes: PackageResources.openapi_json)

    /// The files of every gateway, which integrators load into their own pages.
    static let always = [
        WebFile(path: "/icon.svg", type: "image/svg+xml", bytes: PackageResources.icon_svg),
        description,
        WebFile(path: "/inkpanel.js", type: script, bytes: PackageResources.inkpanel_js),
        WebFile(path: "/inkpanel.py", type: "text/x-python; charset=utf-8", bytes: PackageResources.inkpanel_py),
        WebFile(path: "/mirror", type: "text/html; charset=utf-8", bytes: PackageResources.mirror_html),
        WebFile(path: "/failures.js", type: script, bytes: PackageResources.failures_js),
        WebFile(path: "/mirror.js", type: script, bytes: PackageResources.mirror_js),
        WebFile(path: "/mirror.css", type: "text/css; charset=utf-8", bytes: PackageResources.mirror_css),
        WebFile(path: "/sigweb-compat.js", type: script, bytes: PackageResources.sigweb_compat_js),
        WebFile(path: "/sigcaptx-compat.js", type: script, bytes: PackageResources.sigcaptx_compat_js),
        WebFile(path: "/inkpanel-extension.js", type: script, bytes: PackageResources.inkpanel_extension_js),
    ]

    /// The page of a virtual panel.
    static let virtual = [
        WebFile(path: "/", type: "text/html; charset=utf-8", bytes: PackageResources.index_html),
        WebFile(path: "/style.css", type: "text/css; charset=utf-8", bytes: PackageResources.style_css),
        WebFile(path: "/page.js", type: script, bytes: PackageResources.page_js),
        WebFile(path: "/form.js", type: script, bytes: PackageResources.form_js),
        WebFile(path: "/settings.js", type: script, bytes: PackageResources.settings_js),
        WebFile(path: "/pad.js", type: script, bytes: PackageResources.pad_js),
        WebFile(path: "/pointers.js", type: script, bytes: PackageResources.pointers_js),
        WebFile(path: "/controls.js", type: script, bytes: PackageResources.controls_js),
        WebFile(path: "/meter.js", type: script, bytes: PackageResources.meter_js),
        WebFile(path: "/snippets.js", type: script, bytes: PackageResources.snippets_js),
        WebFile(path: "/texts.js", type: script, bytes: PackageResources.texts_js),
    ]
}

extension Route {
    /// Pages may load only what this server has, and nobody may frame them.
    private static let policy =
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' blob:; connect-src 'self'; "
        + "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

    package static func webFiles(isVirtual: Bool) -> [Route] {
        (WebFile.always + (isVirtual ? WebFile.virtual : [])).map { file in
            let tag = "\"\(SHA256Digest(of: file.bytes).description.prefix(32))\""
            return Route(open: "GET", file.path) { call in
                var response =
                    call.hasVersion(tag)
                    ? HTTPResponse.notModified(tag) : HTTPResponse(statusCode: .ok, body: Data(file.bytes))
                response.headers[.eTag] = tag
                response.headers[.contentType] = file.type
                response.headers[.cacheControl] = "no-cache"
                response.headers[HTTPHeader("Content-Security-Policy")] = policy
                // Time stamps of events are finer in isolated pages.
                response.headers[HTTPHeader("Cross-Origin-Opener-Policy")] = "same-origin"
                response.headers[HTTPHeader("Cross-Origin-Embedder-Policy")] = "require-corp"
                return response
            }
        }
    }
}
