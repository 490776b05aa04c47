import CLibCurl
import Encodings
import Foundation
import WebURL

/// A `Set-Cookie` field as browsers read it (RFC 6265bis, section 5.6).
struct SetCookie {
    let name: String
    let value: String
    private(set) var domain: String?
    /// Nil for the path of the request's directory: no `Path`, or one that does not begin with a slash.
    private(set) var path: String?
    /// True for a `Path` in quotes, which libcurl takes without them.
    private(set) var hasQuotedPath = false
    private(set) var isSecure = false
    private(set) var isHTTPOnly = false
    /// Seconds since 1970; nil for a session cookie.
    private(set) var expires: Int?

    /// The longest name and value together, as in browsers.
    private static let longest = 4096

    /// - Returns: nil for a cookie that browsers ignore, because it is too long or does not keep to its prefix, and for one without
    ///   a name, which libcurl cannot keep.
    init?(_ field: String, now: Date = Date()) {
        let parts = field.split(separator: ";", omittingEmptySubsequences: false)
        let (name, value) = Self.pair(parts[0])
        guard let value, !name.isEmpty, name.utf8.count + value.utf8.count <= Self.longest else { return nil }
        self.name = name
        self.value = value
        var age: Int?
        for part in parts.dropFirst() {
            let (key, value) = Self.pair(part)
            switch key.lowercased() {
            case "domain": domain = value.map { $0.trimmingPrefix(".").lowercased() }
            case "path":
                hasQuotedPath = value?.hasPrefix("\"") == true
                path = value?.hasPrefix("/") == true ? value : nil
            case "secure": isSecure = true
            case "httponly": isHTTPOnly = true
            case "expires": expires = value.flatMap(Self.time)
            case "max-age": age = value.flatMap { Int($0) }
            default: break
            }
        }
        if let age { expires = age <= 0 ? 1 : Int(now.timeIntervalSince1970) + min(age, 34_560_000) }
        guard keepsToPrefix else { return nil }
    }

    /// False for a name that promises what the cookie does not keep (section 5.7, steps 21 to 24).
    private var keepsToPrefix: Bool {
        let name = name.lowercased()
        if name.hasPrefix("__secure-") { return isSecure }
        return !name.hasPrefix("__host-") || isSecure && domain == nil && path == "/"
    }

    private static func pair(_ part: Substring) -> (String, String?) {
        let sides = part.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            .map { $0.trimmingCharacters(in: .whitespaces) }
        return (sides[0], sides.count > 1 ? sides[1] : nil)
    }

    /// Reads a date. A year of two digits is of the last century from 70 on (section 5.1.1); for libcurl, 70 is 2070.
    private static func time(_ text: String) -> Int? {
        if text.contains(/\d{1,2}[ -][A-Za-z]{3}[ -]70\b/) { return 1 }
        let time = curl_getdate(text, nil)
        return time < 0 ? nil : max(1, time)
    }
}

extension CookieJar {
    /// The number of cookies that libcurl takes from one answer. After them it takes no other into the handle's jar, not even
    /// by hand, until the handle's next exchange.
    private static let mostOfAnAnswer = 50

    /// True if an answer may have set so many cookies that libcurl takes no more.
    static func isFull(after headers: [HTTPHeader]) -> Bool {
        headers.lazy.filter { $0.isNamed("set-cookie") }.count >= mostOfAnAnswer
    }

