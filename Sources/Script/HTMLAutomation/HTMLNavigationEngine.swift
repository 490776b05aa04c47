import Automation
import BankScript
import CurlClient
import Encodings
import Foundation
import HTMLEngine
import Secrets
import Selectors
import WebURL

/// The settings of the HTML engine that the program decides, not the script.
public struct EngineConfiguration: Sendable {
    /// A PEM file with a certificate authority to trust besides the system's.
    public var certificateAuthority: URL?
    /// Is called for every exchange. An exchange holds secrets: pass it through `Redactor` before it goes anywhere.
    public var observer: (@Sendable (Exchange) -> Void)?
    /// Makes the exchanges; libcurl when nil.
    public var transport: (any HTTPTransport)?

    public init(
        certificateAuthority: URL? = nil, transport: (any HTTPTransport)? = nil,
        observer: (@Sendable (Exchange) -> Void)? = nil
    ) {
        self.certificateAuthority = certificateAuthority
        self.transport = transport
        self.observer = observer
    }
}

/// The browser without a screen and without JavaScript, as a script's engine.
public struct HTMLNavigationEngine: ThreadConfinedEngine {
    private let session: BrowserSession

    /// - Throws: ``EngineError`` when the script names an invalid origin.
    public init(for script: BankScript, configuration: EngineConfiguration = .init()) throws(EngineError) {
        do {
            let origins = try script.origins.map(Origin.init(parsing:))
            var http = CurlConfiguration()
            http.extraCAFile = configuration.certificateAuthority
            for (origin, keys) in script.pins {
                // An invalid pin stays in the list. It matches no key, so the connection is refused.
                http.pinnedPublicKeys[try Origin(parsing: origin).description] = keys.map {
                    String($0.trimmingPrefix("sha256/"))
                }
            }
            var browser = BrowserConfiguration(
                egress: EgressPolicy(origins: origins, allowsLoopbackHTTP: script.isForTesting), http: http)
            browser.acceptLanguage = script.locale
            browser.observer = configuration.observer
            browser.guardedCookies = script.device
            session = BrowserSession(browser, transport: configuration.transport)
        } catch {
            throw EngineError(error)
        }
    }

    public var executor: (any TaskExecutor)? { session.executor }
    public var isolation: any Actor { session }
    public var downloadsSideBySide: Bool { true }

    public func open(_ reference: String) async throws { try await exchange { _ = try await $0.open(reference) } }
    public func follow(_ link: Locator) async throws { try await exchange { _ = try await $0.follow(link) } }
    public func press(_ button: Locator) async throws { try await exchange { _ = try await $0.press(button) } }
    public func enter(frame: Locator) async throws { try await exchange { _ = try await $0.enter(frame: frame) } }
    public func reload() async throws { try await exchange { _ = try await $0.reload() } }
    public func back() async throws { try await exchange { _ = try await $0.back() } }

    public func submit(formOf field: Locator) async throws {
        try await exchange { _ = try await $0.submit(formOf: field) }
    }

    public func submit(form: Locator, with fields: [(name: String, value: Input)]) async throws {
        try await exchange { _ = try await $0.submit(form: form, with: fields) }
    }

    public func choose(secret option: Secret, in list: Locator) async throws {
        try await engine { try await $0.choose(secret: option, in: list) }
    }

    public func submitButtons(formOf field: Locator) async throws -> [String] {
        try await engine { try await $0.currentPage.submitButtons(formOf: field) }
    }

    public func rule(of field: Locator, brokenBy value: Secret) async throws -> String? {
        try await engine { session in
            let page = try await session.currentPage
            return page.rule(of: try page.element(field), brokenBy: value)?.description
        }
    }

    public func characterFields(of field: Locator) async throws -> [Locator] {
        try await engine { try await $0.currentPage.characterFields(of: field) }
    }

    public func fill(_ field: Locator, with input: Input) async throws {
        try await engine { try await $0.fill(field, with: input) }
    }

    public func choose(_ option: String, in list: Locator) async throws {
        try await engine { try await $0.choose(.name(option), in: list) }
    }

    public func check(_ box: Locator, _ isOn: Bool) async throws {
        try await engine { try await $0.check(box, isOn) }
    }

    public func texts(_ locator: Locator) async throws -> [String] {
        try await engine { try await $0.currentPage.elements(locator).map(\.text) }
    }

    public func shownTexts(_ locator: Locator) async throws -> [String] {
        try await engine { try await $0.currentPage.elements(locator).filter(\.isShown).map(\.text) }
    }

    public func rows() async throws -> [String] {
        try await engine { try await $0.currentPage.document.rows.map(\.text) }
    }

    public func text(of locator: Locator) async throws -> String {
        try await engine { try await $0.currentPage.element(locator).text }
    }

    public func attribute(_ name: String, of locator: Locator) async throws -> String? {
        try await engine { try await $0.currentPage.element(locator)[attribute: name] }
    }

    public func picture(_ image: Locator) async throws -> Prompt.Picture {
        try await exchange { session in
            let picture = try await session.image(image)
            return Prompt.Picture(bytes: picture.bytes, mediaType: picture.mediaType)
        }
    }

