import CLibCurl
import Foundation

/// The reason why an exchange failed. The message names the host and the limit, never a query, a header's value or
/// userinfo.
public struct CurlError: Error, Sendable, Hashable, CustomStringConvertible {
    public struct Code: Sendable, Hashable {
        private enum Kind: Sendable, Hashable {
            case invalidRequest, couldNotResolve, couldNotConnect, tls, pinMismatch, timeout, tooLarge
            case connectionLost, otherConnection, protocolViolation, cancelled, closed, file, other
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

    init(_ code: Code, _ message: String, peerCertificate: String? = nil) {
        self.code = code
        self.message = message
        self.peerCertificate = peerCertificate
    }

    public var description: String { message }
}

extension CurlError {
    /// - Parameters:
    ///   - hadConnected: whether the failed connection had been established.
    ///   - wasSent: whether any of the request was sent, on this connection or another.
    init(_ result: CURLcode, host: String, limits: HTTPLimits, hadConnected: Bool, wasSent: Bool) {
        let reason = String(cString: curl_easy_strerror(result))
        switch result {
        case CURLE_COULDNT_RESOLVE_HOST where wasSent, CURLE_COULDNT_CONNECT where wasSent,
            CURLE_SSL_CONNECT_ERROR where wasSent, CURLE_PEER_FAILED_VERIFICATION where wasSent,
            CURLE_SSL_PINNEDPUBKEYNOTMATCH where wasSent:
            self.init(
                .connectionLost,
                "\(host) closed the connection before it answered, and could not be reached again: \(reason)")
        case CURLE_UNSUPPORTED_PROTOCOL where hadConnected:
            self.init(.protocolViolation, "\(host) sent something that is not HTTP")
        case CURLE_URL_MALFORMAT, CURLE_UNSUPPORTED_PROTOCOL:
            self.init(.invalidRequest, "the address is not an http or https URL")
        case CURLE_COULDNT_RESOLVE_HOST:
            self.init(.couldNotResolve, "\(host) is not known; check the name and the network")
        case CURLE_COULDNT_CONNECT:
            self.init(
                .couldNotConnect, "\(host) refuses the connection; check that it is running and the port is right")
        case CURLE_PEER_FAILED_VERIFICATION, CURLE_SSL_CONNECT_ERROR, CURLE_SSL_CACERT_BADFILE,
            CURLE_SSL_ISSUER_ERROR, CURLE_SSL_CERTPROBLEM, CURLE_SSL_CIPHER:
            self.init(.tls, "\(host) cannot be trusted: \(reason)")
        case CURLE_SSL_PINNEDPUBKEYNOTMATCH:
            self.init(.pinMismatch, "\(host) shows another key than the one that is pinned; nothing was sent")
        case CURLE_OPERATION_TIMEDOUT where !hadConnected:
            self.init(.timeout, "\(host) was not reached within the connect limit of \(limits.connect.whole) s")
        case CURLE_OPERATION_TIMEDOUT:
            self.init(.timeout, "\(host) did not finish within the whole-exchange limit of \(limits.whole.whole) s")
        case CURLE_OUT_OF_MEMORY:
            // libcurl's own limit for one header line (CURL_MAX_HTTP_HEADER).
            self.init(.tooLarge, "\(host) sent a header line over the limit of 102400 bytes")
        case CURLE_GOT_NOTHING, CURLE_SEND_FAIL_REWIND, CURLE_RECV_ERROR, CURLE_SEND_ERROR, CURLE_PARTIAL_FILE,
            CURLE_HTTP2_STREAM:
            self.init(.connectionLost, "\(host) closed the connection before the answer was complete: \(reason)")
        case CURLE_WEIRD_SERVER_REPLY, CURLE_BAD_CONTENT_ENCODING, CURLE_HTTP2:
            self.init(.protocolViolation, "\(host) sent something that is not HTTP: \(reason)")
        default:
            self.init(.other, "\(host): \(reason)")
        }
    }
}

extension Duration {
    /// Seconds as a person writes them.
    fileprivate var whole: String {
        milliseconds.isMultiple(of: 1000) ? "\(milliseconds / 1000)" : "\(Double(milliseconds) / 1000)"
    }
}