    /// Corrects what libcurl makes of an answer's cookies. It alone knows the public suffixes, so a cookie of a wider domain
    /// counts where libcurl has taken another one of that domain.
    func mend(as headers: [HTTPHeader], of request: HTTPRequest, at now: Date = Date()) {
        let fields = headers.filter { $0.isNamed("set-cookie") }.map(\.value).enumerated().filter {
            $0.offset >= Self.mostOfAnAnswer || Self.mayBeMisread($0.element)
        }
        guard !fields.isEmpty, let place = RequestPlace(request.url) else { return }
        for (_, field) in fields {
            guard let read = SetCookie(field, now: now), request.isTLS || !read.isSecure else {
                continue
            }
            let old = cookies
            let isWide = old.contains { cookie in
                cookie.includesSubdomains && cookie.bareDomain == read.domain && place.isInside(cookie.bareDomain)
            }
            guard read.domain == nil || read.domain == place.host || isWide else { continue }
            let cookie = HTTPCookie(
                name: read.name, value: read.value, domain: isWide ? ".\(read.domain ?? "")" : place.host,
                includesSubdomains: isWide, path: read.path ?? place.folder, isSecure: read.isSecure,
                isHTTPOnly: read.isHTTPOnly, expires: read.expires ?? 0)
            let same = old.filter {
                $0.name == cookie.name && $0.bareDomain == cookie.bareDomain && $0.includesSubdomains == isWide
            }
            // A page without TLS changes no cookie of one with TLS.
            guard cookie.isWhole, request.isTLS || !same.contains(where: \.isSecure) else { continue }
            let replaced = same.filter {
                $0.path == cookie.path || read.hasQuotedPath && $0.path != place.folder
            }
            if !replaced.isEmpty { replaceAll(with: old.filter { !replaced.contains($0) }) }
            if (read.expires ?? .max) > Int(now.timeIntervalSince1970) { put([cookie]) }
        }
    }

    /// Returns whether libcurl may read a field otherwise than browsers. Each answer's fields are asked about, so their bytes are
    /// looked at only.
    private static func mayBeMisread(_ field: String) -> Bool {
        let parts = field.utf8.split(separator: UInt8(ascii: ";"), omittingEmptySubsequences: false)
        return parts.dropFirst().contains { part in
            guard let equals = part.firstIndex(of: UInt8(ascii: "=")) else { return false }
            let value = Array(part[part.index(after: equals)...].drop(while: isBlank))
            let name = part[..<equals].drop(while: isBlank).prefix { !isBlank($0) }
            if name.isNamed("path") { return value.first == UInt8(ascii: "\"") }
            if name.isNamed("expires") { return hasYear70(value) }
            // One that is not a number is left out; for libcurl, it ends the cookie.
            guard name.isNamed("max-age") else { return false }
            let digits = value.drop { $0 == UInt8(ascii: "-") }.prefix { !isBlank($0) }
            return digits.isEmpty || !digits.allSatisfy { (0x30...0x39).contains($0) }
        }
    }

    private static func isBlank(_ byte: UInt8) -> Bool { byte == 0x20 || (0x09...0x0D).contains(byte) }

    /// Returns whether a part of a date, behind a space or a hyphen, is the year 70.
    private static func hasYear70(_ date: [UInt8]) -> Bool {
        date.split { $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "-") }.dropFirst().contains { part in
            part.starts(with: "70".utf8) && part.dropFirst(2).first?.isOfWord != true
        }
    }
}

extension Substring.UTF8View {
    /// - Parameter name: in lower case.
    fileprivate func isNamed(_ name: StaticString) -> Bool {
        name.withUTF8Buffer { elementsEqual($0) { $0.asciiLowercased == $1 } }
    }
}

extension UInt8 {
    /// True for a letter or a digit of ASCII.
    fileprivate var isOfWord: Bool {
        (0x30...0x39).contains(self) || (0x41...0x5A).contains(self & 0xDF) && self < 0x80
    }
}

extension HTTPCookie {
    /// The domain without the dot by which libcurl marks one with its subdomains.
    fileprivate var bareDomain: String { String(domain.trimmingPrefix(".")) }
}

/// The host and the folder of a request, for its cookies.
private struct RequestPlace {
    let host: String
    /// The default path (RFC 6265bis, section 5.1.4).
    let folder: String

    init?(_ url: String) {
        guard let url = try? URLRecord(parsing: url), let host = url.host?.description, !host.isEmpty else {
            return nil
        }
        self.host = host
        let path = url.path
        let end = path.lastIndex(of: "/") ?? path.startIndex
        folder = end == path.startIndex ? "/" : String(path[..<end])
    }

    func isInside(_ domain: String) -> Bool { host == domain || host.hasSuffix(".\(domain)") }
}
