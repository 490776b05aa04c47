import CLibCurl

/// A session's exchanges on libcurl, one after the other, except those that may run side by side. Only the session's thread
/// uses it.
final class SessionExchanges {
    private enum End {
        case result(CURLcode)
        case cancelled
    }

    /// An exchange under way, and the handle that it alone uses.
    private struct Running {
        let transfer: Transfer
        let easy: UnsafeMutableRawPointer
        /// The cookies that a handle beside the session's own was given; nil on the session's own.
        let given: [HTTPCookie]?
    }

    /// The longest single wait for libcurl, in milliseconds: this class checks its own limits in between.
    private static let longestWait: Int32 = 250

    private let configuration: CurlConfiguration
    private let authorities: TrustedAuthorities?
    /// Outlives the connections, which belong to the multi handle.
    private let pins: CertificatePins?
    private let multi: UnsafeMutableRawPointer
    /// The session's own handle, with the session's cookies. An exchange uses it unless another one does.
    private var easy: UnsafeMutableRawPointer
    /// Handles for exchanges that run side by side, while none uses them.
    private var spare: [UnsafeMutableRawPointer] = []
    private var waiting: [Transfer] = []
    private var running: [Running] = []
    /// Cookies that the exchanges under way must not send.
    private var hidden: [HTTPCookie] = []

    init(_ configuration: CurlConfiguration, _ pins: CertificatePins?, _ multi: UnsafeMutableRawPointer) {
        self.configuration = configuration
        self.pins = pins
        self.multi = multi
        authorities = TrustedAuthorities(adding: configuration.extraCAFile)
        easy = Self.handle(configuration, authorities)
    }

    var cookies: [HTTPCookie] { CookieJar(easy).cookies }

    func put(_ cookies: [HTTPCookie]) { CookieJar(easy).put(cookies) }

    func add(_ transfer: Transfer) { waiting.append(transfer) }

    /// Continues as far as possible without waiting.
    func advance() {
        repeat {
            while let next = waiting.first, mayBegin(next) {
                waiting.removeFirst()
                begin(next)
            }
        } while !running.isEmpty && endSome()
    }

    /// Waits until libcurl can continue, or until another thread wakes it.
    func wait() {
        curl_multi_poll(multi, nil, 0, running.isEmpty ? .max : Self.longestWait, nil)
    }

    /// Ends every exchange.
    func end() {
        for exchange in running { finish(exchange, .cancelled) }
        for transfer in waiting { transfer.finish(CurlError(.closed, "the session is closed")) }
        waiting = []
        for easy in spare { curl_easy_cleanup(easy) }
        curl_easy_cleanup(easy)
    }

    // MARK: Beginning

    /// Returns whether an exchange may begin now: alone, or beside others if all of them may have company.
    private func mayBegin(_ transfer: Transfer) -> Bool {
        guard !running.isEmpty else { return true }
        // The certificate that was refused is known for one handshake at a time.
        guard pins == nil, transfer.mayHaveCompany else { return false }
        // Over plain HTTP, secure cookies are hidden. A session without cookies has nothing to hide.
        return running.allSatisfy {
            $0.transfer.mayHaveCompany
                && (!configuration.keepsCookies || $0.transfer.request.isTLS == transfer.request.isTLS)
        }
    }

    private func begin(_ transfer: Transfer) {
        guard !transfer.isCancelled else { return transfer.finish(.cancelled(nothingWasSent: true)) }
        guard authorities != nil else {
            let file = configuration.extraCAFile?.path ?? "the authorities' file"
            return transfer.finish(CurlError(.tls, "\(file) cannot be read; it should hold a certificate authority"))
        }
        let isTLS = transfer.request.isTLS
        if pins != nil, !isTLS, transfer.request.socket == nil { return transfer.finish(.unencrypted(transfer.host)) }
        let exchange = handle(for: transfer, isTLS: isTLS)
        guard transfer.prepare(exchange.easy, configuration, pins) else {
            transfer.refuse(.pinsUnsupported)
            return transfer.complete(CURLE_NOT_BUILT_IN, on: exchange.easy)
        }
        curl_multi_add_handle(multi, exchange.easy)
        running.append(exchange)
    }

    private func handle(for transfer: Transfer, isTLS: Bool) -> Running {
        guard running.contains(where: { $0.easy == easy }) else {
            hidden = isTLS ? [] : CookieJar(easy).takeSecure()
            return Running(transfer: transfer, easy: easy, given: nil)
        }
        let other = spare.popLast() ?? Self.handle(configuration, authorities)
        let given = cookies
        CookieJar(other).replaceAll(with: given)
        return Running(transfer: transfer, easy: other, given: given)
    }

