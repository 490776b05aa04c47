import Automation
import BankScript
import Crypto
import Encodings
import Foundation
import HTMLEngine
import Machine
import Markup
import Secrets
import Selectors
import WebURL

// Requests in the page's name, pictures, and documents.

extension BrowserNavigationEngine {
    /// The longest time until a document begins.
    private static let beginLimit: Duration = .seconds(30)
    /// The longest time for a page in a new window to begin a document.
    static let pageLimit: Duration = .seconds(5)
    static let downloadLimit: Duration = .seconds(300)
    /// The bytes of a body that come in one message.
    private static let chunk = 3 << 20

    struct Fetched {
        var status: Int
        var headers: [(name: String, value: String)]
        var size: Int

        init(_ json: JSONValue) {
            let pairs = (json["headers"]?.arrayValue ?? []).compactMap(\.arrayValue)
            status = json["status"]?.intValue ?? 0
            headers = pairs.map { ($0.first?.stringValue ?? "", $0.last?.stringValue ?? "") }
            size = json["size"]?.intValue ?? 0
        }

        func header(_ name: String) -> String? { headers.last { $0.name.lowercased() == name }?.value }
    }

    public func request(_ request: EngineRequest) async throws -> EngineAnswer {
        try await engine {
            let answer = try await fetch(request, limit: 16 << 20)
            let body = try await body(answer)
            let (json, unreadable) = ForeignJSON.outcome(body, contentType: answer.header("content-type"))
            return EngineAnswer(
                status: answer.status, headers: answer.headers, json: json, unreadable: unreadable,
                markup: json == nil ? MarkupInAnswer.text(body, contentType: answer.header("content-type")) : nil)
        }
    }

    public func value(of locator: Locator, attribute: String?, inMarkup markup: String) async throws -> String? {
        MarkupInAnswer.value(of: locator, attribute: attribute, in: markup)
    }

    public func picture(_ image: Locator) async throws -> Prompt.Picture {
        try await engine {
            let (page, element) = try await locate(image) { try $0.element(image) }
            guard let source = element[attribute: "src"] else {
                throw EngineError(.other, "\(element.shortDescription) is not an image with a source")
            }
            if let inline = DataURL(source) { return Prompt.Picture(bytes: inline.bytes, mediaType: inline.mediaType) }
            let answer = try await fetch(
                "GET", try page.resolve(source), headers: [:], body: "", limit: 16 << 20)
            return Prompt.Picture(
                bytes: try await body(answer), mediaType: answer.header("content-type") ?? "image/png")
        }
    }

    public func download(_ source: EngineDownload, to file: URL, limit: Int) async throws -> EngineFile {
        try await engine {
            switch source {
            case .printedPage: return try await printPage(to: file, limit: limit)
            case .request(let request): return try await receive(try await fetch(request, limit: limit), to: file)
            case .open(let reference):
                let url = try hasPage ? openURL(reference) : URLRecord(parsing: reference)
                try policy.check(url)
                hasPage = true
                return try await download(to: file, limit: limit) { try await navigate(to: url) }
            case .submit(let form, let fields):
                try await checkFilled()
                let (_, element) = try await locate(form) { try $0.element(form) }
                return try await download(to: file, limit: limit) { try await submit(element, with: fields) }
            case .control(let control):
                try await checkFilled()
                let find: (Page) throws -> Element = { page in
                    let element = try page.pressable(control)
                    try page.checkUsable(element)
                    try self.checkLink(element, on: page)
                    return element
                }
                return try await withTarget(at: control, checkingForm: true, find) { target in
                    try await download(to: file, limit: limit) { try await click(target) }
                }
            }
        }
    }

    private func openURL(_ reference: String) throws -> URLRecord {
        guard let lastPage else { throw noPage }
        return try lastPage.resolve(reference)
    }

    // MARK: By a click

