import Automation
import Encodings
import Foundation
import Secrets

// The cookies by which the bank knows this device. The profile is a new one at each visit, so they come in and go out by
// commands (WebDriver BiDi, section 7.8).

extension BrowserNavigationEngine {
    public func deviceCookies(named names: [String]) async throws -> [DeviceCookie] {
        try await engine {
            let answer = try await connection.call("storage.getCookies", ["partition": partition])
            return (answer["cookies"]?.arrayValue ?? []).compactMap(DeviceCookie.init(browser:))
                .filter { names.contains($0.name) }
        }
    }

    public func put(_ cookies: [DeviceCookie]) async throws {
        try await engine {
            for cookie in cookies {
                _ = try await connection.call("storage.setCookie", ["cookie": cookie.browser, "partition": partition])
            }
        }
    }

    private var partition: JSONValue { ["type": "context", "context": .string(context)] }
}

extension DeviceCookie {
    /// Reads `network.Cookie`; nil for one whose value is not text.
    fileprivate init?(browser json: JSONValue) {
        guard let name = json["name"]?.stringValue, let domain = json["domain"]?.stringValue,
            json["value"]?["type"]?.stringValue == "string", let value = json["value"]?["value"]?.stringValue
        else { return nil }
        self.init(
            name: name, value: Secret(value), domain: String(domain.trimmingPrefix(".")),
            includesSubdomains: domain.hasPrefix("."), path: json["path"]?.stringValue ?? "/",
            isSecure: json["secure"] == true, isHTTPOnly: json["httpOnly"] == true,
            sameSite: json["sameSite"]?.stringValue,
            expiresAt: json["expiry"]?.numberValue.map { Date(timeIntervalSince1970: $0) })
    }

    /// The cookie as `storage.PartialCookie`.
    fileprivate var browser: JSONValue {
        var members: [String: JSONValue] = [
            "name": .string(name), "value": ["type": "string", "value": .string(value.revealed())],
            "domain": .string(includesSubdomains ? "." + domain : domain), "path": .string(path),
            "secure": .bool(isSecure), "httpOnly": .bool(isHTTPOnly),
        ]
        if let sameSite, ["strict", "lax", "none"].contains(sameSite) { members["sameSite"] = .string(sameSite) }
        if let expiresAt { members["expiry"] = .number(expiresAt.timeIntervalSince1970.rounded(.down)) }
        return .object(members)
    }
}
