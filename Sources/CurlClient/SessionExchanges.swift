import CLibCurl

/// A session's exchanges on libcurl, one after the other. Only the session's thread uses it.
final class SessionExchanges {
    private enum End {
        case result(CURLcode)
        case cancelled
    }

    /// How long one wait for libcurl lasts, in milliseconds: this class checks its own limits in between.
    private static let longestWait: Int32 = 250

    private let configuration: CurlConfiguration
    private let authorities: TrustedAuthorities?
    /// Outlives the connections, which belong to the multi handle.
    private let pins: CertificatePins?
    private let multi: UnsafeMutableRawPointer
    private let easy: UnsafeMutableRawPointer
    private var waiting: [Transfer] = []
    private var current: Transfer?
    /// Cookies that the current exchange must not send.
    private var hidden: [HTTPCookie] = []

    init(_ configuration: CurlConfiguration, _ pins: CertificatePins?, _ multi: UnsafeMutableRawPointer) {
        self.configuration = configuration
        self.pins = pins
        self.multi = multi
        authorities = TrustedAuthorities(adding: configuration.extraCAFile)
        easy = Self.handle(configuration, authorities)
    }

    var cookies: [HTTPCookie] { CookieJar(easy).cookies }

    func add(_ transfer: Transfer) { waiting.append(transfer) }

    /// Continues as far as possible without waiting.
    func advance() {
        while true {
            if let transfer = current {
                guard let end = look(at: transfer) else { return }
                finish(transfer, end)
            } else {
                guard !waiting.isEmpty else { return }
                begin(waiting.removeFirst())
            }
        }
    }

    /// Waits until libcurl can continue, or until another thread wakes it.
    func wait() {
        curl_multi_poll(multi, nil, 0, current == nil ? .max : Self.longestWait, nil)
    }

    /// Ends every exchange.
    func end() {
        if let transfer = current { finish(transfer, .cancelled) }
        for transfer in waiting { transfer.finish(CurlError(.closed, "the session is closed")) }
        waiting = []
        curl_easy_cleanup(easy)
    }

    private func begin(_ transfer: Transfer) {
        guard !transfer.isCancelled else { return transfer.finish(.cancelled) }
        guard authorities != nil else {
            let file = configuration.extraCAFile?.path ?? "the authorities' file"
            return transfer.finish(CurlError(.tls, "\(file) cannot be read; it should hold a certificate authority"))
        }
        let isTLS = transfer.request.isTLS
        if pins != nil, !isTLS { return transfer.finish(.unencrypted(transfer.host)) }
        hidden = isTLS ? [] : CookieJar(easy).takeSecure()
        guard transfer.prepare(easy, configuration, pins) else {
            transfer.refuse(.pinsUnsupported)
            return transfer.complete(CURLE_NOT_BUILT_IN, on: easy)
        }
        curl_multi_add_handle(multi, easy)
        current = transfer
    }

    /// - Returns: nil while the exchange is not finished.
    private func look(at transfer: Transfer) -> End? {
        var running: Int32 = 0
        guard curl_multi_perform(multi, &running) == CURLM_OK else { return .result(CURLE_FAILED_INIT) }
        var left: Int32 = 0
        while let message = curl_multi_info_read(multi, &left) {
            if message.pointee.msg == CURLMSG_DONE { return .result(countersign_curl_result(message)) }
        }
        if transfer.isCancelled { return .cancelled }
        if transfer.isPastFirstByteLimit {
            transfer.failFirstByte()
            return .result(CURLE_OPERATION_TIMEDOUT)
        }
        return nil
    }

    private func finish(_ transfer: Transfer, _ end: End) {
        curl_multi_remove_handle(multi, easy)
        if case .result(let code) = end, transfer.mayRetry(code, on: easy) {
            transfer.reset()
            _ = transfer.prepare(easy, configuration, pins)
            // The next kept connection may be dead too.
            _ = countersign_curl_set_long(easy, CURLOPT_FRESH_CONNECT, 1)
            curl_multi_add_handle(multi, easy)
            return
        }
        current = nil
        let jar = CookieJar(easy)
        jar.put(hidden)
        jar.markSecure(as: transfer.headers)
        if let seen = pins?.refused, !transfer.wasSent(on: easy) {
            transfer.refuse(.unpinned(transfer.host, certificate: seen))
        }
        switch end {
        case .result(let code): transfer.complete(code, on: easy)
        case .cancelled: transfer.complete(nil, on: easy)
        }
    }
}

extension CurlError {
    static let cancelled = CurlError(.cancelled, "the exchange was cancelled")
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
