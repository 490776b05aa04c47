import CLibCurl
import Clocks
import Crypto
import Encodings
import Foundation
import Machine
import Synchronization

/// One exchange in progress: the request, what has arrived, and the task that waits for it.
///
/// Only the session's thread touches it.
final class Transfer: @unchecked Sendable {
    enum Destination {
        case memory
        case file(URL)
    }

    let request: HTTPRequest
    let destination: Destination
    let limits: HTTPLimits
    /// Host and port for messages, without userinfo; for a request over a Unix socket, its path.
    private(set) lazy var host = request.socket.map { "the socket \($0.file.path)" } ?? Self.host(of: request.url)

    struct Outcome: Sendable {
        var head: HTTPResponseHead
        var body: [UInt8]
        var bytes: Int
        /// The digest of a body that went to a file; empty for one that did not.
        var sha256: String
        /// The last kilobyte of a body that went to a file.
        var end: [UInt8]
    }

    private let cancellation: Cancellation
    private let continuation: CheckedContinuation<Outcome, any Error>
    private let began = ContinuousClock.now

    private(set) var headers: [HTTPHeader] = []
    private var headerBytes = 0
    private var version = ""
    /// Undoes the codings of the body under way; nil without one.
    private var coding: ContentCoding?
    private var hasBody = false
    /// The body, or the first kilobyte of one that goes to a file.
    private var body: [UInt8] = []
    /// The last kilobyte, or more, of a body that goes to a file.
    private var end: [UInt8] = []
    private(set) var bodyBytes = 0
    /// True if a connection has been given the body.
    private var isBodyOut = false
    /// The connection that carries the request.
    private var connection: HTTPConnection?
    /// The Unix socket that this exchange has opened.
    private var opened: Int32?
    private var hash = SHA256()
    private var file: Int32 = -1
    /// The file's final path, and its path until the body is complete.
    private var path = ""
    private var temporary: String?
    private(set) var failure: CurlError?
    private(set) var hasAnswer = false
    /// libcurl writes its words about an error here.
    let detail = UnsafeMutablePointer<CChar>.allocate(capacity: Transfer.roomForDetail)
    static let roomForDetail = Int(CURL_ERROR_SIZE)
    var headerList: UnsafeMutablePointer<curl_slist>?
    var resolveList: UnsafeMutablePointer<curl_slist>?
    var wasRetried = false
    /// The handle that this exchange is on.
    var handle: UnsafeMutableRawPointer?

    init(
        _ request: HTTPRequest, to destination: Destination, limits: HTTPLimits, cancellation: Cancellation,
        continuation: CheckedContinuation<Outcome, any Error>
    ) {
        self.request = request
        self.destination = destination
        self.limits = limits
        self.cancellation = cancellation
        self.continuation = continuation
    }

    deinit { detail.deallocate() }

    private static func host(of url: String) -> String {
        guard let scheme = url.utf8.firstIndex(of: UInt8(ascii: ":")), url[scheme...].hasPrefix("://") else {
            return "the server"
        }
        let authority = url[scheme...].utf8.dropFirst(3).prefix { !"/?#\\".utf8.contains($0) }
        let host = authority.split(separator: UInt8(ascii: "@"), omittingEmptySubsequences: false).last
        return host.flatMap { $0.isEmpty ? nil : String($0) } ?? "the server"
    }

    var isCancelled: Bool { cancellation.isRequested }

    var isPastFirstByteLimit: Bool { !hasAnswer && ContinuousClock.now - began > limits.firstByte }

    /// Forgets what arrived of a first attempt.
    func reset() {
        headers = []
        headerBytes = 0
        hasAnswer = false
        coding = nil
        hasBody = false
    }

    // MARK: libcurl's callbacks

    /// Refuses to send a body a second time: libcurl would repeat it by itself when the server closed a kept
    /// connection, and it may count twice.
    ///
    /// - Parameter isNew: whether the connection was made for this exchange.
    func maySend(over connection: HTTPConnection, isNew: Bool) -> Bool {
        guard !isBodyOut else {
            return fail(.connectionLost, "closed the connection before it answered; the request is not sent twice")
        }
        guard !isNew || isServedAsExpected else { return false }
        if let bound = request.connection, isNew || connection != bound {
            return fail(.otherConnection, "closed the connection that this request was meant for")
        }
        self.connection = connection
        isBodyOut = request.body != nil
        return true
    }

    /// Makes the socket for libcurl to connect; -1 when that fails.
    func openSocket() -> Int32 {
        opened = request.socket.flatMap { try? $0.makeSocket() }
        return opened ?? -1
    }

    /// Checks who serves the Unix socket of a new connection. Over a kept one nothing can have changed: a connection has its
    /// two processes for good.
    private var isServedAsExpected: Bool {
        guard let socket = request.socket else { return true }
        do throws(ProcessSocketError) {
            try socket.check(opened ?? -1)
            return true
        } catch {
            if case .unavailable(let reason) = error {
                return fail(.couldNotConnect, "\(host) cannot be reached: \(reason); try again", isHost: false)
            }
            return fail(
                .foreignServer, "\(host) is not served by a program of yours: \(error); nothing was sent", isHost: false
            )
        }
    }

    func receive(headerLine bytes: UnsafeRawBufferPointer) -> Bool {
        hasAnswer = true
        headerBytes += bytes.count
        guard headerBytes <= limits.headerSize else {
            return fail(.tooLarge, "sent more than the header limit of \(limits.headerSize) bytes")
        }
        let line = bytes.bindMemory(to: UInt8.self).trimmingSpace
        if let start = line.baseAddress, line.count >= 5, memcmp(start, "HTTP/", 5) == 0 {
            version = UnsafeBufferPointer(rebasing: line[5...].prefix { $0 != UInt8(ascii: " ") }).headerText
            headers = []
            headers.reserveCapacity(16)
        } else if let colon = line.firstIndex(of: UInt8(ascii: ":")) {
            let name = UnsafeBufferPointer(rebasing: line[..<colon])
            let value = UnsafeBufferPointer(rebasing: line[(colon + 1)...])
            headers.append(HTTPHeader(name.headerText, value.trimmingSpace.headerText))
        }
        return true
    }

