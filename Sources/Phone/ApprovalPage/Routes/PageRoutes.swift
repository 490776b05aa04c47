import Automation
import Crypto
import Encodings
import Foundation
import HTTPTypes
import Hummingbird
import KeyVault
import Languages
import Machine
import Messages
import Phone
import PhoneStore
import Secrets
import Storage
import WebServing

/// The page's routes. This file has those that only read; the extensions have those that act.
struct PageRoutes: Sendable {
    let state: PageState
    let configuration: PageServerConfiguration
    /// The authority that devices can be told to trust; nil for a page without one.
    let authority: PageAuthority?

    func router() -> Router<PageContext> {
        let router = Router(context: PageContext.self)
        router.add(
            middleware: PageLanguage(PageText.$sentences, of: PageResources.sentences) { [state] _ in
                await state.language
            })
        router.add(
            middleware: PageGuard(
                state: state, cookie: cookie, isBehindProxy: configuration.isBehindProxy,
                isStrict: configuration.isTLS && authority == nil))
        router.add(middleware: PageErrors())
        router.get("/style.css") { _, _ in Self.file(PageResources.style, "text/css; charset=utf-8") }
        router.get("/page.js") { request, _ in
            Self.file(request.spoken(PageResources.spokenScripts) ?? "", "text/javascript; charset=utf-8")
        }
        for (name, type) in [
            ("offline.html", "text/html; charset=utf-8"), ("worker.js", "text/javascript; charset=utf-8"),
        ] {
            router.get("/\(name)") { request, _ in
                Self.file(request.spoken(PageResources.spokenFiles)?[name] ?? "", type)
            }
        }
        for (name, (type, bytes)) in PageResources.files {
            router.get("/\(name)") { _, _ in Response.file(bytes, type) }
        }
        router.get("/") { _, _ in door() }
        router.post("/") { request, _ in try await enter(request) }
        if let authority { addTrust(in: authority, to: router) }
        let pages = router.group("/at/:place")
        // An app that is installed from here opens here, where its cookie is.
        pages.get("/app.webmanifest") { _, _ in
            let language = PageText.sentences.language
            return Self.file(
                PageResources.spokenFiles[language]?["app.webmanifest"] ?? "", "application/manifest+json")
        }
        pages.get { request, context in try await home(request, context) }
        pages.get("/history") { request, context in try await history(request, context) }
        pages.get("/documents") { request, context in try await documents(request, context) }
        pages.get("/documents/:id/:name") { _, context in try await document(context) }
        pages.get("/banks") { request, context in try await banks(request, context) }
        pages.get("/settings") { request, context in try await settings(request, context) }
        pages.get("/devices") { _, context in try await devices(context) }
        pages.get("/audit") { request, context in try await audit(request, context) }
        pages.get("/audit/export") { request, context in try await export(request, context) }
        pages.get("/passkeys") { request, context in try await passkeys(request, context) }
        pages.get("/requests/:id/report") { _, context in try await report(context) }
        pages.get("/requests/:id/report.txt") { _, context in try await reportFile(context) }
        pages.get("/requests/:id/statement") { _, context in try await statement(context) }
        pages.get("/events") { request, context in try await events(request, context) }
        addSigningIn(to: pages)
        pages.get("/ask") { request, context in try await askForm(request, context) }
        addAsking(to: pages)
        addDeciding(to: pages)
        addPasskeys(to: pages)
        addPassphrase(to: pages)
        addForgetting(to: pages)
        addBanks(to: pages)
        addAdding(to: pages)
        addConnecting(to: pages)
        addReturns(to: router)
        addSettings(to: pages)
        addDevices(to: pages)
        addPairing(to: pages)
        addHousehold(to: pages)
        addClients(to: pages)
        addAuthenticator(to: pages)
        return router
    }

    var cookie: PageCookie { PageCookie(isTLS: configuration.isTLS) }

    /// Returns a redirection to the home page of a session, perhaps with a new cookie.
    func toHome(_ session: PageSession, cookie value: String? = nil) async throws -> Response {
        try await to(.inbox, session, cookie: value)
    }

