import CLibCurl
import Clocks
import Encodings
import Foundation
import Machine

extension Transfer {
    /// Prepares the handle for this exchange. Options that hold for every exchange are set already, and connections,
    /// cookies and TLS sessions stay with the handle.
    ///
    /// - Returns: false when this libcurl cannot compare the pins; nothing may be sent then.
    func prepare(
        _ easy: UnsafeMutableRawPointer, _ configuration: CurlConfiguration, _ pins: CertificatePins?
    ) -> Bool {
        takeBack(from: easy)
        handle = easy
        _ = countersign_curl_set_text(easy, CURLOPT_URL, request.url)
        _ = countersign_curl_set_long(easy, CURLOPT_CONNECTTIMEOUT_MS, limits.connect.milliseconds)
        _ = countersign_curl_set_long(easy, CURLOPT_TIMEOUT_MS, limits.whole.milliseconds)
        _ = countersign_curl_set_long(easy, CURLOPT_FRESH_CONNECT, 0)
        if !configuration.pinnedPublicKeys.isEmpty {
            let pins = configuration.pinnedPublicKeys[origin]?.map { "sha256//\($0)" }.joined(separator: ";")
            _ = countersign_curl_set_text(easy, CURLOPT_PINNEDPUBLICKEY, pins)
        }
        if !configuration.resolve.isEmpty {
            var list: UnsafeMutablePointer<curl_slist>?
            for entry in configuration.resolve { list = curl_slist_append(list, entry) }
            _ = countersign_curl_set_list(easy, CURLOPT_RESOLVE, list)
            resolveList = list
        }
        detail.initialize(repeating: 0, count: Self.roomForDetail)
        _ = countersign_curl_set_pointer(easy, CURLOPT_ERRORBUFFER, detail)
        prepareBody(easy)
        prepareHeaders(easy)
        let me = Unmanaged.passUnretained(self).toOpaque()
        _ = countersign_curl_set_pointer(easy, CURLOPT_PREREQDATA, me)
        _ = countersign_curl_set_pointer(easy, CURLOPT_HEADERDATA, me)
        _ = countersign_curl_set_pointer(easy, CURLOPT_WRITEDATA, me)
        if let socket = request.socket { use(socket, on: easy) }
        return pins?.lend(to: easy) ?? true
    }

    /// Has libcurl connect to a Unix socket, with a descriptor that this exchange makes and so knows: libcurl 7.88 does not
    /// name its own before the request is sent (`CURLINFO_ACTIVESOCKET`).
    private func use(_ socket: ServedSocket, on easy: UnsafeMutableRawPointer) {
        _ = countersign_curl_set_text(easy, CURLOPT_UNIX_SOCKET_PATH, socket.file.path)
        _ = countersign_curl_set_open_socket(easy) { context, _, _ in
            Unmanaged<Transfer>.fromOpaque(context!).takeUnretainedValue().openSocket()
        }
        _ = countersign_curl_set_pointer(easy, CURLOPT_OPENSOCKETDATA, Unmanaged.passUnretained(self).toOpaque())
    }

    private func prepareBody(_ easy: UnsafeMutableRawPointer) {
        // Undo the method of the exchange before.
        _ = countersign_curl_set_long(easy, CURLOPT_HTTPGET, 1)
        var method: String?
        if request.method == "HEAD" {
            _ = countersign_curl_set_long(easy, CURLOPT_NOBODY, 1)
        } else if let body = request.body {
            _ = countersign_curl_set_long(easy, CURLOPT_POST, 1)
            _ = countersign_curl_set_off(easy, CURLOPT_POSTFIELDSIZE_LARGE, curl_off_t(body.count))
            // libcurl sends a body that it holds as a whole together with the head.
            _ = body.withUnsafeBytes { bytes in
                countersign_curl_set_bytes(easy, CURLOPT_COPYPOSTFIELDS, bytes.baseAddress ?? UnsafeRawPointer(easy))
            }
            method = request.method
        } else if request.method != "GET" {
            method = request.method
            // Use a new connection: without a body, libcurl would repeat this request when a kept connection turns out
            // to be closed.
            _ = countersign_curl_set_long(easy, CURLOPT_FRESH_CONNECT, 1)
        }
        _ = countersign_curl_set_text(easy, CURLOPT_CUSTOMREQUEST, method)
    }

    private func prepareHeaders(_ easy: UnsafeMutableRawPointer) {
        var list: UnsafeMutablePointer<curl_slist>?
        for header in request.headers {
            header.withLine { line in list = curl_slist_append(list, line) }
        }
        if !request.headers.contains(where: { $0.isNamed("accept-encoding") }) {
            HTTPHeader("Accept-Encoding", ContentCoding.accepted).withLine { line in
                list = curl_slist_append(list, line)
            }
        }
        list = curl_slist_append(list, "Expect:")
        if request.body != nil, !request.headers.contains(where: { $0.isNamed("content-type") }) {
            list = curl_slist_append(list, "Content-Type:")
        }
        headerList = list
        _ = countersign_curl_set_list(easy, CURLOPT_HTTPHEADER, list)
    }

    /// Returns whether to try again: once, a GET on a kept connection that the server had closed before it answered.
    /// Nothing is repeated that may count twice.
    func mayRetry(_ code: CURLcode, on easy: UnsafeMutableRawPointer) -> Bool {
        guard request.method == "GET", !wasRetried, !hasAnswer, bodyBytes == 0, isReused(easy) else { return false }
        guard [CURLE_GOT_NOTHING, CURLE_RECV_ERROR, CURLE_SEND_ERROR].contains(code) else { return false }
        wasRetried = true
        return true
    }

