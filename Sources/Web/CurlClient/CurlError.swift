import CLibCurl
import Foundation

/// The reason why an exchange failed. The message names the host and the limit, never a query, a header's value or
/// userinfo.
public struct CurlError: Error, Sendable, Hashable, CustomStringConvertible {
    public struct Code: Sendable, Hashable {
        private enum Kind: Sendable, Hashable {
            case invalidRequest, couldNotResolve, couldNotConnect, tls, pinMismatch, timeout, tooLarge
            case connectionLost, otherConnection, foreignServer, protocolViolation, cancelled, closed, file, other
        }

        private let kind: Kind
        private init(_ kind: Kind) { self.kind = kind }

        public static let invalidRequest = Code(.invalidRequest)
        public static let couldNotResolve = Code(.couldNotResolve)
        /// The server has not received anything.
        public static let couldNotConnect = Code(.couldNotConnect)
        /// The certificate is not trusted, or the handshake failed.
        public static let tls = Code(.tls)
        public static let pinMismatch = Code(.pinMismatch)
        public static let timeout = Code(.timeout)
        public static let tooLarge = Code(.tooLarge)
        /// The connection ended before the answer was complete; the server may have received the request.
        public static let connectionLost = Code(.connectionLost)
        /// The request was bound to a connection that cannot carry it any more. A server may have received it on that
        /// connection, but on no other.
        public static let otherConnection = Code(.otherConnection)
        /// The program at the Unix socket is run by a user who must not be there. It was not sent anything.
        public static let foreignServer = Code(.foreignServer)
        public static let protocolViolation = Code(.protocolViolation)
        public static let cancelled = Code(.cancelled)
        /// The session was closed.
        public static let closed = Code(.closed)
        /// The download's file could not be written.
        public static let file = Code(.file)
        public static let other = Code(.other)
    }

    public let code: Code
    public let message: String
    /// The refused certificate, when another is pinned: the SHA-256 of its DER, as 64 hex digits.
    public let peerCertificate: String?
    /// True if nothing of the request has left this machine, so that the server cannot have received it.
    public let nothingWasSent: Bool

    init(_ code: Code, _ message: String, peerCertificate: String? = nil, nothingWasSent: Bool = false) {
        self.code = code
        self.message = message
        self.peerCertificate = peerCertificate
        self.nothingWasSent = nothingWasSent || Self.before.contains(code)
    }

    /// The errors of a request that did not begin to leave.
    private static let before: Set<Code> = [
        .invalidRequest, .couldNotResolve, .couldNotConnect, .tls, .pinMismatch, .foreignServer,
    ]

    public var description: String { message }
}