    func receive(body bytes: UnsafeRawBufferPointer) -> Bool {
        if !hasBody {
            hasBody = true
            coding = ContentCoding(headers)
        }
        guard let coding else { return receive(decoded: bytes) }
        switch coding.decode(bytes, { receive(decoded: $0) }) {
        case .goesOn: return true
        case .stopped: return false
        case .malformed:
            return fail(.protocolViolation, "sent a compressed answer that cannot be read; run again later")
        }
    }

    private func receive(decoded bytes: UnsafeRawBufferPointer) -> Bool {
        bodyBytes += bytes.count
        switch destination {
        case .memory:
            guard bodyBytes <= limits.bodySize else {
                return fail(.tooLarge, "sent more than the body limit of \(limits.bodySize) bytes")
            }
            body.append(contentsOf: bytes)
            return true
        case .file(let url):
            guard bodyBytes <= limits.downloadSize else {
                return fail(.tooLarge, "sent more than the download limit of \(limits.downloadSize) bytes")
            }
            keepEnds(of: bytes)
            hash.update(bufferPointer: bytes)
            return write(bytes, for: url)
        }
    }

    private func keepEnds(of bytes: UnsafeRawBufferPointer) {
        if body.count < 1024 { body.append(contentsOf: bytes.prefix(1024 - body.count)) }
        if bytes.count >= 1024 {
            end.removeAll(keepingCapacity: true)
        } else if end.count > 16 << 10 {
            end.removeFirst(end.count - 1024)
        }
        end.append(contentsOf: bytes.suffix(1024))
    }

    private func write(_ bytes: UnsafeRawBufferPointer, for url: URL) -> Bool {
        if file < 0, !openFile(for: url) { return false }
        var rest = bytes
        while !rest.isEmpty {
            let written = Foundation.write(file, rest.baseAddress, rest.count)
            if written < 0 {
                if errno == EINTR { continue }
                return fail(
                    .file, "the download could not be written: \(FileError.words(of: errno))", isHost: false)
            }
            rest = UnsafeRawBufferPointer(rebasing: rest[written...])
        }
        return true
    }

    private func openFile(for url: URL) -> Bool {
        path = url.path
        let temporary = path + ".tmp"
        file = open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard file >= 0 else {
            return fail(
                .file, "the download's file cannot be created: \(FileError.words(of: errno))", isHost: false)
        }
        self.temporary = temporary
        return true
    }

    @discardableResult
    private func fail(_ code: CurlError.Code, _ message: String, isHost: Bool = true) -> Bool {
        failure = CurlError(code, isHost ? "\(host) \(message)" : message)
        return false
    }

    func failFirstByte() {
        fail(.timeout, "sent nothing within the first-byte limit of \(limits.firstByte.milliseconds) ms")
    }

    func refuse(_ error: CurlError) { failure = error }

    // MARK: The end

    func finish(_ status: Int, timings: HTTPTimings, reused: Bool) {
        var head = HTTPResponseHead(
            status: status, url: request.url, version: version, headers: headers, timings: timings,
            reusedConnection: reused)
        head.connection = connection
        if case .file = destination, coding?.isComplete == false {
            fail(
                .connectionLost, "closed the connection before the answer was complete: its compressed data has no end")
            return finish(failure ?? .cancelled)
        }
        do {
            if case .file(let url) = destination { try commit(to: url) }
        } catch {
            return finish(error)
        }
        let digest = if case .file = destination { Base16.encode(hash.finalize()) } else { "" }
        continuation.resume(
            returning: Outcome(head: head, body: body, bytes: bodyBytes, sha256: digest, end: Array(end.suffix(1024))))
    }

    func finish(_ error: CurlError) {
        if file >= 0 { close(file) }
        if let temporary { unlink(temporary) }
        continuation.resume(throwing: failure ?? error)
    }

    private func commit(to url: URL) throws(CurlError) {
        if file < 0 { guard openFile(for: url) else { throw failure! } }
        let isClosed = close(file) == 0
        file = -1
        guard isClosed, let temporary, rename(temporary, path) == 0 else {
            throw CurlError(.file, "the download could not be kept: \(FileError.words(of: errno))")
        }
        self.temporary = nil
    }
}

extension UnsafeBufferPointer<UInt8> {
    /// The bytes without white space at either end.
    fileprivate var trimmingSpace: Self {
        var (start, end) = (0, count)
        while start < end, self[start] <= 0x20 { start += 1 }
        while start < end, self[end - 1] <= 0x20 { end -= 1 }
        return Self(rebasing: self[start..<end])
    }

    /// The text of a header, which is bytes: UTF-8, or else ISO 8859-1 (RFC 9110, section 5.5).
    fileprivate var headerText: String {
        if allSatisfy({ $0 < 0x80 }) { return String(decoding: self, as: UTF8.self) }
        return String(validating: self, as: UTF8.self)
            ?? String(String.UnicodeScalarView(map { Unicode.Scalar($0) }))
    }
}

/// A flag that the caller of an exchange sets to give it up. Any thread may set it, even before the exchange has begun.
final class Cancellation: Sendable {
    private let flag = Atomic(false)

    var isRequested: Bool { flag.load(ordering: .acquiring) }

    func request() { flag.store(true, ordering: .releasing) }
}