    /// Does what begins a download, and returns the document, or the page that came instead of it.
    private func download(to file: URL, limit: Int, _ begin: () async throws -> Void) async throws -> EngineFile {
        try failOnDialog()
        let window = context
        knownWindows = activity.read { Set($0.windows.keys) }
        let (count, begun) = activity.read { state in
            state.dialogCount = 0
            for id in state.windows.keys { state.windows[id]?.failure = nil }
            return (state.downloads.count, state.windows[window]?.begun ?? 0)
        }
        var shown = ShownDocuments(before: (try? await watchShownDocuments()) ?? [:])
        lastReading = nil
        try await begin()
        filled = []
        var end = ContinuousClock.now + Self.beginLimit
        while true {
            let version = activity.version
            try failOnDialog()
            if let begun = download(after: count, except: shown.ownDownloads) {
                return try await receive(download: begun, to: file, limit: limit)
            }
            if let failure = try await lastingFailure() { throw failed(failure) }
            if download(after: count, except: shown.ownDownloads) != nil { continue }
            if await moveToOpenedWindow(includingWritten: true) {
                // The page of the window may begin the download, or show the document.
                _ = try? await watchShownDocuments()
                try await settle()
                // A page that the opener has written may only say that the document is being made.
                if activity.window(context).arrived != nil { end = min(end, .now + Self.pageLimit) }
                continue
            }
            if let next = shown.next(of: (try? await watchShownDocuments()) ?? [:]) {
                if let document = try await receive(shown: next, &shown, to: file, limit: limit) { return document }
                if shown.obstacle != nil { end = min(end, .now + Self.pageLimit) }
                // A page may show one after the other for ever.
                if ContinuousClock.now < end { continue }
            }
            let state = activity.window(context)
            if context == window, state.begun > begun, state.failure == nil, !isArriving, state.arrived != nil {
                try await settle()
                if download(after: count, except: shown.ownDownloads) != nil { continue }
                return try await pageInstead(at: file, limit: limit)
            }
            guard ContinuousClock.now < end else {
                guard context == window else { return try await pageInstead(at: file, limit: limit) }
                throw shown.obstacle ?? EngineError(.timeout, "no document came within \(Self.beginLimit.inWords)")
            }
            try await activity.change(since: version, within: Self.longestWait)
        }
    }

    /// Returns the index of the first download since a number of them, without those that the engine itself asked for.
    private func download(after count: Int, except own: Set<String>) -> Int? {
        activity.read { state in
            state.downloads.indices.dropFirst(count).first { !own.contains(state.downloads[$0].url) }
        }
    }

    func receive(download index: Int, to file: URL, limit: Int) async throws -> EngineFile {
        let end = ContinuousClock.now + Self.downloadLimit
        while true {
            let version = activity.version
            let (download, answer) = activity.read { state in
                (state.downloads[index], state.downloads[index].navigation.flatMap { state.answers[$0] })
            }
            let declared = answer?.headers.last { $0.name.lowercased() == "content-length" }.flatMap { Int($0.value) }
            if max(declared ?? 0, arrivedBytes) > limit {
                throw EngineError(
                    .tooLarge,
                    "the document is larger than the limit of \(limit) bytes; raise the step's limit if it is right")
            }
            if download.hasEnded {
                guard download.isComplete, let path = download.file else {
                    throw EngineError(.network, "the document broke off before its end; run the script again")
                }
                // Its name alone: the browser may be another user's, who must not choose among this user's files.
                let arrived = downloads.appending(path: URL(filePath: path).lastPathComponent)
                try OpenedFile(arrived).copy(to: file, atMost: limit) { _ in }
                try? FileManager.default.removeItem(at: arrived)
                return try described(
                    file, status: answer?.status ?? 200, mediaType: answer?.header("content-type"),
                    retryAfter: answer?.header("retry-after"))
            }
            guard ContinuousClock.now < end else {
                throw EngineError(.timeout, "the document did not come within \(Self.downloadLimit.inWords)")
            }
            // Events tell of its end, but not of how much has come.
            try await activity.change(since: version, within: Self.longestWait)
        }
    }

    private var arrivedBytes: Int {
        let files = try? FileManager.default.contentsOfDirectory(
            at: downloads, includingPropertiesForKeys: [.fileSizeKey])
        return (files ?? []).reduce(0) { $0 + ((try? $1.resourceValues(forKeys: [.fileSizeKey]).fileSize) ?? 0) }
    }

    private func pageInstead(at file: URL, limit: Int) async throws -> EngineFile {
        let page = try await render().page
        // A PDF that the bank calls a page: the browser shows it as text, which has lost some of its bytes.
        if page.text.hasPrefix("%PDF-") {
            if page.location.scheme == "blob",
                let received = try await receive(embedded: page.location.description, to: file, limit: limit)
            {
                return received
            }
            guard arrival.method == "GET" else {
                throw EngineError(
                    .other,
                    "the bank sends the PDF as a page of type \(page.contentType ?? "text/html"), which the browser shows as text; "
                        + "leave out “engine: browser”")
            }
            return try await receive(
                try await fetch("GET", page.location, headers: [:], body: "", limit: limit), to: file)
        }
        try PassingFile.write(Array(page.text.utf8), to: file)
        var described = try described(
            file, status: page.status, mediaType: page.contentType,
            retryAfter: page.headers.last { $0.name.lowercased() == "retry-after" }?.value)
        described.page = EnginePage(page)
        return described
    }