extension CurlError {
    /// - Parameters:
    ///   - detail: what libcurl says beside the code: the words of the TLS library, for example.
    ///   - verification: the certificate's verification error (`X509_V_ERR_…` of OpenSSL), or 0.
    ///   - hadConnected: whether the failed connection had been established.
    ///   - wasSent: whether any of the request was sent, on this connection or another.
    init(
        _ result: CURLcode, detail: String = "", verification: Int = 0, host: String, limits: HTTPLimits,
        hadConnected: Bool, wasSent: Bool
    ) {
        switch result {
        case CURLE_COULDNT_RESOLVE_HOST where wasSent, CURLE_COULDNT_CONNECT where wasSent,
            CURLE_SSL_CONNECT_ERROR where wasSent, CURLE_PEER_FAILED_VERIFICATION where wasSent,
            CURLE_SSL_PINNEDPUBKEYNOTMATCH where wasSent:
            let cause = CurlError(
                result, detail: detail, verification: verification, host: host, limits: limits,
                hadConnected: hadConnected, wasSent: false)
            self.init(
                .connectionLost,
                "\(host) closed the connection before it answered, and could not be reached again: \(cause.message)")
        case CURLE_UNSUPPORTED_PROTOCOL where hadConnected:
            self.init(.protocolViolation, "\(host) sent something that is not HTTP")
        case CURLE_URL_MALFORMAT, CURLE_UNSUPPORTED_PROTOCOL:
            self.init(.invalidRequest, "the address is not an http or https URL")
        case CURLE_COULDNT_RESOLVE_HOST:
            self.init(.couldNotResolve, "\(host) is not known; check the name and the network")
        case CURLE_COULDNT_CONNECT:
            self.init(
                .couldNotConnect, "\(host) refuses the connection; check that it is running and the port is right")
        case _ where TLSFault.wantsClientCertificate(detail):
            self.init(.tls, "\(host) \(TLSFault.clientCertificate)")
        case CURLE_SSL_CACERT_BADFILE:
            self.init(
                .tls,
                "\(host) cannot be checked: the authorities that this machine trusts cannot be read; nothing was sent. Install "
                    + "its package ca-certificates, or correct the file of --ca")
        case CURLE_PEER_FAILED_VERIFICATION, CURLE_SSL_CONNECT_ERROR, CURLE_SSL_ISSUER_ERROR, CURLE_SSL_CERTPROBLEM,
            CURLE_SSL_CIPHER, CURLE_SSL_INVALIDCERTSTATUS, CURLE_SSL_CLIENTCERT:
            self.init(.tls, "\(host) \(TLSFault.words(of: detail, verification))")
        case CURLE_SSL_PINNEDPUBKEYNOTMATCH:
            self.init(.pinMismatch, "\(host) shows another key than the one that is pinned; nothing was sent")
        case CURLE_OPERATION_TIMEDOUT where !hadConnected:
            self.init(
                .timeout, "\(host) was not reached within the connect limit of \(limits.connect.whole) s",
                nothingWasSent: !wasSent)
        case CURLE_OPERATION_TIMEDOUT:
            self.init(.timeout, "\(host) did not finish within the whole-exchange limit of \(limits.whole.whole) s")
        case CURLE_OUT_OF_MEMORY:
            // libcurl's own limit for one header line (CURL_MAX_HTTP_HEADER).
            self.init(.tooLarge, "\(host) sent a header line over the limit of 102400 bytes")
        case CURLE_GOT_NOTHING:
            self.init(
                .connectionLost, "\(host) closed the connection before the answer was complete: nothing came; run again"
            )
        case CURLE_PARTIAL_FILE:
            self.init(
                .connectionLost,
                "\(host) closed the connection before the answer was complete: a part of it is missing; run again")
        case CURLE_SEND_FAIL_REWIND, CURLE_RECV_ERROR, CURLE_SEND_ERROR, CURLE_HTTP2_STREAM, CURLE_AGAIN,
            CURLE_NO_CONNECTION_AVAILABLE, CURLE_HTTP3, CURLE_QUIC_CONNECT_ERROR:
            self.init(
                .connectionLost,
                "\(host) closed the connection before the answer was complete; check the network, and run again")
        case CURLE_WEIRD_SERVER_REPLY, CURLE_HTTP2:
            self.init(.protocolViolation, "\(host) sent something that is not HTTP\(Self.aside(result))")
        case CURLE_BAD_CONTENT_ENCODING, CURLE_CHUNK_FAILED:
            self.init(.protocolViolation, "\(host) sent a compressed answer that cannot be read; run again later")
        case CURLE_WRITE_ERROR, CURLE_READ_ERROR, CURLE_FILE_COULDNT_READ_FILE:
            self.init(.file, "the answer of \(host) could not be kept; check that the disk has room")
        case CURLE_FILESIZE_EXCEEDED:
            self.init(.tooLarge, "\(host) sent more than the limit allows")
        case CURLE_ABORTED_BY_CALLBACK:
            self.init(.cancelled, "the exchange with \(host) was stopped")
        case CURLE_LOGIN_DENIED, CURLE_REMOTE_ACCESS_DENIED, CURLE_AUTH_ERROR:
            self.init(.other, "\(host) refuses the access\(Self.aside(result))")
        case CURLE_SSL_ENGINE_NOTFOUND, CURLE_SSL_ENGINE_SETFAILED, CURLE_SSL_ENGINE_INITFAILED,
            CURLE_USE_SSL_FAILED, CURLE_SSL_SHUTDOWN_FAILED, CURLE_SSL_CRL_BADFILE:
            self.init(.tls, "TLS could not be used with \(host)\(Self.aside(result))")
        case CURLE_FAILED_INIT, CURLE_NOT_BUILT_IN, CURLE_UNKNOWN_OPTION, CURLE_BAD_FUNCTION_ARGUMENT,
            CURLE_FUNCTION_NOT_FOUND, CURLE_SETOPT_OPTION_SYNTAX:
            self.init(
                .other,
                "this machine's libcurl cannot do what is asked of it; install version 7.85 or later\(Self.aside(result))"
            )
        default:
            self.init(
                .other,
                "the exchange with \(host) failed; run again, and report it if that stays so\(Self.aside(result))")
        }
    }

