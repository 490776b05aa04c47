import Crypto
import Encodings
import Foundation
import Machine

/// A header line.
public struct HTTPHeader: Sendable, Hashable {
    public var name: String
    public var value: String

    public init(_ name: String, _ value: String) {
        self.name = name
        self.value = value
    }

    /// Returns whether this header has a name, which is ASCII; case is ignored (RFC 9110, section 5.1).
    package func isNamed(_ other: String) -> Bool {
        guard name.utf8.count == other.utf8.count else { return false }
        return name.withBytes { name in
            other.withBytes { other in name.indices.allSatisfy { name[$0].lowered == other[$0].lowered } }
        }
    }
}

extension UInt8 {
    /// In ASCII.
    var lowered: UInt8 { (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(self) ? self | 0x20 : self }
}

/// One connection, named by its two ends. The system gives the same two ends to no other open connection.
public struct HTTPConnection: Sendable, Hashable {
    /// This side's end, e.g. `127.0.0.1:50412`.
    public let local: String
    /// The server's end, e.g. `127.0.0.1:8765` or `[::1]:8765`.
    public let peer: String

    public init(local: String, peer: String) {
        self.local = local
        self.peer = peer
    }

    /// Writes an end of a connection: address and port, with an IPv6 address in brackets (RFC 3986, section 3.2.2).
    public static func end(_ address: String, port: Int) -> String {
        address.utf8.contains(UInt8(ascii: ":")) ? "[\(address)]:\(port)" : "\(address):\(port)"
    }
}

/// A request. Its body may hold secrets; libcurl has a copy only during the exchange.
public struct HTTPRequest: Sendable {
    public var method: String
    /// Absolute, `http` or `https`, percent-encoded.
    public var url: String
    public var headers: [HTTPHeader]
    public var body: [UInt8]?
    /// The only connection that may carry this request; nil for any. Otherwise the exchange fails with
    /// ``CurlError/Code/otherConnection``, and nothing of this request is sent on another one.
    public var connection: HTTPConnection?
    /// The Unix socket over which this request goes, in plain HTTP, in place of the URL's host and port; nil for those.
    ///
    /// Nothing is sent to a program of another user than those of the socket: the exchange then fails with
    /// ``CurlError/Code/foreignServer``.
    package var socket: ServedSocket?
    /// True if the exchange may run beside others that may, too. Only for a GET without a body, and a POST with one.
    ///
    /// Each such exchange has a libcurl handle of its own. All share the session's connections, and its cookies: an answer's
    /// cookies are there for every exchange that begins after it.
    public var mayRunBesideOthers = false

    public init(_ method: String = "GET", _ url: String, headers: [HTTPHeader] = [], body: [UInt8]? = nil) {
        self.method = method
        self.url = url
        self.headers = headers
        self.body = body
    }
}

/// The time that each part of an exchange took, measured from its start.
public struct HTTPTimings: Sendable, Hashable {
    public var connected: Duration
    public var firstByte: Duration
    public var total: Duration

    public init(connected: Duration, firstByte: Duration, total: Duration) {
        self.connected = connected
        self.firstByte = firstByte
        self.total = total
    }
}

/// The part that every answer has.
public struct HTTPResponseHead: Sendable {
    public var status: Int
    /// The requested URL.
    public var url: String
    /// The HTTP version, such as `1.1` or `2`.
    public var version: String
    public var headers: [HTTPHeader]
    public var timings: HTTPTimings
    /// True if the connection had served an earlier exchange of this session.
    public var reusedConnection: Bool
    /// The connection that the answer came over; nil when libcurl did not tell.
    public var connection: HTTPConnection?

    public init(
        status: Int, url: String, version: String, headers: [HTTPHeader], timings: HTTPTimings,
        reusedConnection: Bool = false
    ) {
        self.status = status
        self.url = url
        self.version = version
        self.headers = headers
        self.timings = timings
        self.reusedConnection = reusedConnection
    }

    /// Returns the value of the last header with a name; case is ignored.
    public func header(_ name: String) -> String? {
        headers.last { $0.isNamed(name) }?.value
    }
}

/// An answer with its body in memory.
public struct HTTPResponse: Sendable {
    public var head: HTTPResponseHead
    public var body: [UInt8]

    public init(head: HTTPResponseHead, body: [UInt8]) {
        self.head = head
        self.body = body
    }

    public var status: Int { head.status }
    public var url: String { head.url }
    public var headers: [HTTPHeader] { head.headers }
    public func header(_ name: String) -> String? { head.header(name) }
}

/// An answer whose body was written to a file.
public struct HTTPDownload: Sendable {
    public var head: HTTPResponseHead
    public var file: URL
    public var bytes: Int
    /// Lower-case hex, computed while the body arrived.
    public var sha256: String
    /// The first kilobyte, which shows the file's type.
    public var firstBytes: [UInt8]
    /// The last kilobyte, which shows whether the file is complete.
    public var lastBytes: [UInt8]

    public init(
        head: HTTPResponseHead, file: URL, bytes: Int, sha256: String, firstBytes: [UInt8], lastBytes: [UInt8]
    ) {
        self.head = head
        self.file = file
        self.bytes = bytes
        self.sha256 = sha256
        self.firstBytes = firstBytes
        self.lastBytes = lastBytes
    }

    /// Writes a document that came inside another answer into a new file, as if it had been downloaded.
    ///
    /// - Throws: an error of the file system.
    package init(writing bytes: [UInt8], of mediaType: String, to file: URL) throws {
        try PassingFile.write(bytes, to: file)
        let head = HTTPResponseHead(
            status: 200, url: "data:", version: "", headers: [HTTPHeader("Content-Type", mediaType)],
            timings: HTTPTimings(connected: .zero, firstByte: .zero, total: .zero))
        self.init(
            head: head, file: file, bytes: bytes.count, sha256: Base16.encode(SHA256.hash(data: bytes)),
            firstBytes: Array(bytes.prefix(1024)), lastBytes: Array(bytes.suffix(1024)))
    }

    public var status: Int { head.status }
    public func header(_ name: String) -> String? { head.header(name) }
}