    public func page() async -> EnginePage? {
        await session.page.map { EnginePage($0) }
    }

    public func cookies() async -> [(name: String, value: String)] {
        await session.cookies().map { (name: $0.name, value: $0.value) }
    }

    public func deviceCookies(named names: [String]) async throws -> [DeviceCookie] {
        await session.cookies().filter { names.contains($0.name) }.map { DeviceCookie($0) }
    }

    public func put(_ cookies: [DeviceCookie]) async throws {
        await session.put(cookies.map { HTTPCookie($0) })
    }

    public func snapshot(outlining locator: Locator?) async -> (any PageSnapshot)? {
        guard let page = await session.page else { return nil }
        return HTMLPageSnapshot(page, filled: await session.filledForms, outlining: locator)
    }

    public func skeleton(knowing texts: Set<String>) async -> PageSkeleton? {
        await session.page.map { PageSkeleton($0.document, knowing: texts) }
    }

    public func request(_ request: EngineRequest) async throws -> EngineAnswer {
        try await exchange { session in
            let answer = try await session.request(JSONRequest(request))
            var made = EngineAnswer(
                status: answer.status, headers: answer.headers.map { (name: $0.name, value: $0.value) },
                json: answer.json, unreadable: answer.unreadable,
                markup: answer.markup)
            made.secretBody = answer.secretBody
            return made
        }
    }

    public func value(of locator: Locator, attribute: String?, inMarkup markup: String) async throws -> String? {
        MarkupInAnswer.value(of: locator, attribute: attribute, in: markup)
    }

    public func download(_ source: EngineDownload, to file: URL, limit: Int) async throws -> EngineFile {
        try await exchange { session in
            let source: DownloadSource =
                switch source {
                case .control(let locator): .control(locator)
                case .open(let reference): .open(reference)
                case .request(let request): .request(JSONRequest(request))
                case .submit(let form, let fields): .submit(form: form, with: fields)
                case .printedPage:
                    throw EngineError(
                        .refused, "only the browser can print a page; write “engine: browser” in the script")
                }
            let download = try await session.download(source, to: file, limit: limit)
            var received = EngineFile(
                status: download.status, mediaType: download.header("content-type"), sha256: download.sha256,
                bytes: download.bytes, firstBytes: download.firstBytes, lastBytes: download.lastBytes,
                retryAfter: download.header("retry-after"))
            if !received.isPDF || !(200...299).contains(received.status) {
                received.page = EnginePage(downloaded: received, at: file, from: download.head.url)
            }
            return received
        }
    }

    public func beforeRepeating(_ check: @escaping @Sendable () throws -> Void) async {
        await session.beforeRepeating(check)
    }

    public func close() async { await session.close() }

    /// Does what sends nothing.
    private func engine<Value: Sendable>(
        _ work: @Sendable (BrowserSession) async throws -> Value
    ) async throws -> Value {
        do {
            return try await work(session)
        } catch {
            throw told(error, mayHaveArrived: false)
        }
    }

    /// Does what asks the bank for something. Its error says whether the bank may have received it.
    private func exchange<Value: Sendable>(
        _ work: @Sendable (BrowserSession) async throws -> Value
    ) async throws -> Value {
        let before = await session.exchangeCount
        do {
            return try await work(session)
        } catch {
            throw told(error, mayHaveArrived: await session.exchangeCount > before)
        }
    }

    private func told(_ error: any Error, mayHaveArrived: Bool) -> any Error {
        // The run's own check, which the session passes through.
        if error is RunFailure { return error }
        var told = EngineError(error)
        told.mayHaveArrived = mayHaveArrived
        return told
    }
}

extension JSONRequest {
    fileprivate init(_ request: EngineRequest) {
        self.init(
            method: request.method, reference: request.reference, headers: request.headers, query: request.query,
            body: request.body, form: request.form)
        keepsBodySecret = request.keepsBodySecret
    }
}

// libcurl keeps no SameSite, and this engine sends nothing in the name of another site.

extension DeviceCookie {
    fileprivate init(_ cookie: HTTPCookie) {
        self.init(
            name: cookie.name, value: Secret(cookie.value), domain: String(cookie.domain.trimmingPrefix(".")),
            includesSubdomains: cookie.includesSubdomains, path: cookie.path, isSecure: cookie.isSecure,
            isHTTPOnly: cookie.isHTTPOnly,
            expiresAt: cookie.expires == 0 ? nil : Date(timeIntervalSince1970: TimeInterval(cookie.expires)))
    }
}

extension HTTPCookie {
    fileprivate init(_ cookie: DeviceCookie) {
        self.init(
            name: cookie.name, value: cookie.value.revealed(),
            domain: cookie.includesSubdomains ? "." + cookie.domain : cookie.domain,
            includesSubdomains: cookie.includesSubdomains, path: cookie.path, isSecure: cookie.isSecure,
            isHTTPOnly: cookie.isHTTPOnly, expires: cookie.expiresAt.map { Int($0.timeIntervalSince1970) } ?? 0)
    }
}