    /// Returns a redirection to a place, perhaps with a new cookie.
    func to(_ place: PageReturn, _ session: PageSession, cookie value: String? = nil) async throws -> Response {
        var response = Response.redirect(to: session.base + place.path, type: .normal)
        if let value { response.setCookie(cookie.make(value, for: session, at: try await state.relyingParty())) }
        return response
    }

    // MARK: The door

    /// The page without a code. It never asks for a passphrase, so that its owner does not get used to typing one here.
    func door(notice: String? = nil, status: HTTPResponse.Status = .ok) -> Response {
        PageViews.page("door", title: PageText.of("door.title"), session: nil, notice: notice, status: status)
    }

    private func enter(_ request: Request) async throws -> Response {
        guard let form = try await PostedForm(request, upTo: PageRequest.largest) else { throw PageRefusal.badInput }
        guard
            let (session, cookie) = try await state.admit(
                form.secret("code"), KnownBrowser(userAgent: request.headers[.userAgent]))
        else {
            return door(notice: PageText.of("door.used"), status: .forbidden)
        }
        return try await toHome(session, cookie: cookie)
    }

    private static func file(_ text: String, _ type: String) -> Response { .file(Array(text.utf8), type) }

    // MARK: The inbox

    /// The time for which a request that has ended stands above those that wait, in seconds. They begin when a page has shown it.
    private static let justEnded: TimeInterval = 600

    private func home(_ request: Request, _ context: PageContext) async throws -> Response {
        guard let session = context.session else { throw PageRefusal.signInFirst }
        guard session.isSignedIn else {
            return try await signIn(session, back: PageReturn(request.uri.queryParameters["back"].map { String($0) }))
        }
        let runner = try await state.unlocked()
        // Counted first: a change that happens while the page is made is fetched once more.
        let version = String(state.changes.count)
        let pending = try await cards(runner, session)
        let past = try await state.history.requests([.completed, .failed, .denied, .expired], limit: 4)
        let shown = Array(past.prefix(3))
        // The person should see how it ended, also with other cards below.
        let ends = await state.progress.ends
        let justEnded = shown.filter {
            guard [.completed, .failed].contains($0.status) else { return false }
            // Without an entry it ended before this page was opened.
            let since = ends[$0.id].map { $0 ?? runner.now } ?? $0.updatedAt
            return runner.now.timeIntervalSince(max(since, $0.updatedAt)) < Self.justEnded
        }
        if request.headers[.pageRenewal] != PageGuard.hiddenRenewal {
            await state.showed(justEnded.map(\.id), at: runner.now)
        }
        let ended = Set(justEnded.map(\.id))
        let refused = try await refusals(besides: Set(pending.compactMap { $0["id"] as? String }))
        var values: [String: Any] = [
            "pending": pending,
            "justEnded": try await justEnded.asyncMap { try await self.values(of: $0, runner, session) },
            "refused": refused.map {
                [
                    "message": $0.message, "lacksScript": $0.reason == MessageError.Code.scriptMissing.rawValue,
                    "id": $0.requestID.map { String($0.prefix(8)) } ?? PageText.of("home.without-id"),
                    "time": PageViews.moment($0.seenAt),
                ]
                    as [String: Any]
            },
            "recent": try await shown.filter { !ended.contains($0.id) }.asyncMap {
                try await self.values(of: $0, runner, session)
            },
            "hasRecent": shown.count > justEnded.count,
            "offers": runner.offers.map { PageViews.values($0, session: session) },
            "mayAsk": try await !askableBanks(runner).isEmpty, "hasPast": !past.isEmpty,
            "waitingCount": String(pending.count),
            "version": version,
        ]
        values["trouble"] = await state.trouble
        values["warnings"] = try await warnings()
        values["renewals"] = try await state.store.storedConsents().compactMap {
            HoldWords.renewal(of: $0, at: runner.now, bankName: runner.bankName($0.bankID))
        }
        let question = await state.prompt.open.map { PageViews.values($0, session: session, now: Date()) }
        if let run = await state.progress.current {
            let stored = try await state.store.request(run.id)
            var card = PageViews.values(run, stored, bankName: stored.map { runner.bankName($0.bankID) } ?? "")
            // Its own card asks; the page's question would show twice.
            card["question"] = question ?? false
            values["run"] = card
        } else {
            values["question"] = question
        }
        return PageViews.page(
            "home", title: PageText.of("home.title"), session: session, in: .inbox, isLive: true, values)
    }

