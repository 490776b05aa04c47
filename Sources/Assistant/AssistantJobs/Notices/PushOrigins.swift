import AssistantProcesses
import Foundation

/// The origins at which browsers' push services may be. The assistant sends to no other, so that no user can make it send
/// anywhere.
package struct PushOrigins: Sendable, Hashable {
    /// The push services of Chrome, Firefox, Safari and Edge.
    package static let known = PushOrigins([
        "https://fcm.googleapis.com", "https://updates.push.services.mozilla.com", "https://*.push.apple.com",
        "https://*.notify.windows.com",
    ])

    private let origins: Set<String>

    private init(_ origins: [String]) { self.origins = Set(origins) }

    /// Reads `WEBPUSH_ORIGINS`: origins, with commas between them. `https://*.example.com` means each host under that name.
    package init(_ reader: inout SettingsReader) {
        guard let text = reader.value("WEBPUSH_ORIGINS") else {
            self = .known
            return
        }
        var origins: [String] = []
        for item in text.split(separator: ",") {
            let item = item.trimmingCharacters(in: .whitespaces)
            if let origin = Self.origin(item) {
                origins.append(origin)
            } else {
                reader.add(
                    "WEBPUSH_ORIGINS has “\(item)”; each must be an origin such as https://push.example.com, or http:// and "
                        + "a loopback host")
            }
        }
        self.init(origins)
    }

    private static func origin(_ text: String) -> String? {
        let plain = text.replacing("://*.", with: "://", maxReplacements: 1)
        guard SettingsReader.isSafe(plain), let url = URL(string: plain), let scheme = url.scheme,
            let host = url.host(),
            host.wholeMatch(of: /[A-Za-z0-9.:-]+/) != nil, ["", "/"].contains(url.path()), url.query() == nil,
            url.fragment() == nil, url.user() == nil
        else { return nil }
        let port = url.port.flatMap { $0 == (scheme == "https" ? 443 : 80) ? nil : ":\($0)" } ?? ""
        return "\(scheme)://\(plain == text ? "" : "*.")\(host.lowercased())\(port)"
    }

    /// - Parameter origin: scheme, host in small letters, and port unless it is the scheme's own.
    package func allows(_ origin: String) -> Bool {
        if origins.contains(origin) { return true }
        guard let scheme = origin.range(of: "://") else { return false }
        var host = origin[scheme.upperBound...]
        while let dot = host.firstIndex(of: ".") {
            host = host[host.index(after: dot)...]
            if origins.contains("\(origin[..<scheme.upperBound])*.\(host)") { return true }
        }
        return false
    }
}
