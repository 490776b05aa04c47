import CurlClient
import Encodings
import Foundation
import Markup
import Secrets
import Selectors
import WebURL

/// A browser without a screen: one visit, with its own cookies and connections, which are never written to disk.
///
/// It does one thing at a time, except downloads, which may run side by side, and requests nothing that the configuration's egress policy forbids.
public actor BrowserSession {
    let configuration: BrowserConfiguration
    let http: any HTTPTransport
    let guarded: GuardedCookies
    /// The open page.
    public private(set) var page: Page?
    private var state = FormState()
    private var history = History()
    /// True if the request for ``page`` may be repeated.
    private var isRepeatable = false
    /// Is called before a redirect repeats a body; its error ends the exchange.
    private(set) var checkBeforeRepeating: (@Sendable () throws -> Void)?
    /// The exchanges whose request a server may have received, redirects among them, whether or not an answer came.
    package private(set) var exchangeCount = 0

    /// - Parameter transport: makes the exchanges; nil means libcurl.
    public init(_ configuration: BrowserConfiguration, transport: (any HTTPTransport)? = nil) {
        self.configuration = configuration
        guarded = GuardedCookies(configuration.guardedCookies)
        http = transport ?? CurlSession(configuration.http)
    }

    /// The executor on which tasks that use the session run best.
    public nonisolated var executor: (any TaskExecutor)? { http.executor }

    public var currentPage: Page {
        get throws {
            guard let page else { throw NavigationError(code: .noPage, message: "no page is open yet; open one first") }
            return page
        }
    }

    /// Sets the check that is made before a redirect repeats a body. Its error ends the exchange, and nothing is sent.
    public func beforeRepeating(_ check: @escaping @Sendable () throws -> Void) { checkBeforeRepeating = check }

    public func cookies() async -> [HTTPCookie] { await http.cookies() }

    /// Puts cookies of an earlier visit among those of the session.
    public func put(_ cookies: [HTTPCookie]) async { await http.put(cookies) }

    /// Ends the current exchange and forgets everything.
    public func close() async {
        await http.close()
        page = nil
        state = FormState()
        history = History()
    }

    /// Makes one exchange, and counts it unless nothing of it left this machine.
    func counting<Value>(_ exchange: () async throws -> Value) async throws -> Value {
        do {
            let value = try await exchange()
            exchangeCount += 1
            return value
        } catch {
            if (error as? CurlError)?.nothingWasSent != true { exchangeCount += 1 }
            throw error
        }
    }

    // MARK: Going somewhere

    /// Opens a URL, relative to the open page.
    @discardableResult
    public func open(_ reference: String) async throws -> Page {
        try await visit(try hop(opening: reference))
    }

    /// Follows a link.
    @discardableResult
    public func follow(_ locator: Locator) async throws -> Page {
        try await go(try link(try currentPage.element(locator)))
    }

    /// Presses a button, which submits its form, or follows a link that looks like a button.
    ///
    /// - Parameter point: the place to press, if the button is an image.
    @discardableResult
    public func press(_ locator: Locator, at point: ImagePoint = .corner) async throws -> Page {
        try await go(try activation(of: try pressable(locator), at: point))
    }

    /// Submits a field's form as the Enter key does (implicit submission, HTML Standard, section 4.10.21.2).
    @discardableResult
    public func submit(formOf locator: Locator) async throws -> Page {
        try await go(try implicitSubmission(from: try currentPage.element(locator)))
    }

    /// Submits a form without a button, as the page's own script would.
    ///
    /// - Parameter fields: values to set before, by their names; a field that the form lacks is added.
    @discardableResult
    public func submit(form locator: Locator, with fields: [(name: String, value: Input)]) async throws -> Page {
        try await go(try submission(of: locator, with: fields))
    }

    /// Sets fields of a form, and returns what submitting it without a button leads to.
    func submission(of locator: Locator, with fields: [(name: String, value: Input)]) throws -> Activation {
        let form = try currentPage.element(locator)
        guard form.tag == .form else {
            throw FormError(.noForm, "\(form.glimpse) is not a form; name the form itself")
        }
        var added: [EntryList.Entry] = []
        for field in fields {
            let control = form.ownedControls.first { $0[attribute: "name"] == field.name && !$0.controlType.isButton }
            switch control?.controlType {
            case nil: added.append(EntryList.Entry(name: field.name, value: .input(field.value)))
            case .select, .checkbox, .radio, .file:
                throw FormError(
                    .wrongKind, "“\(field.name)” is not a field for text; use choose or check before submit")
            default: if let control { state.set(field.value, of: control) }
            }
        }
        return try submission(of: form, by: nil, adding: added)
    }

    /// Requests the page again. A page that came from a submitted form is not requested again, because that would send
    /// the form twice.
    @discardableResult
    public func reload() async throws -> Page {
        let page = try currentPage
        guard isRepeatable else {
            throw NavigationError(
                code: .notRepeatable, message: "\(page.place) came from a submitted form, which is not sent twice")
        }
        return try await visit(Hop(url: page.location), replacesPage: true)
    }

    /// Goes back to the previous page. If it is no longer kept, it is requested again.
    @discardableResult
    public func back() async throws -> Page {
        guard let last = history.pop() else {
            throw NavigationError(code: .noPage, message: "the session has no earlier page to go back to")
        }
        if let kept = last.page {
            show(kept, isRepeatable: last.isRepeatable)
            return kept
        }
        guard last.isRepeatable else {
            throw NavigationError(
                code: .notRepeatable,
                message: "\(last.url.displayText) came from a submitted form, which is not sent twice"
            )
        }
        return try await visit(Hop(url: last.url), replacesPage: true)
    }

    /// Enters a frame. Its document becomes the open page; ``back()`` leaves it.
    @discardableResult
    public func enter(frame locator: Locator) async throws -> Page {
        let outer = try currentPage
        let frame = try outer.frame(locator)
        if let source = frame[attribute: "srcdoc"], frame.name == "iframe" {
            let inner = try Page(inline: source, in: outer)
            history.push(outer, isRepeatable: isRepeatable)
            show(inner, isRepeatable: false)
            return inner
        }
        guard let source = frame[attribute: "src"], !source.foldingSpace.isEmpty else {
            throw NavigationError(
                code: .noSuchFrame, message: "\(frame.glimpse) has no page in it; only JavaScript would load one")
        }
        return try await visit(hop(to: try resolve(source), from: frame))
    }

    // MARK: Filling in

    /// Types into a field, if a person could.
    ///
    /// - Throws: ``LocatorError``, or ``FormError`` with the reason why a person could not.
    public func fill(_ locator: Locator, with value: Input) throws {
        try state.fill(try currentPage.element(locator), with: value)
    }

    /// Chooses from a list or a group of radio buttons, by the option's label or else its value.
    public func choose(_ option: TextMatch, in locator: Locator) throws {
        try state.choose(option, in: try currentPage.element(locator), locator: locator)
    }

    /// Chooses an option that is a secret: it is shown nowhere, and refused where it would be part of a URL.
    public func choose(secret option: Secret, in locator: Locator) throws {
        let list = try currentPage.element(locator)
        guard list.controlType == .select else {
            throw FormError(.wrongKind, "\(list.glimpse) is not a list")
        }
        var changed = state
        do {
            try changed.choose(.exact(option.revealed()), in: list, locator: locator)
        } catch {
            throw FormError(.noSuchOption, "\(list.glimpse) does not have the option")
        }
        changed.keepSecret(list)
        state = changed
    }

    public func check(_ locator: Locator, _ isOn: Bool = true) throws {
        try state.check(try currentPage.element(locator), isOn)
    }

    /// Returns a field's current value: the typed one, or the page's; for a list, the chosen option's label.
    public func value(of locator: Locator) throws -> Input {
        let field = try currentPage.element(locator)
        guard field.controlType == .select else { return state.value(of: field) }
        return .text(state.selectedOptions(of: field).map(\.optionLabel).joined(separator: ", "))
    }

    // MARK: Beside the page

    /// Makes a JSON exchange. The open page does not change.
    public func request(_ request: JSONRequest) async throws -> JSONResponse {
        let (response, _) = try await send(try hop(request), following: !request.keepsBodySecret)
        guard !request.keepsBodySecret else {
            var answer = JSONResponse(status: response.status, headers: response.headers, json: nil)
            if !response.body.isEmpty { answer.secretBody = Secret(bytes: response.body) }
            return answer
        }
        let type = response.header("content-type")
        var (json, unreadable) = ForeignJSON.outcome(response.body, contentType: type)
        let markup = json == nil ? MarkupInAnswer.text(response.body, contentType: type) : nil
        if json == nil, let read = XMLAnswer.json(response.body, contentType: type) { (json, unreadable) = (read, nil) }
        return JSONResponse(
            status: response.status, headers: response.headers, json: json, unreadable: unreadable, markup: markup)
    }

    /// Returns the bytes of an image on the page.
    public func image(_ locator: Locator) async throws -> (bytes: [UInt8], mediaType: String) {
        let image = try currentPage.element(locator)
        guard let source = image[attribute: "src"] else {
            throw NavigationError(code: .notALink, message: "\(image.glimpse) is not an image with a source")
        }
        if let inline = DataURL(source) { return (inline.bytes, inline.mediaType) }
        let (response, _) = try await send(hop(to: try resolve(source), from: image))
        return (response.body, response.header("content-type") ?? "image/png")
    }

    // MARK: Arriving

    private func go(_ activation: Activation) async throws -> Page {
        switch activation {
        case .visit(let hop): return try await visit(hop)
        case .stay: return try currentPage
        case .reset(let form):
            state.reset(form)
            return try currentPage
        }
    }

    private func visit(_ first: Hop, replacesPage: Bool = false) async throws -> Page {
        var hop = first
        var isReplacing = replacesPage
        var isRefresh = false
        for _ in 0...configuration.maximumRedirects {
            let (response, last) = try await send(hop)
            // No content: a browser stays on its page (HTML Standard, section 7.4.2.2).
            if response.status == 204 || response.status == 205, let page {
                // The typed secrets have been sent. Another press must not send them again.
                if last.body != nil { state.forgetSecrets() }
                return page
            }
            let arrived = try Page(response, location: last.url, limits: configuration.document)
            // A refresh to a file begins a download: a browser stays on its page.
            if isRefresh, arrived.isFile, let page { return page }
            if let page, !isReplacing { history.push(page, isRepeatable: isRepeatable) }
            show(arrived, isRepeatable: last.method == "GET")
            if let form = arrived.selfSubmittingForm, case .visit(let next) = try submission(of: form, by: nil) {
                hop = next
                isReplacing = true
                isRefresh = false
                continue
            }
            guard let target = refreshTarget(of: arrived), let delay = arrived.refresh?.delay else { return arrived }
            if delay > .zero { try await Task.sleep(for: delay) }
            hop = Hop(url: target, referrer: last.url)
            isReplacing = true
            isRefresh = true
        }
        throw NavigationError(
            code: .tooManyRedirects,
            message:
                "more than \(configuration.maximumRedirects) refreshes in a row, the last one on \(try currentPage.place)"
        )
    }

    /// Returns the URL that a page refreshes to, if it does so soon and leads elsewhere. A page that refreshes itself
    /// waits for something; the caller decides how long.
    private func refreshTarget(of page: Page) -> URLRecord? {
        guard let refresh = page.refresh, let reference = refresh.reference,
            refresh.delay <= configuration.longestRefresh,
            let target = try? URLRecord(parsing: reference, base: page.base),
            target.withoutFragment != page.location.withoutFragment
        else { return nil }
        return target
    }

    private func show(_ page: Page, isRepeatable: Bool) {
        self.page = page
        self.isRepeatable = isRepeatable
        state = FormState()
    }

    var formState: FormState { state }

    /// The changes to the open page's forms.
    package var filledForms: FilledForms { state.filled }
}
