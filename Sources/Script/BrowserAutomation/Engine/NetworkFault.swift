/// The network errors of Chromium in our words, each with what a person can do.
///
/// Their names are those of Chromium's `net/base/net_error_list.h`, with `net::ERR_` before them.
enum NetworkFault {
    /// - Parameters:
    ///   - error: the browser's words, such as `net::ERR_CERT_DATE_INVALID`; they may stand in a sentence.
    ///   - host: the place that was asked for.
    /// - Returns: a whole sentence. The browser's name of an error that the table does not have stands in it.
    static func words(of error: String, at host: String) -> String {
        guard let name = name(in: error) else { return "\(host) did not load: \(error)" }
        if let known = sentences.first(where: { $0.names.contains(name) }) { return "\(host) \(known.words)" }
        if let kind = kinds.first(where: { name.hasPrefix($0.prefix) }) { return "\(host) \(kind.words) (\(name))" }
        return "\(host) did not load: \(error)"
    }

    /// Returns `CERT_DATE_INVALID` for `net::ERR_CERT_DATE_INVALID` in a text.
    private static func name(in text: String) -> String? {
        guard let match = text.firstMatch(of: /net::ERR_([A-Z0-9_]+)/) else { return nil }
        return String(match.1)
    }

    private static let nothingSent = "nothing was sent"