    // MARK: Ending

    /// Lets libcurl go on, and finishes what has ended.
    ///
    /// - Returns: whether something has.
    private func endSome() -> Bool {
        var count: Int32 = 0
        guard curl_multi_perform(multi, &count) == CURLM_OK else {
            for exchange in running { finish(exchange, .result(CURLE_FAILED_INIT)) }
            return true
        }
        var ended: [(Running, End)] = []
        var left: Int32 = 0
        while let message = curl_multi_info_read(multi, &left) {
            guard message.pointee.msg == CURLMSG_DONE,
                let exchange = running.first(where: { $0.easy == message.pointee.easy_handle })
            else { continue }
            ended.append((exchange, .result(countersign_curl_result(message))))
        }
        for exchange in running where !ended.contains(where: { $0.0.easy == exchange.easy }) {
            if exchange.transfer.isCancelled {
                ended.append((exchange, .cancelled))
            } else if exchange.transfer.isPastFirstByteLimit {
                exchange.transfer.failFirstByte()
                ended.append((exchange, .result(CURLE_OPERATION_TIMEDOUT)))
            }
        }
        for (exchange, end) in ended { finish(exchange, end) }
        return !ended.isEmpty
    }

    private func finish(_ exchange: Running, _ end: End) {
        let (transfer, easy) = (exchange.transfer, exchange.easy)
        curl_multi_remove_handle(multi, easy)
        if case .result(let code) = end, transfer.mayRetry(code, on: easy) {
            transfer.reset()
            _ = transfer.prepare(easy, configuration, pins)
            // The next kept connection may be dead too.
            _ = countersign_curl_set_long(easy, CURLOPT_FRESH_CONNECT, 1)
            curl_multi_add_handle(multi, easy)
            return
        }
        running.removeAll { $0.easy == easy }
        let next = successor(of: exchange)
        takeCookies(of: exchange, on: next)
        if let seen = pins?.refused, !transfer.wasSent(on: easy) {
            transfer.refuse(.unpinned(transfer.host, certificate: seen))
        }
        switch end {
        case .result(let code): transfer.complete(code, on: easy)
        case .cancelled: transfer.complete(nil, on: easy)
        }
        if next != easy { curl_easy_cleanup(easy) }
        if exchange.given != nil { spare.append(next) }
    }

    /// Returns the handle that the next exchange uses in an ended one's place: the same, or one with the same cookies if libcurl
    /// takes no more of them on it.
    private func successor(of exchange: Running) -> UnsafeMutableRawPointer {
        guard configuration.keepsCookies, CookieJar.isFull(after: exchange.transfer.headers) else {
            return exchange.easy
        }
        let next = Self.handle(configuration, authorities)
        CookieJar(next).put(CookieJar(exchange.easy).cookies)
        if exchange.easy == easy { easy = next }
        return next
    }

    private func takeCookies(of exchange: Running, on handle: UnsafeMutableRawPointer) {
        let jar = CookieJar(handle)
        let (headers, request) = (exchange.transfer.headers, exchange.transfer.request)
        guard let given = exchange.given else {
            jar.put(hidden)
            jar.mend(as: headers, of: request)
            return jar.markSecure(as: headers)
        }
        jar.mend(as: headers, of: request)
        jar.markSecure(as: headers)
        CookieJar(easy).take(jar.cookies, since: given, setBy: headers)
        jar.replaceAll(with: [])
    }
}

extension Transfer {
    /// True if the exchange may run beside others that may, too.
    fileprivate var mayHaveCompany: Bool {
        guard request.mayRunBesideOthers, request.connection == nil else { return false }
        return request.method == (request.body == nil ? "GET" : "POST")
    }
}

extension CurlError {
    static let cancelled = cancelled(nothingWasSent: false)

    static func cancelled(nothingWasSent: Bool) -> CurlError {
        CurlError(.cancelled, "the exchange was cancelled", nothingWasSent: nothingWasSent)
    }

    static let pinsUnsupported = CurlError(
        .tls, "this libcurl cannot compare certificates; install the one that is built with OpenSSL")

    static func unpinned(_ host: String, certificate: String) -> CurlError {
        CurlError(
            .pinMismatch,
            "\(host) shows another certificate than the one that is pinned (SHA-256 \(certificate)); nothing was sent",
            peerCertificate: certificate)
    }

    static func unencrypted(_ host: String) -> CurlError {
        CurlError(.pinMismatch, "a certificate is pinned for \(host), which plain http does not show; use https")
    }
}
