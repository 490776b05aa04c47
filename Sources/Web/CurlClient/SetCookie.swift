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

    /// - Returns: nil for a cookie without a name, which libcurl cannot keep.
    init?(_ field: String, now: Date = Date()) {
        let parts = field.split(separator: ";", omittingEmptySubsequences: false)
        let (name, value) = Self.pair(parts[0])
        guard let value, !name.isEmpty else { return nil }
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
    /// Corrects what libcurl makes of an answer's cookies. Cookies of a wider domain stay libcurl's, which knows the public
    /// suffixes.
    func mend(as headers: [HTTPHeader], of request: HTTPRequest, at now: Date = Date()) {
        let fields = headers.filter { $0.isNamed("set-cookie") }
        guard fields.contains(where: { Self.mayBeMisread($0.value) }) else { return }
        guard let place = RequestPlace(request.url) else { return }
        for field in fields {
            guard Self.mayBeMisread(field.value),
                let read = SetCookie(field.value, now: now),
                read.domain == nil || read.domain == place.host, request.isTLS || !read.isSecure,
                !read.name.hasPrefix("__")
            else { continue }
            let path = read.path ?? place.folder
            let old = cookies
            let kept = old.filter { cookie in
                cookie.name != read.name || cookie.domain != place.host
                    || cookie.path != path && !(read.hasQuotedPath && cookie.path != place.folder)
            }
            if kept.count != old.count {
                _ = countersign_curl_set_text(easy, CURLOPT_COOKIELIST, "ALL")
                put(kept)
            }
            guard (read.expires ?? .max) > Int(now.timeIntervalSince1970) else { continue }
            put([
                HTTPCookie(
                    name: read.name, value: read.value, domain: place.host, path: path, isSecure: read.isSecure,
                    isHTTPOnly: read.isHTTPOnly, expires: read.expires ?? 0)
            ])
        }
    }

    private static func mayBeMisread(_ field: String) -> Bool {
        field.contains(/(?i);\s*path\s*=\s*"/) || field.contains(/(?i);\s*expires\s*=[^;]*[ -]70\b/)
            // A `Max-Age` that is not a number is left out; for libcurl, it ends the cookie.
            || field.contains(/(?i);\s*max-age\s*=\s*(?:$|[^-0-9\s]|-?[0-9]*[^-0-9;\s])/)
    }
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
}