    /// libcurl's own words, behind ours.
    private static func aside(_ result: CURLcode) -> String {
        " (libcurl \(result.rawValue): \(String(cString: curl_easy_strerror(result))))"
    }
}

/// The faults of a TLS handshake, each with what a person can do.
enum TLSFault {
    static let clientCertificate =
        "wants a certificate of its customer, which a script cannot give; ask the bank for a sign-in without one"

    /// - Parameter detail: the words of OpenSSL.
    static func wantsClientCertificate(_ detail: String) -> Bool {
        let detail = detail.lowercased()
        return ["certificate required", "alert bad certificate", "peer did not return a certificate"]
            .contains(where: detail.contains)
    }

    /// - Parameter verification: `X509_V_ERR_…` of OpenSSL, or 0.
    static func words(of detail: String, _ verification: Int) -> String {
        switch verification {
        // 1 is what libcurl sets before it verifies.
        case 0, 1: break
        // Issuer not found here, not found at all, first certificate not verified.
        case 2, 20, 21:
            return
                "cannot be trusted: its certificate leads to no known authority, and another server may stand in between; "
                + "nothing was sent. If a browser on another network trusts it, add its intermediate certificate to this "
                + "machine's, or use --ca FILE"
        // Self-signed, alone or at the end of the chain.
        case 18, 19:
            return
                "cannot be trusted: its certificate comes from an unknown authority, and another server may stand in between; "
                + "nothing was sent. If it is your own server, add its authority to this machine's, or give it with --ca FILE"
        case 9: return "cannot be trusted: its certificate is not valid yet; check this machine's clock"
        case 10:
            return
                "cannot be trusted: its certificate has expired; check this machine's clock, or wait until it is renewed"
        case 62, 63, 64: return otherName
        default:
            return
                "cannot be trusted: its certificate does not verify (OpenSSL error \(verification)); nothing was sent"
        }
        let detail = detail.lowercased()
        if ["no alternative certificate subject name", "does not match target host", "subject name"].contains(
            where: detail.contains)
        {
            return otherName
        }
        if [
            "unsupported protocol", "protocol version", "wrong version", "unsafe legacy", "legacy sigalg",
            "dh key too small",
            "inappropriate fallback", "no protocols available", "wrong signature type",
        ].contains(where: detail.contains) {
            return
                "offers only an old version of TLS, which can be read on the way (1.2 or later is needed); nothing was sent. "
                + "The bank has to renew its server"
        }
        if detail.contains("http request") || detail.contains("packet length") || detail.contains("wrong_version") {
            return "does not speak TLS at this port; check the address"
        }
        return "broke off the TLS handshake; nothing was sent. Check the address and the network, and run again later"
    }

    private static let otherName =
        "cannot be trusted: its certificate is for another name; check the address. Another server may stand in between, so "
        + "nothing was sent"
}

extension Duration {
    /// Seconds as a person writes them.
    fileprivate var whole: String {
        milliseconds.isMultiple(of: 1000) ? "\(milliseconds / 1000)" : "\(Double(milliseconds) / 1000)"
    }
}