    /// True if this exchange made a connection.
    var madeConnection: Bool { handle.map { !isReused($0) } ?? true }

    private func isReused(_ easy: UnsafeMutableRawPointer) -> Bool {
        var made = 0
        return countersign_curl_get_long(easy, CURLINFO_NUM_CONNECTS, &made) == CURLE_OK && made == 0
    }

    /// Returns whether any of the request was sent, perhaps on a kept connection that failed. libcurl, or a second
    /// attempt, then connects anew, and an error of that connection does not tell whether the server has seen the
    /// request.
    func wasSent(on easy: UnsafeMutableRawPointer) -> Bool {
        var bytes = 0
        return wasRetried || countersign_curl_get_long(easy, CURLINFO_REQUEST_SIZE, &bytes) == CURLE_OK && bytes > 0
    }

    /// The error of the certificate's verification, as OpenSSL numbers them; 0 without one.
    private func verification(on easy: UnsafeMutableRawPointer) -> Int {
        var error = 0
        return countersign_curl_get_long(easy, CURLINFO_SSL_VERIFYRESULT, &error) == CURLE_OK ? error : 0
    }

    /// Takes back what the handle was lent: after an exchange, and before one is repeated.
    private func takeBack(from easy: UnsafeMutableRawPointer) {
        _ = countersign_curl_set_text(easy, CURLOPT_POSTFIELDS, nil)
        _ = countersign_curl_set_list(easy, CURLOPT_HTTPHEADER, nil)
        _ = countersign_curl_set_list(easy, CURLOPT_RESOLVE, nil)
        _ = countersign_curl_set_pointer(easy, CURLOPT_ERRORBUFFER, nil)
        if request.socket != nil {
            _ = countersign_curl_set_text(easy, CURLOPT_UNIX_SOCKET_PATH, nil)
            _ = countersign_curl_set_open_socket(easy, nil)
        }
        curl_slist_free_all(headerList)
        curl_slist_free_all(resolveList)
        headerList = nil
        resolveList = nil
    }

    /// - Parameter result: nil when the exchange was cancelled.
    func complete(_ result: CURLcode?, on easy: UnsafeMutableRawPointer) {
        defer { takeBack(from: easy) }
        guard let result else { return finish(.cancelled(nothingWasSent: !wasSent(on: easy))) }
        var connected: curl_off_t = 0
        _ = countersign_curl_get_off(easy, CURLINFO_PRETRANSFER_TIME_T, &connected)
        guard result == CURLE_OK else {
            if [CURLE_COULDNT_CONNECT, CURLE_COULDNT_RESOLVE_HOST].contains(result), let socket = request.socket {
                return finish(.unserved(socket, wasSent: wasSent(on: easy)))
            }
            return finish(
                CurlError(
                    result, detail: String(cString: detail), verification: verification(on: easy), host: host,
                    limits: limits, hadConnected: connected > 0, wasSent: wasSent(on: easy)))
        }
        var status = 0
        var firstByte: curl_off_t = 0
        var total: curl_off_t = 0
        _ = countersign_curl_get_long(easy, CURLINFO_RESPONSE_CODE, &status)
        _ = countersign_curl_get_off(easy, CURLINFO_STARTTRANSFER_TIME_T, &firstByte)
        _ = countersign_curl_get_off(easy, CURLINFO_TOTAL_TIME_T, &total)
        let timings = HTTPTimings(
            connected: .microseconds(connected), firstByte: .microseconds(firstByte), total: .microseconds(total))
        finish(status, timings: timings, reused: isReused(easy))
    }
}

extension Transfer {
    /// Scheme, host and port of the request: the key of the pinned public keys.
    private var origin: String {
        let isTLS = request.isTLS
        let host = host.lowercased()
        return "http\(isTLS ? "s" : "")://" + (isTLS && host.hasSuffix(":443") ? String(host.dropLast(4)) : host)
    }
}

extension HTTPHeader {
    /// Calls a closure with the header as libcurl takes it. A header with a line break would be two headers, so it is
    /// not sent.
    fileprivate func withLine(_ body: (UnsafePointer<CChar>) -> Void) {
        guard !name.isEmpty else { return }
        name.withBytes { name in
            value.withBytes { value in
                let mark = value.isEmpty ? 1 : 2
                let count = name.count + mark + value.count
                withUnsafeTemporaryAllocation(of: UInt8.self, capacity: count + 1) { line in
                    line.initialize(repeating: UInt8(ascii: " "))
                    line[name.count] = value.isEmpty ? UInt8(ascii: ";") : UInt8(ascii: ":")
                    for index in name.indices { line[index] = name[index] }
                    for index in value.indices { line[name.count + mark + index] = value[index] }
                    guard line[..<count].allSatisfy({ $0 != 0x0D && $0 != 0x0A && $0 != 0 }) else { return }
                    line[count] = 0
                    line.withMemoryRebound(to: CChar.self) { if let start = $0.baseAddress { body(start) } }
                }
            }
        }
    }
}

extension HTTPRequest {
    var isTLS: Bool { url.utf8.prefix(6).lazy.map(\.lowered).elementsEqual("https:".utf8) }
}

extension CurlError {
    /// No program accepts a connection at a Unix socket.
    fileprivate static func unserved(_ socket: ServedSocket, wasSent: Bool) -> CurlError {
        guard socket.hasRoom else {
            return CurlError(.couldNotConnect, "\(socket.lackOfRoom); nothing was sent")
        }
        let reason =
            "the socket \(socket.file.path) cannot be reached: no program listens there, or this one may not open it"
        guard wasSent else { return CurlError(.couldNotConnect, reason) }
        return CurlError(.connectionLost, "the connection ended before the answer, and then \(reason)")
    }
}
