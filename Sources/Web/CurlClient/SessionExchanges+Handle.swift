import CLibCurl

extension SessionExchanges {
    /// Makes a handle with the options that hold for every exchange of a session.
    static func handle(
        _ configuration: CurlConfiguration, _ authorities: TrustedAuthorities?
    ) -> UnsafeMutableRawPointer {
        let easy = curl_easy_init()!
        _ = countersign_curl_set_text(easy, CURLOPT_PROTOCOLS_STR, "http,https")
        _ = countersign_curl_set_long(easy, CURLOPT_NOSIGNAL, 1)
        _ = countersign_curl_set_long(easy, CURLOPT_FOLLOWLOCATION, 0)
        _ = countersign_curl_set_text(easy, CURLOPT_PROXY, "")
        _ = countersign_curl_set_long(easy, CURLOPT_NETRC, Int(CURL_NETRC_IGNORED.rawValue))
        _ = countersign_curl_set_long(easy, CURLOPT_HTTP_CONTENT_DECODING, 0)
        _ = countersign_curl_set_long(
            easy, CURLOPT_HTTP_VERSION,
            Int(configuration.http2 == .assumed ? CURL_HTTP_VERSION_2_PRIOR_KNOWLEDGE : CURL_HTTP_VERSION_2TLS))
        // Waits for a connection that is being made, in case it can be shared.
        if configuration.http2 != .offered { _ = countersign_curl_set_long(easy, CURLOPT_PIPEWAIT, 1) }
        _ = countersign_curl_set_text(easy, CURLOPT_USERAGENT, configuration.userAgent)
        if configuration.keepsCookies { _ = countersign_curl_set_text(easy, CURLOPT_COOKIEFILE, "") }
        _ = countersign_curl_set_long(easy, CURLOPT_SSLVERSION, Int(CURL_SSLVERSION_TLSv1_2))
        _ = countersign_curl_set_long(easy, CURLOPT_SSL_VERIFYPEER, 1)
        _ = countersign_curl_set_long(easy, CURLOPT_SSL_VERIFYHOST, 2)
        authorities?.lend(to: easy)
        PublicSuffixes.shared.lend(to: easy)
        setCallbacks(easy)
        return easy
    }

    /// Sets the callbacks; their context is the current transfer.
    private static func setCallbacks(_ easy: UnsafeMutableRawPointer) {
        _ = countersign_curl_set_before_request(easy) { context, peer, local, peerPort, localPort in
            let transfer = Unmanaged<Transfer>.fromOpaque(context!).takeUnretainedValue()
            let connection = HTTPConnection(
                local: HTTPConnection.end(local.map { String(cString: $0) } ?? "", port: Int(localPort)),
                peer: HTTPConnection.end(peer.map { String(cString: $0) } ?? "", port: Int(peerPort)))
            let maySend = transfer.maySend(over: connection, isNew: transfer.madeConnection)
            return maySend ? CURL_PREREQFUNC_OK : CURL_PREREQFUNC_ABORT
        }
        _ = countersign_curl_set_data(easy, CURLOPT_HEADERFUNCTION) { bytes, size, count, context in
            let line = UnsafeRawBufferPointer(start: bytes, count: size * count)
            let transfer = Unmanaged<Transfer>.fromOpaque(context!).takeUnretainedValue()
            return transfer.receive(headerLine: line) ? size * count : 0
        }
        _ = countersign_curl_set_data(easy, CURLOPT_WRITEFUNCTION) { bytes, size, count, context in
            let chunk = UnsafeRawBufferPointer(start: bytes, count: size * count)
            let transfer = Unmanaged<Transfer>.fromOpaque(context!).takeUnretainedValue()
            return transfer.receive(body: chunk) ? size * count : 0
        }
    }
}
