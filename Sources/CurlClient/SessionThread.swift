import CLibCurl
import Foundation

/// The thread that libcurl runs on, for one session.
final class SessionThread: @unchecked Sendable {
    private static let initialised: Bool = curl_global_init(Int(CURL_GLOBAL_ALL)) == CURLE_OK

    private enum Job {
        case transfer(Transfer)
        case cookies(CheckedContinuation<[HTTPCookie], Never>)
    }

    private let configuration: CurlConfiguration
    private let multi: UnsafeMutableRawPointer
    private let authorities: TrustedAuthorities?
    private let pins: CertificatePins?
    private let lock = NSCondition()
    private var jobs: [Job] = []
    private var isStopped = false
    private var isStarted = false

    init(_ configuration: CurlConfiguration) {
        precondition(Self.initialised, "libcurl cannot be initialised")
        self.configuration = configuration
        authorities = TrustedAuthorities(adding: configuration.extraCAFile)
        let isPinned = configuration.acceptsNoCertificate || !configuration.pinnedCertificates.isEmpty
        pins =
            isPinned
            ? CertificatePins(configuration.acceptsNoCertificate ? [] : configuration.pinnedCertificates) : nil
        multi = curl_multi_init()
    }

    func add(_ transfer: Transfer) { enqueue(.transfer(transfer)) }

    func cookies() async -> [HTTPCookie] {
        await withCheckedContinuation { enqueue(.cookies($0)) }
    }

    func wake() { lock.withLock { if !isStopped { curl_multi_wakeup(multi) } } }

    func stop() {
        lock.withLock {
            guard !isStopped else { return }
            isStopped = true
            if isStarted { curl_multi_wakeup(multi) } else { curl_multi_cleanup(multi) }
            lock.signal()
        }
    }

    private func enqueue(_ job: Job) {
        let isRefused = lock.withLock {
            if isStopped { return true }
            jobs.append(job)
            if !isStarted {
                isStarted = true
                let thread = Thread { self.run() }
                thread.name = "countersign.curl"
                thread.stackSize = 512 << 10
                thread.start()
            }
            lock.signal()
            return false
        }
        if isRefused { refuse(job) }
    }

    private func refuse(_ job: Job) {
        switch job {
        case .transfer(let transfer): transfer.finish(CurlError(.closed, "the session is closed"))
        case .cookies(let continuation): continuation.resume(returning: [])
        }
    }

    private func next() -> Job? {
        lock.withLock {
            while jobs.isEmpty, !isStopped { lock.wait() }
            return isStopped ? nil : jobs.removeFirst()
        }
    }

    private var mustStop: Bool { lock.withLock { isStopped } }

    // MARK: On the thread

    private func run() {
        let easy = curl_easy_init()!
        while let job = next() {
            switch job {
            case .transfer(let transfer): perform(transfer, on: easy)
            case .cookies(let continuation): continuation.resume(returning: CookieJar(easy).cookies)
            }
        }
        curl_easy_cleanup(easy)
        let left = lock.withLock {
            defer { jobs = [] }
            curl_multi_cleanup(multi)
            return jobs
        }
        left.forEach(refuse)
    }

    private func perform(_ transfer: Transfer, on easy: UnsafeMutableRawPointer) {
        guard !transfer.isCancelled else { return transfer.finish(.cancelled) }
        guard let authorities else {
            let file = configuration.extraCAFile?.path ?? "the authorities’ file"
            return transfer.finish(CurlError(.tls, "\(file) cannot be read; it should hold a certificate authority"))
        }
        let isTLS = transfer.request.url.lowercased().hasPrefix("https:")
        if pins != nil, !isTLS { return transfer.finish(.unencrypted(transfer.host)) }
        let jar = CookieJar(easy)
        let hidden = isTLS ? [] : jar.takeSecure()
        guard transfer.prepare(easy, configuration, authorities, pins) else {
            transfer.refuse(.pinsUnsupported)
            return transfer.complete(CURLE_NOT_BUILT_IN, on: easy)
        }
        var result = drive(transfer, on: easy)
        if let code = result, transfer.mayRetry(code, on: easy) {
            transfer.reset()
            _ = transfer.prepare(easy, configuration, authorities, pins)
            demandFreshConnection(easy)
            result = drive(transfer, on: easy)
        }
        jar.put(hidden)
        jar.markSecure(as: transfer.headers)
        if let seen = pins?.refused { transfer.refuse(.unpinned(transfer.host, certificate: seen)) }
        transfer.complete(result, on: easy)
    }

    /// A retry must not meet the next dead connection of the pool.
    private func demandFreshConnection(_ easy: UnsafeMutableRawPointer) {
        _ = countersign_curl_set_long(easy, CURLOPT_FRESH_CONNECT, 1)
    }

    /// - Returns: nil when the transfer was cancelled or the session stopped.
    private func drive(_ transfer: Transfer, on easy: UnsafeMutableRawPointer) -> CURLcode? {
        curl_multi_add_handle(multi, easy)
        defer { curl_multi_remove_handle(multi, easy) }
        var running: Int32 = 0
        while true {
            guard curl_multi_perform(multi, &running) == CURLM_OK else { return CURLE_FAILED_INIT }
            var left: Int32 = 0
            while let message = curl_multi_info_read(multi, &left) {
                if message.pointee.msg == CURLMSG_DONE { return countersign_curl_result(message) }
            }
            if transfer.isCancelled || mustStop { return nil }
            if transfer.isPastFirstByteLimit {
                transfer.failFirstByte()
                return CURLE_OPERATION_TIMEDOUT
            }
            curl_multi_poll(multi, nil, 0, 250, nil)
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
