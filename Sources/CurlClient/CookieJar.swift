import CLibCurl

/// libcurl's in-memory cookie engine, and two corrections to it.
struct CookieJar {
    private let easy: UnsafeMutableRawPointer

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

    /// Takes the `Secure` cookies out of the jar for the time of an exchange over plain HTTP.
    ///
    /// libcurl (7.79 and later) sends them to loopback hosts without TLS; RFC 6265bis, section 5.8.3, leaves that to
    /// the user agent, and here a `Secure` cookie stays secure.
    func takeSecure() -> [HTTPCookie] {
        let all = cookies
        let secure = all.filter(\.isSecure)
        guard !secure.isEmpty else { return [] }
        _ = countersign_curl_set_text(easy, CURLOPT_COOKIELIST, "ALL")
        put(all.filter { !$0.isSecure })
        return secure
    }

    /// Marks cookies that were set as `Secure=something`: RFC 6265, section 5.2.5, has the attribute count whatever
    /// its value, libcurl (7.88) only without one.
    func markSecure(as headers: [HTTPHeader]) {
        for header in headers where header.isNamed("set-cookie") {
            let parts = header.value.utf8.split(separator: UInt8(ascii: ";"), omittingEmptySubsequences: false)
                .map(Substring.init)
            let valued = parts.dropFirst().compactMap { part in
                part.utf8.firstIndex(of: UInt8(ascii: "=")).map { part[..<$0] }
            }
            guard valued.contains(where: { $0.filter { !$0.isWhitespace }.lowercased() == "secure" }),
                let pair = parts.first
            else { continue }
            let name = pair.prefix { $0 != "=" }.trimmingPrefix(while: \.isWhitespace)
            for var cookie in cookies where cookie.name == name && !cookie.isSecure {
                cookie.isSecure = true
                put([cookie])
            }
        }
    }
}
