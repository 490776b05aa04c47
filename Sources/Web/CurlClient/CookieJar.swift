import CLibCurl
import Encodings

/// libcurl's in-memory cookie engine, with two corrections.
struct CookieJar {
    let easy: UnsafeMutableRawPointer

    init(_ easy: UnsafeMutableRawPointer) {
        self.easy = easy
    }

    var cookies: [HTTPCookie] {
        var list: UnsafeMutablePointer<curl_slist>?
        guard countersign_curl_get_list(easy, CURLINFO_COOKIELIST, &list) == CURLE_OK else { return [] }
        defer { curl_slist_free_all(list) }
        var cookies: [HTTPCookie] = []
        var node = list
        while let current = node {
            if let cookie = HTTPCookie(netscape: String(cString: current.pointee.data)) { cookies.append(cookie) }
            node = current.pointee.next
        }
        return cookies
    }

    func put(_ cookies: [HTTPCookie]) {
        for cookie in cookies { _ = countersign_curl_set_text(easy, CURLOPT_COOKIELIST, cookie.netscape) }
    }

    /// Takes the `Secure` cookies out of the jar during an exchange over plain HTTP.
    ///
    /// libcurl (7.79 and later) sends them to loopback hosts without TLS. RFC 6265bis, section 5.8.3, leaves that to
    /// the user agent; this one keeps them to TLS.
    func takeSecure() -> [HTTPCookie] {
        let all = cookies
        let secure = all.filter(\.isSecure)
        guard !secure.isEmpty else { return [] }
        _ = countersign_curl_set_text(easy, CURLOPT_COOKIELIST, "ALL")
        put(all.filter { !$0.isSecure })
        return secure
    }

    /// Marks cookies that were set as `Secure=something`. The attribute counts whatever its value (RFC 6265, section
    /// 5.2.5); libcurl 7.88 recognises it only without a value.
    func markSecure(as headers: [HTTPHeader]) {
        for header in headers where header.isNamed("set-cookie") && Self.givesSecureValue(header.value) {
            let name = header.value.prefix { $0 != ";" && $0 != "=" }.trimmingPrefix(while: \.isWhitespace)
            for var cookie in cookies where cookie.name == name && !cookie.isSecure {
                cookie.isSecure = true
                put([cookie])
            }
        }
    }

    /// - Parameter cookie: the value of a `Set-Cookie` field.
    private static func givesSecureValue(_ cookie: String) -> Bool {
        cookie.withBytes { bytes in
            var place = 0
            while let semicolon = bytes[place...].firstIndex(of: UInt8(ascii: ";")) {
                let name = bytes[(semicolon + 1)...].prefix { $0 != UInt8(ascii: ";") && $0 != UInt8(ascii: "=") }
                place = name.endIndex
                if place < bytes.count, bytes[place] == UInt8(ascii: "="),
                    name.lazy.filter({ $0 > 0x20 }).map(\.lowered).elementsEqual("secure".utf8)
                {
                    return true
                }
            }
            return false
        }
    }
}