    /// Reads what is said about a document from its file, piece by piece. The browser wrote it, so it may be anything.
    func described(_ file: URL, status: Int, mediaType: String?, retryAfter: String? = nil) throws -> EngineFile {
        var digest = SHA256()
        var size = 0
        var first: [UInt8] = []
        var last: [UInt8] = []
        try OpenedFile(file).read { (data: UnsafeRawBufferPointer) in
            digest.update(bufferPointer: data)
            if size == 0 { first = Array(data.prefix(1024)) }
            size += data.count
            last = Array((last + data.suffix(1024)).suffix(1024))
        }
        return EngineFile(
            status: status, mediaType: mediaType, sha256: Base16.encode(digest.finalize()), bytes: size,
            firstBytes: first, lastBytes: last, retryAfter: retryAfter)
    }

    // MARK: By a request

    private func fetch(_ request: EngineRequest, limit: Int) async throws -> Fetched {
        guard request.query.allSatisfy({ !$0.value.isSecret }) else {
            throw EngineError(.refused, "the browser sends no secret in an address; leave out “engine: browser”")
        }
        var url = try hasPage ? openURL(request.reference) : URLRecord(parsing: request.reference)
        if !request.query.isEmpty {
            let added = String(decoding: JSONRequest.formData(request.query), as: UTF8.self)
            url = url.replacing(
                query: [url.query, added].compactMap(\.self).filter { !$0.isEmpty }.joined(separator: "&"))
        }
        try policy.check(url)
        if !hasPage { try await lend(Origin(of: url)) }
        var headers: [String: JSONValue] = ["Accept": "application/json"]
        if request.body != nil { headers["Content-Type"] = "application/json" }
        if request.form != nil { headers["Content-Type"] = .string(JSONRequest.formType) }
        for header in request.headers { headers[header.name] = .string(header.value.revealed) }
        let body = try request.body.map {
            String(decoding: try $0.jsonValue(\.revealed).canonicalBytes(), as: UTF8.self)
        }
        let form = request.form.map { String(decoding: JSONRequest.formData($0), as: UTF8.self) }
        return try await fetch(request.method, url, headers: headers, body: form ?? body ?? "", limit: limit)
    }

    /// Opens the origin's first page, because a request needs a page that it comes from.
    private func lend(_ origin: Origin?) async throws {
        guard let origin, lastPage.flatMap({ Origin(of: $0.location) }) != origin else { return }
        do {
            try await visit(origin.description + "/")
        } catch {
            // The request itself has not begun.
            var told = EngineError(browser: error)
            told.mayHaveArrived = false
            throw told
        }
        hasPage = false
        activity.read { $0.hasRequested = false }
    }

    private func fetch(
        _ method: String, _ url: URLRecord, headers: [String: JSONValue], body: String, limit: Int
    ) async throws -> Fetched {
        let fields = String(decoding: try JSONValue.object(headers).canonicalBytes(), as: UTF8.self)
        let text = try await call(
            PageScripts.fetch, .string(method), .string(url.description), .string(fields), .string(body),
            .number(Double(limit)), within: Self.downloadLimit)
        let json = try JSONReader.read(text.stringValue ?? "")
        if let words = json["failure"]?.stringValue {
            throw EngineError(.network, "\(Origin(of: url)?.description ?? "") did not answer: \(words)")
        }
        guard json["isTooLarge"] != true else {
            throw EngineError(.tooLarge, "the answer is larger than the limit of \(limit) bytes")
        }
        if let arrived = json["url"]?.stringValue, let last = try? URLRecord(parsing: arrived) {
            try policy.check(last)
        }
        return Fetched(json)
    }

    private func body(_ answer: Fetched) async throws -> [UInt8] {
        var bytes: [UInt8] = []
        while bytes.count < answer.size { bytes += try await part(from: bytes.count) }
        return bytes
    }

    private func part(from start: Int) async throws -> Data {
        let text = try await call(
            PageScripts.body, .number(Double(start)), .number(Double(start + Self.chunk)))
        guard let data = Data(base64Encoded: text.stringValue ?? ""), !data.isEmpty else {
            throw BrowserError(.nonsense, "the browser lost the body of an answer")
        }
        return data
    }

    func receive(_ answer: Fetched, to file: URL) async throws -> EngineFile {
        try PassingFile.write([], to: file)
        let handle = try FileHandle(forWritingTo: file)
        defer { try? handle.close() }
        var start = 0
        while start < answer.size {
            let data = try await part(from: start)
            try data.withUnsafeBytes { try AtomicFile.write($0, to: handle.fileDescriptor, file.path) }
            start += data.count
        }
        var received = try described(
            file, status: answer.status, mediaType: answer.header("content-type"),
            retryAfter: answer.header("retry-after"))
        if !received.isPDF || !(200...299).contains(received.status) {
            received.page = EnginePage(downloaded: received, at: file)
        }
        return received
    }
}