    /// Returns the latest refusals of messages. What could not be shown without its script, and waits now, was not refused after all.
    /// Every other refusal is told: the id in a message is only what its sender says.
    private func refusals(besides waiting: Set<String>) async throws -> [Refusal] {
        let told = try await state.store.refusals(limit: .max).filter {
            $0.reason != MessageError.Code.scriptMissing.rawValue || !waiting.contains($0.requestID ?? "")
        }
        return Array(told.prefix(5))
    }

    /// Returns the values of the cards that wait for a decision.
    private func cards(_ runner: PhoneRunner, _ session: PageSession) async throws -> [[String: Any]] {
        let slots = try state.home.vault.slots()
        let completed = try await state.store.requests([.completed], limit: 200)
        return try await runner.pending().map { request in
            let context = PageViews.CardContext(
                slots: slots, session: session, now: runner.now,
                destination: PageText.of(
                    "card.folder", ["path": (configuration.statements() ?? runner.inbox).path]),
                origins: runner.scripts.script(forBank: request.bankID)?.origins ?? [],
                isTest: runner.scripts.script(forBank: request.bankID)?.isForTesting == true,
                cautions: Cautions.of(request, after: completed))
            return PageViews.values(request, context)
        }
    }

    /// Returns the values of a past request.
    func values(
        of request: StoredRequest, _ runner: PhoneRunner, _ session: PageSession, _ warnings: [RunWarning] = []
    ) async throws -> [String: Any] {
        var document: String?
        if request.status == .completed, request.isStatement {
            let received = try await state.store.receivedDocument(ReceivedDocument.statement, of: request.id)
            document =
                received?.isKept == true
                ? "/documents/\(request.id)/\(ReceivedDocument.statement)" : "/requests/\(request.id)/statement"
        }
        let hasReport = request.status == .failed && FailureReports.exists(for: request.id, in: state.home)
        let hold = request.status == .failed ? try await state.store.hold(onBank: request.bankID) : nil
        let isOnHold = request.errorCode == ErrorCode.bankOnHold.rawValue
        let script = runner.scripts.script(forBank: request.bankID)
        let next = NextStep(
            after: request, needsOwner: script?.exchange?.needsOwner == true, origins: script?.origins ?? [],
            hold: isOnHold ? hold?.reason : nil, hasReport: hasReport)
        return PageViews.values(
            request, bankName: runner.bankName(request.bankID), warnings: warnings, document: document,
            report: hasReport ? "/requests/\(request.id)/report" : nil, next: next,
            again: script == nil ? nil : session.csrfToken,
            // An older hold, or one of another request, belongs to a card of its own.
            hold: hold.flatMap {
                $0.since >= request.createdAt && $0.since <= request.updatedAt.addingTimeInterval(60) ? $0 : nil
            })
    }

    /// Returns the changes of the last day to the ways into the vault, and to who can approve, which the owner should have made.
    private func warnings() async throws -> [[String: Any]] {
        let yesterday = Date().addingTimeInterval(-86_400)
        let records = try await state.store.audit.records(
            AuditFilter(leastSeverity: .warning, type: "passkey", since: yesterday, limit: 20))
        let devices: [[String: Any]] = try await state.store.audit.records(
            AuditFilter(leastSeverity: .warning, type: AuditKind.pairingDone.rawValue, since: yesterday, limit: 5)
        ).reversed().map {
            let name = ReportText.cleaned($0.event.details["name"]?.stringValue ?? "", limit: 64)
            return [
                "text": PageText.of("home.device-paired", ["name": name]), "time": PageViews.moment($0.event.time),
                "ofDevice": true,
            ]
        }
        // The log has other records of passkeys, such as a code that the terminal showed.
        let changed: [[String: Any]] = records.reversed().compactMap { record in
            let key: String
            switch record.event.type {
            case AuditKind.passkeyAdded.rawValue: key = "home.passkey-added"
            case AuditKind.passkeyRemoved.rawValue: key = "home.passkey-removed"
            default: return nil
            }
            let name = ReportText.cleaned(record.event.details["name"]?.stringValue ?? "", limit: 40)
            return ["text": PageText.of(key, ["name": name]), "time": PageViews.moment(record.event.time)]
        }
        return devices + changed
    }

