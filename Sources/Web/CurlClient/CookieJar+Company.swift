import CLibCurl
import Foundation

// The cookies of exchanges that run side by side. Each has a jar of its own, for libcurl has one jar a handle.

extension CookieJar {
    func replaceAll(with cookies: [HTTPCookie]) {
        clear()
        put(cookies)
    }

    /// Takes over what another jar has become, in which an exchange ran: cookies that its answer set, and removals.
    ///
    /// A cookie that the answer did not touch stays as it is here, because another answer may have changed it meanwhile.
    ///
    /// - Parameters:
    ///   - others: the cookies of the other jar.
    ///   - given: the cookies that it began with.
    ///   - headers: the answer's headers.
    func take(_ others: [HTTPCookie], since given: [HTTPCookie], setBy headers: [HTTPHeader]) {
        let touched = Set(
            headers.filter { $0.isNamed("set-cookie") }.map { header in
                String(header.value.prefix { $0 != ";" && $0 != "=" }.trimmingPrefix(while: \.isWhitespace))
                    .trimmingCharacters(in: .whitespaces)
            })
        let before = Set(given)
        let now = Int(Date().timeIntervalSince1970)
        // libcurl may still list a cookie that the answer has ended.
        let others = others.filter { $0.expires == 0 || $0.expires > now }
        let changed = others.filter { !before.contains($0) || touched.contains($0.name) }
        let places = Set(others.map(\.place))
        let removed = Set(given.filter { touched.contains($0.name) && !places.contains($0.place) }.map(\.place))
        guard !removed.isEmpty else { return put(changed) }
        let kept = cookies.filter { !removed.contains($0.place) }
        clear()
        put(kept + changed)
    }

    private func clear() { _ = countersign_curl_set_text(easy, CURLOPT_COOKIELIST, "ALL") }
}

extension HTTPCookie {
    /// The parts that identify a cookie (RFC 6265, section 5.3, step 11).
    fileprivate var place: [String] { [domain, path, name] }
}
