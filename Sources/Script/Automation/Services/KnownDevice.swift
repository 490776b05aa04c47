import Encodings
import Foundation
import Secrets
import WebURL

/// The cookies by which one bank knows this device, with the origins that the script had when the bank set them.
public struct KnownDevice: Sendable {
    /// The longest life of a cookie: 400 days (RFC 6265bis, section 5.5).
    private static let longestLife: TimeInterval = 400 * 86_400

    public let origins: [String]
    public let cookies: [DeviceCookie]

    /// - Parameters:
    ///   - cookies: those of the visit. One of the session, or for a host where the script does not go, is left out.
    ///   - origins: the script's origins.
    /// - Returns: nil where none is left.
    public init?(_ cookies: [DeviceCookie], origins: [String], at now: Date) {
        let kept = cookies.compactMap { cookie -> DeviceCookie? in
            guard let end = cookie.expiresAt, end > now, !origins.filter(cookie.reaches).isEmpty else { return nil }
            var cookie = cookie
            cookie.expiresAt = min(end, now.addingTimeInterval(Self.longestLife))
            return cookie
        }
        guard !kept.isEmpty else { return nil }
        self.cookies = kept
        self.origins = origins
    }

    /// Returns the cookies that a script may take to the bank: those that it names, that have not ended, and that reach no
    /// origin which was not the script's when they were set.
    public func cookies(named names: [String], to origins: [String], at now: Date) -> [DeviceCookie] {
        let known = Set(self.origins)
        return cookies.filter { cookie in
            let reached = origins.filter(cookie.reaches)
            return names.contains(cookie.name) && (cookie.expiresAt ?? .distantPast) > now && !reached.isEmpty
                && reached.allSatisfy(known.contains)
        }
    }

    /// Returns whether another device would be the same to the bank.
    func isSame(as other: KnownDevice?) -> Bool {
        guard let other else { return false }
        let (mine, theirs) = (sealed, other.sealed)
        defer {
            mine.wipe()
            theirs.wipe()
        }
        return mine.isEqual(to: theirs)
    }

    // MARK: In the vault

    /// Reads what ``sealed`` made; nil for another text.
    public init?(_ kept: Secret) {
        guard let members = (try? JSONReader.read(kept.revealed()))?.objectValue,
            let origins = members["origins"]?.arrayValue, let cookies = members["cookies"]?.arrayValue
        else { return nil }
        self.origins = origins.compactMap(\.stringValue)
        self.cookies = cookies.compactMap(DeviceCookie.init)
        guard self.cookies.count == cookies.count, !cookies.isEmpty else { return nil }
    }

    /// The device as one text for the vault.
    public var sealed: Secret {
        let members: JSONValue = [
            "origins": .array(origins.map(JSONValue.string)),
            "cookies": .array(
                cookies.sorted { ($0.name, $0.domain, $0.path) < ($1.name, $1.domain, $1.path) }.map(\.json)),
        ]
        return Secret(members.compactText())
    }
}

extension DeviceCookie {
    /// Returns whether the cookie is sent to an origin (RFC 6265, section 5.1.3). Ports make no difference to cookies.
    fileprivate func reaches(_ origin: String) -> Bool {
        guard let host = (try? URLRecord(parsing: origin))?.host?.description else { return false }
        let domain = domain.lowercased()
        return host == domain || includesSubdomains && host.hasSuffix("." + domain)
    }

    fileprivate var json: JSONValue {
        .object(
            [
                "name": .string(name), "value": .string(value.revealed()), "domain": .string(domain),
                "subdomains": .bool(includesSubdomains), "path": .string(path), "secure": .bool(isSecure),
                "http_only": .bool(isHTTPOnly), "same_site": sameSite.map(JSONValue.string),
                "expires": expiresAt.map { .number($0.timeIntervalSince1970.rounded(.down)) },
            ].compactMapValues(\.self))
    }

    fileprivate init?(_ json: JSONValue) {
        guard let name = json["name"]?.stringValue, let value = json["value"]?.stringValue,
            let domain = json["domain"]?.stringValue, let path = json["path"]?.stringValue
        else { return nil }
        self.init(
            name: name, value: Secret(value), domain: domain, includesSubdomains: json["subdomains"] == true,
            path: path, isSecure: json["secure"] == true, isHTTPOnly: json["http_only"] == true,
            sameSite: json["same_site"]?.stringValue,
            expiresAt: json["expires"]?.numberValue.map { Date(timeIntervalSince1970: $0) })
    }
}