    func signIn(
        _ session: PageSession, back: PageReturn = .inbox, notice: String? = nil, status: HTTPResponse.Status = .ok
    ) async throws -> Response {
        let slots = try state.home.vault.slots()
        let needsBoth = slots.contains(where: \.needsBoth)
        return PageViews.page(
            "signIn", title: PageText.of("sign-in.title"), session: session, notice: notice,
            [
                "hasPasskeys": !needsBoth && slots.contains { !$0.isPassphrase }, "needsBoth": needsBoth,
                "back": back.path,
            ], status: status)
    }

    /// The most requests on one page of the list.
    static let pageLength = 50

    private func history(_ request: Request, _ context: PageContext) async throws -> Response {
        let session = try PageRequest.session(context)
        let runner = try await state.unlocked()
        let after = request.uri.queryParameters["after"].flatMap { Messages.RequestID(String($0)) }
        let found = try await state.history.requests(after: after, limit: Self.pageLength + 1)
        let requests = found.prefix(Self.pageLength)
        let warnings = try await state.store.runWarnings(of: requests.map(\.id))
        var values: [String: Any] = [
            "rows": try await requests.asyncMap {
                try await self.values(of: $0, runner, session, warnings[$0.id] ?? [])
            }
        ]
        if found.count > requests.count { values["next"] = requests.last?.id.description }
        return PageViews.page("history", title: PageText.of("history.title"), session: session, in: .inbox, values)
    }

    func requestID(_ context: PageContext) throws -> Messages.RequestID {
        guard let id = context.parameters.get("id").flatMap({ Messages.RequestID($0) }) else {
            throw PageRefusal.notFound
        }
        return id
    }

    /// Streams server-sent events: `change` whenever there is something to fetch, with the number of changes.
    ///
    /// The page of a pairing names that one: when its streams end, it was left.
    private func events(_ request: Request, _ context: PageContext) async throws -> Response {
        let session = try PageRequest.session(context)
        let state = state
        let changes = state.changes.stream()
        let pairing = request.uri.queryParameters["pairing"].map { String($0) }
        return Response(
            // nginx otherwise holds an event back until its buffer is full.
            status: .ok,
            headers: [.contentType: "text/event-stream", .cacheControl: "no-store", .xAccelBuffering: "no"],
            body: ResponseBody { writer in
                guard let pairing, let stream = await state.openStream(pairing, seenBy: session) else {
                    return try await Self.write(changes, of: state, for: session, to: &writer)
                }
                do {
                    // A browser that goes away shows here at once, and to the writer only at the next change.
                    try await request.body.consumeWithInboundCloseHandler { _ in
                        try await Self.write(changes, of: state, for: session, to: &writer)
                    } onInboundClosed: {
                        Task { await state.close(stream) }
                    }
                } catch {
                    await state.close(stream)
                    throw error
                }
                await state.close(stream)
            })
    }

    private static func write(
        _ changes: AsyncStream<Void>, of state: PageState, for session: PageSession,
        to writer: inout any ResponseBodyWriter
    ) async throws {
        func event() -> String { "event: change\ndata: \(state.changes.count)\n\n" }
        try await writer.write(.init(string: "retry: 2000\n" + event()))
        for await _ in changes {
            try await writer.write(.init(string: event()))
            // The last change shows the page that its sign-in has ended.
            guard await state.isSignedIn(session) else { break }
        }
        try await writer.finish(nil)
    }
}

extension Sequence {
    /// Returns each element changed by an asynchronous function, one after the other.
    fileprivate func asyncMap<Changed>(_ change: (Element) async throws -> Changed) async rethrows -> [Changed] {
        var changed: [Changed] = []
        for element in self { changed.append(try await change(element)) }
        return changed
    }
}