    private static let sentences: [(names: Set<String>, words: String)] = [
        (
            // The browser reaches everything through our proxy, which resolves names and connects.
            ["TUNNEL_CONNECTION_FAILED"],
            "cannot be reached: its name has no address, or it does not accept the connection; check the address and the "
                + "network"
        ),
        (
            ["NAME_NOT_RESOLVED", "NAME_RESOLUTION_FAILED", "ICANN_NAME_COLLISION"],
            "has no address; check the name and the network"
        ),
        (
            ["CONNECTION_REFUSED", "ADDRESS_INVALID", "ADDRESS_UNREACHABLE", "CONNECTION_FAILED"],
            "refuses the connection; check that it is running and the port is right"
        ),
        (["CONNECTION_TIMED_OUT", "TIMED_OUT"], "does not answer in time; check the network, and run again later"),
        (
            ["INTERNET_DISCONNECTED", "NETWORK_ACCESS_DENIED", "NETWORK_IO_SUSPENDED"],
            "cannot be reached: this machine has no network; connect it, and run again"
        ),
        (
            ["NETWORK_CHANGED"],
            "did not load because the network changed meanwhile; run again"
        ),
        (
            ["EMPTY_RESPONSE"],
            "closed the connection before the answer was complete: nothing came; run again later"
        ),
        (
            ["CONNECTION_CLOSED", "CONNECTION_RESET", "CONNECTION_ABORTED", "SOCKET_NOT_CONNECTED"],
            "closed the connection before the answer was complete; check the network, and run again"
        ),
        (
            ["CONTENT_LENGTH_MISMATCH", "INCOMPLETE_CHUNKED_ENCODING", "INCOMPLETE_HTTP2_STREAM"],
            "closed the connection before the answer was complete: a part of it is missing; run again"
        ),
        (
            ["CERT_AUTHORITY_INVALID"],
            "cannot be trusted: its certificate leads to no known authority, or another server stands in between; "
                + "\(nothingSent). If it is yours, or a browser on another network trusts it, give the missing certificate "
                + "with --ca FILE"
        ),
        (
            ["CERT_DATE_INVALID"],
            "cannot be trusted: its certificate has expired or is not valid yet; check this machine's clock, or wait until it "
                + "is renewed"
        ),
        (
            ["CERT_COMMON_NAME_INVALID"],
            "cannot be trusted: its certificate is for another name; check the address. Another server may stand in between, "
                + "so \(nothingSent)"
        ),
        (
            ["CERT_REVOKED"],
            "cannot be trusted: its authority has revoked its certificate; \(nothingSent). Ask the bank"
        ),
        (
            ["CERT_WEAK_SIGNATURE_ALGORITHM", "CERT_WEAK_KEY", "SSL_WEAK_SERVER_EPHEMERAL_DH_KEY"],
            "cannot be trusted: its certificate or key is too weak; \(nothingSent). The bank has to renew it"
        ),
        (
            ["SSL_PINNED_KEY_NOT_IN_CERT_CHAIN"],
            "shows another key than the one that is pinned; \(nothingSent)"
        ),
        (
            [
                "SSL_VERSION_OR_CIPHER_MISMATCH", "SSL_OBSOLETE_VERSION", "SSL_OBSOLETE_CIPHER",
                "SSL_UNSAFE_NEGOTIATION",
            ],
            "offers only an old version of TLS, which can be read on the way (1.2 or later is needed); \(nothingSent). The "
                + "bank has to renew its server"
        ),
        (
            [
                "SSL_CLIENT_AUTH_CERT_NEEDED", "BAD_SSL_CLIENT_AUTH_CERT", "SSL_CLIENT_AUTH_SIGNATURE_FAILED",
                "SSL_CLIENT_AUTH_NO_COMMON_ALGORITHMS", "SSL_CLIENT_AUTH_CERT_NO_PRIVATE_KEY",
                "SSL_CLIENT_AUTH_PRIVATE_KEY_ACCESS_DENIED",
            ],
            "wants a certificate of its customer, which a script cannot give; ask the bank for a sign-in without one"
        ),
        (
            ["SSL_PROTOCOL_ERROR"],
            "breaks off the TLS handshake, or does not speak TLS at this port; check the address, and run again later"
        ),
        (
            ["TOO_MANY_REDIRECTS"],
            "redirects in a circle; its pages may need cookies of a step that the script leaves out"
        ),
        (
            [
                "INVALID_RESPONSE", "INVALID_HTTP_RESPONSE", "INVALID_CHUNKED_ENCODING", "HTTP2_PROTOCOL_ERROR",
                "RESPONSE_HEADERS_TRUNCATED", "RESPONSE_HEADERS_MULTIPLE_CONTENT_LENGTH",
                "RESPONSE_HEADERS_MULTIPLE_LOCATION", "RESPONSE_HEADERS_MULTIPLE_CONTENT_DISPOSITION",
            ],
            "sent something that is not HTTP; run again later"
        ),
        (
            ["CONTENT_DECODING_FAILED", "CONTENT_DECODING_INIT_FAILED"],
            "sent a compressed answer that cannot be read; run again later"
        ),
        (["HTTP_RESPONSE_CODE_FAILURE"], "answers with an error and an empty page; run again later"),
        (["RESPONSE_HEADERS_TOO_BIG"], "sent more headers than the browser takes"),
        (
            ["BLOCKED_BY_RESPONSE", "BLOCKED_BY_CSP", "BLOCKED_BY_ORB"],
            "does not let its page be shown in this place; open the page itself"
        ),
        (
            ["BLOCKED_BY_CLIENT", "BLOCKED_BY_ADMINISTRATOR"],
            "is blocked by a policy of this machine's browser; see chrome://policy there"
        ),
        (["ABORTED"], "did not load: the page or a download broke the navigation off; run again"),
        (
            ["UNSAFE_PORT", "DISALLOWED_URL_SCHEME", "UNKNOWN_URL_SCHEME", "INVALID_URL"],
            "has an address that browsers do not open; correct it"
        ),
        (["INVALID_AUTH_CREDENTIALS"], "refuses the access; the browser gives no password of HTTP by itself"),
        (
            ["OUT_OF_MEMORY", "INSUFFICIENT_RESOURCES", "FILE_NO_SPACE"],
            "did not load: this machine has too little memory or disk; free some, and run again"
        ),
    ]

    /// The rest of each kind, by the beginning of its names.
    private static let kinds: [(prefix: String, words: String)] = [
        ("CERT_", "cannot be trusted: its certificate does not verify; nothing was sent"),
        ("SSL_", "breaks off the TLS handshake; nothing was sent. Run again later"),
        ("DNS_", "has no address; check the name and the network"),
        ("PROXY_", "cannot be reached through the proxy; run again"),
        ("HTTP2_", "sent something that is not HTTP; run again later"),
        ("QUIC_", "closed the connection before the answer was complete; run again"),
        ("CACHE_", "did not load: the browser's cache does not work; check that the disk has room"),
    ]
}
