import CurlClient
import Foundation
import JSON
import Selectors

/// What a session may do and how it introduces itself.
public struct BrowserConfiguration: Sendable {
    public var egress: EgressPolicy
    public var http: CurlConfiguration
    /// BCP 47 tags, as in the header.
    public var acceptLanguage = "en"
    public var maximumRedirects = 20
    /// The longest `Refresh` delay that is waited for.
    public var longestRefresh: Duration = .seconds(10)
    public var observer: (@Sendable (Exchange) -> Void)?

    public init(egress: EgressPolicy, http: CurlConfiguration = CurlConfiguration()) {
        self.egress = egress
        self.http = http
    }
}

/// What is downloaded.
public enum DownloadSource: Sendable {
    /// A link, or a button that submits its form.
    case control(Locator)
    case open(String)
    case request(JSONRequest)
}

/// A browser without a screen: one person's visit, with cookies and connections of its own that are never written down.
public actor BrowserSession {
    let configuration: BrowserConfiguration
    let http: CurlSession
    public private(set) var page: Page?
    private var state = FormState()
    private var history: [Page] = []

    /// Pages that can be gone back to.
    private static let longestHistory = 10

    public init(_ configuration: BrowserConfiguration) {
        self.configuration = configuration
        http = CurlSession(configuration.http)
    }

    public var currentPage: Page {
        get throws {
            guard let page else { throw NavigationError(code: .noPage, message: "no page is open yet; open one first") }
            return page
        }
    }

    public func cookies() async -> [HTTPCookie] { await http.cookies() }

    public func close() async { await http.close() }

    // MARK: Going somewhere

    @discardableResult
    public func open(_ reference: String) async throws -> Page {
        try await visit(Hop(url: try resolve(reference)))
    }

    @discardableResult
    public func follow(_ locator: Locator) async throws -> Page {
        try await visit(try link(try currentPage.element(locator)))
    }

    /// Presses a button: its form is submitted. A link that looks like a button is followed.
    @discardableResult
    public func press(_ locator: Locator) async throws -> Page {
        try await visit(try activation(of: try currentPage.element(locator)))
    }

    /// Submits a field's form with its default button (implicit submission, HTML standard, section 4.10.21.2).
    @discardableResult
    public func submit(formOf locator: Locator) async throws -> Page {
        let field = try currentPage.element(locator)
        guard let form = field.formOwner else {
            throw NavigationError(
                code: .needsJavaScript, message: "\(field.glimpse) belongs to no form; only JavaScript could send it")
        }
        let button = field.document.root?.descendants.first { $0.isSubmitButton && $0.formOwner == form }
        return try await visit(try submission(of: form, by: button))
    }

    @discardableResult
    public func reload() async throws -> Page {
        let url = try WebURL(parsing: try currentPage.url)
        return try await visit(Hop(url: url, isReload: true))
    }

    @discardableResult
    public func back() async throws -> Page {
        guard let last = history.popLast() else {
            throw NavigationError(code: .noPage, message: "there is no page to go back to")
        }
        page = last
        state = FormState()
        return last
    }

    /// Goes inside a frame; its document is the page from here on.
    @discardableResult
    public func enter(frame locator: Locator) async throws -> Page {
        let frame = try currentPage.element(locator)
        guard ["iframe", "frame"].contains(frame.name), let source = frame[attribute: "src"] else {
            throw NavigationError(code: .noSuchFrame, message: "\(frame.glimpse) is no frame with a page in it")
        }
        return try await visit(Hop(url: try resolve(source)))
    }

    // MARK: Filling in

    public func fill(_ locator: Locator, with value: FieldValue) throws {
        try state.fill(try currentPage.element(locator), with: value)
    }

    public func choose(_ option: TextMatch, in locator: Locator) throws {
        try state.choose(option, in: try currentPage.element(locator), locator: locator)
    }

    public func check(_ locator: Locator, _ isOn: Bool = true) throws {
        try state.check(try currentPage.element(locator), isOn)
    }

    // MARK: Beside the page

    /// Makes a JSON exchange; the page stays as it is.
    public func request(_ request: JSONRequest) async throws -> JSONResponse {
        let (response, _) = try await send(try hop(request))
        let json = try? JSONReader.read(response.body, limits: JSONLimits(size: max(response.body.count, 1)))
        return JSONResponse(status: response.status, headers: response.headers, json: json)
    }

    /// The bytes of a picture on the page.
    public func image(_ locator: Locator) async throws -> (bytes: [UInt8], mediaType: String) {
        let image = try currentPage.element(locator)
        guard let source = image[attribute: "src"] else {
            throw NavigationError(code: .notALink, message: "\(image.glimpse) is no picture with a source")
        }
        if let inline = DataURL(source) { return (inline.bytes, inline.mediaType) }
        let (response, _) = try await send(Hop(url: try resolve(source), referrer: try? WebURL(parsing: currentPage.url)))
        return (response.body, response.header("content-type") ?? "image/png")
    }

    /// Streams what the source leads to into a new file; the page stays as it is.
    public func download(_ source: DownloadSource, to file: URL, limit: Int) async throws -> HTTPDownload {
        let first: Hop
        switch source {
        case .control(let locator): first = try activation(of: try currentPage.element(locator))
        case .open(let reference): first = Hop(url: try resolve(reference))
        case .request(let request): first = try hop(request)
        }
        var hop = first
        var seen: [String] = []
        while true {
            try admit(hop, after: &seen)
            let download: HTTPDownload
            let startedAt = Date()
            let request = self.request(for: hop)
            download = try await http.download(request, to: file, limit: limit)
            observe(request, download.head, body: nil, bytes: download.bytes, at: startedAt)
            guard let next = try hop.redirected(by: download.head) else { return download }
            try? FileManager.default.removeItem(at: file)
            hop = next
        }
    }

    // MARK: Hops

    private func visit(_ first: Hop) async throws -> Page {
        var hop = first
        if hop.referrer == nil, let page { hop.referrer = try? WebURL(parsing: page.url) }
        for _ in 0..<5 {
            let (response, url) = try await send(hop)
            let arrived = try Page(response, url: url)
            if let page, !hop.isReload {
                history.append(page)
                history = history.suffix(Self.longestHistory)
            }
            page = arrived
            state = FormState()
            guard let refresh = arrived.refresh, refresh.delay <= configuration.longestRefresh,
                let target = try? WebURL(parsing: refresh.reference, base: arrived.base),
                target.withoutFragment.description != arrived.url
            else { return arrived }
            try await Task.sleep(for: refresh.delay)
            hop = Hop(url: target, referrer: url)
        }
        return try currentPage
    }

    /// Makes the exchange and follows its redirects, each hop against the egress policy.
    private func send(_ first: Hop) async throws -> (HTTPResponse, WebURL) {
        var hop = first
        var seen: [String] = []
        while true {
            try admit(hop, after: &seen)
            let startedAt = Date()
            let request = request(for: hop)
            let response = try await http.send(request)
            observe(request, response.head, body: response.body, bytes: response.body.count, at: startedAt)
            guard let next = try hop.redirected(by: response.head) else { return (response, hop.url) }
            hop = next
        }
    }

    private func admit(_ hop: Hop, after seen: inout [String]) throws {
        try configuration.egress.check(hop.url)
        let name = "\(hop.method) \(hop.url.withoutFragment)"
        // The same address may answer otherwise once it has set a cookie; three times is a loop.
        guard seen.count(where: { $0 == name }) < 3 else {
            throw NavigationError(code: .redirectLoop, message: "\(hop.url.displayText) redirects in a circle")
        }
        seen.append(name)
        guard seen.count <= configuration.maximumRedirects + 1 else {
            throw NavigationError(
                code: .tooManyRedirects, message: "more than \(configuration.maximumRedirects) redirects in a row")
        }
    }

    private func request(for hop: Hop) -> HTTPRequest {
        var headers = [
            HTTPHeader("Accept", hop.accept), HTTPHeader("Accept-Language", configuration.acceptLanguage),
        ]
        if let referrer = hop.referrerValue { headers.append(HTTPHeader("Referer", referrer)) }
        if let type = hop.contentType { headers.append(HTTPHeader("Content-Type", type)) }
        if hop.method != "GET", let origin = (hop.referrer ?? hop.url).originText {
            headers.append(HTTPHeader("Origin", origin))
        }
        return HTTPRequest(
            hop.method, hop.url.withoutFragment.description, headers: headers + hop.headers, body: hop.body)
    }

    private func observe(
        _ request: HTTPRequest, _ head: HTTPResponseHead, body: [UInt8]?, bytes: Int, at startedAt: Date
    ) {
        configuration.observer?(
            Exchange(
                startedAt: startedAt, method: request.method, url: request.url, requestHeaders: request.headers,
                requestBody: request.body, status: head.status, responseHeaders: head.headers, responseBody: body,
                responseBytes: bytes, timings: head.timings))
    }

    // MARK: From elements to hops

    private func resolve(_ reference: String) throws -> WebURL {
        guard let page else { return try WebURL(parsing: reference) }
        return try WebURL(parsing: reference, base: page.base, encoding: page.document.encoding.queryEncoding)
    }

    private func link(_ element: Element) throws -> Hop {
        let around = element.name == "a" ? element : element.ancestors.first { $0.name == "a" }
        guard let reference = (around ?? element)[attribute: "href"] else {
            throw NavigationError(
                code: .notALink, message: "\(element.glimpse) is no link; only JavaScript could follow it. "
                    + "The bank’s JSON requests are the usual way in")
        }
        guard !reference.foldingSpace.lowercased().hasPrefix("javascript:") else {
            throw NavigationError(
                code: .needsJavaScript, message: "\(element.glimpse) runs JavaScript instead of leading somewhere. "
                    + "The bank’s JSON requests are the usual way in")
        }
        return Hop(url: try resolve(reference), referrer: try WebURL(parsing: try currentPage.url))
    }

    private func activation(of element: Element) throws -> Hop {
        if ["a", "area"].contains(element.name) { return try link(element) }
        guard element.isSubmitButton else {
            throw NavigationError(
                code: .notAButton, message: "\(element.glimpse) submits nothing; only JavaScript could do something "
                    + "with it. The bank’s JSON requests are the usual way in")
        }
        guard !element.isDisabled else { throw FormError(message: "\(element.glimpse) is disabled") }
        guard let form = element.formOwner else {
            throw NavigationError(
                code: .needsJavaScript, message: "\(element.glimpse) belongs to no form; only JavaScript could do "
                    + "something with it. The bank’s JSON requests are the usual way in")
        }
        return try submission(of: form, by: element)
    }

    private func submission(of form: Element, by button: Element?) throws -> Hop {
        let page = try currentPage
        // An empty action means the page's own URL, whatever its base says (HTML standard, section 4.10.21.3, step 11).
        let hasAction = !((button?[attribute: "formaction"] ?? form[attribute: "action"] ?? "").isEmpty)
        let base = hasAction ? try page.base : try WebURL(parsing: page.url)
        let submission = try Submission(of: form, submitter: button, state: state, base: base)
        return Hop(
            url: submission.url, method: submission.method, body: submission.body,
            contentType: submission.contentType, referrer: try WebURL(parsing: page.url))
    }

    private func hop(_ request: JSONRequest) throws -> Hop {
        var headers: [HTTPHeader] = []
        for (name, value) in request.headers {
            switch value {
            case .text(let text): headers.append(HTTPHeader(name, text))
            case .secret(let secret): headers.append(HTTPHeader(name, secret.revealed()))
            }
        }
        let body = try request.body?.revealed.canonicalBytes()
        return Hop(
            url: try resolve(request.reference), method: request.method, body: body,
            contentType: body == nil ? nil : "application/json", referrer: try page.map { try WebURL(parsing: $0.url) },
            headers: headers, accept: "application/json, */*;q=0.1")
    }
}
