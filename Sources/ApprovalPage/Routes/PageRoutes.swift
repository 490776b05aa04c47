import AuditLog
import Automation
import Crypto
import Encodings
import Files
import Foundation
import HTTPTypes
import Hummingbird
import JSON
import KeyVault
import Messages
import Phone
import PhoneStore
import Secrets

/// The page's routes. This file has those that only read; the extensions have those that act.
struct PageRoutes: Sendable {
    let state: PageState
    let configuration: PageServerConfiguration

    func router() -> Router<PageContext> {
        let router = Router(context: PageContext.self)
        router.add(middleware: PageGuard(state: state, cookie: cookie))
        router.add(middleware: PageErrors())
        router.get("/style.css") { _, _ in Self.asset(PageResources.style, "text/css; charset=utf-8") }
        router.get("/page.js") { _, _ in Self.asset(PageResources.script, "text/javascript; charset=utf-8") }
        router.get("/") { _, _ in door() }
        router.post("/") { request, _ in try await enter(request) }
        let pages = router.group("/at/:place")
        pages.get { _, context in try await home(context) }
        pages.get("/history") { _, context in try await history(context) }
        pages.get("/audit") { request, context in try await audit(request, context) }
        pages.get("/audit/export") { request, context in try await export(request, context) }
        pages.get("/passkeys") { _, context in try await passkeys(context) }
        pages.get("/requests/:id/statement") { _, context in try await statement(context) }
        pages.get("/events") { _, context in try await events(context) }
        addSigningIn(to: pages)
        addDeciding(to: pages)
        addPasskeys(to: pages)
        return router
    }

    var cookie: PageCookie { PageCookie(isTLS: configuration.isTLS, lifetime: .seconds(30 * 86_400)) }

    /// Returns a redirection to the home page of a session, perhaps with a new cookie.
    func toHome(_ session: PageSession, cookie value: String? = nil) async throws -> Response {
        var response = Response.redirect(to: session.base + "/", type: .normal)
        if let value { response.setCookie(cookie.make(value, for: session, at: try await state.relyingParty())) }
        return response
    }

    // MARK: The door

    /// The page without a code. It never asks for a passphrase, so that its owner does not get used to typing one here.
    func door(notice: String? = nil, status: HTTPResponse.Status = .ok) -> Response {
        PageViews.page("door", title: "Open the page", session: nil, notice: notice, status: status)
    }

    private func enter(_ request: Request) async throws -> Response {
        let form = try await PostedForm(request)
        guard let (session, cookie) = try await state.admit(form.secret("code")) else {
            return door(
                notice: "This code was used, or is too old. Get another at the terminal: countersign phone address",
                status: .forbidden)
        }
        return try await toHome(session, cookie: cookie)
    }

    private static func asset(_ text: String, _ type: String) -> Response {
        Response(
            status: .ok, headers: [.contentType: type, .cacheControl: "private, max-age=60"],
            body: .init(byteBuffer: .init(string: text)))
    }

    // MARK: Looking

    private func home(_ context: PageContext) async throws -> Response {
        guard let session = context.session else { throw PageRefusal.signInFirst }
        guard session.isSignedIn else { return try await signIn(session) }
        let runner = try await state.unlocked()
        let slots = try state.home.vault.slots()
        let now = runner.now
        var values: [String: Any] = [
            "pending": try await runner.pending().map {
                PageViews.values($0, slots: slots, session: session, now: now)
            },
            "refused": try await state.store.refusals(limit: 5).map {
                ["message": $0.message, "id": $0.requestID ?? "without an id", "time": PageViews.time($0.seenAt)]
            },
            "recent": try await state.history.requests([.completed, .failed, .denied, .expired], limit: 3).map {
                PageViews.values($0, bankName: runner.bankName($0.bankID))
            },
        ]
        values["trouble"] = await state.trouble
        values["warnings"] = try await warnings()
        values["run"] = await state.progress.current.map(PageViews.values)
        values["question"] = await state.prompt.open.map { PageViews.values($0, session: session, now: Date()) }
        return PageViews.page("home", title: "Requests", session: session, isLive: true, values)
    }

    /// Returns the changes to the ways into the vault of the last day, which the owner should have made.
    private func warnings() async throws -> [[String: Any]] {
        let yesterday = Date().addingTimeInterval(-86_400)
        let records = try await state.store.audit.records(
            AuditFilter(leastSeverity: .warning, type: "passkey", limit: 20))
        return records.filter { $0.event.time > yesterday && $0.event.type != "passkey.failed" }.reversed().map {
            let name = ReportText.cleaned($0.event.details["name"]?.stringValue ?? "", limit: 40)
            let what = $0.event.type == "passkey.added" ? "added" : "removed"
            return ["text": "The passkey “\(name)” was \(what). Was it you?", "time": PageViews.time($0.event.time)]
        }
    }

    func signIn(
        _ session: PageSession, notice: String? = nil, status: HTTPResponse.Status = .ok
    ) async throws -> Response {
        let slots = try state.home.vault.slots()
        let needsBoth = slots.contains(where: \.needsBoth)
        return PageViews.page(
            "signIn", title: "Unlock", session: session, notice: notice,
            ["hasPasskeys": !needsBoth && slots.contains { !$0.isPassphrase }, "needsBoth": needsBoth], status: status)
    }

    private func history(_ context: PageContext) async throws -> Response {
        let session = try PageRequest.session(context)
        let runner = try await state.unlocked()
        let requests = try await state.history.requests()
        let warnings = try await state.store.runWarnings(of: requests.map(\.id))
        let rows = requests.map {
            PageViews.values($0, bankName: runner.bankName($0.bankID), warnings: warnings[$0.id] ?? [])
        }
        return PageViews.page("history", title: "History", session: session, ["rows": rows])
    }

    private func audit(_ request: Request, _ context: PageContext) async throws -> Response {
        let session = try PageRequest.session(context)
        let severity = request.uri.queryParameters["severity"].flatMap { AuditSeverity(rawValue: String($0)) } ?? .info
        let type = request.uri.queryParameters["type"].map { String($0.prefix(40)) } ?? ""
        let filter = AuditFilter(leastSeverity: severity, type: type.isEmpty ? nil : type, limit: 200)
        let rows = try await state.store.audit.records(filter).reversed().map { record in
            [
                "time": PageViews.time(record.event.time), "severity": record.event.severity.rawValue,
                "type": record.event.type, "details": record.event.details.compactText(),
            ]
        }
        let severities = AuditSeverity.allCases.map {
            ["name": $0.rawValue, "selected": $0 == severity] as [String: Any]
        }
        let verification = try await state.store.audit.verify().description
        return PageViews.page(
            "audit", title: "Audit log", session: session,
            ["rows": Array(rows), "severities": severities, "type": type, "verification": verification])
    }

    private func export(_ request: Request, _ context: PageContext) async throws -> Response {
        _ = try PageRequest.session(context)
        guard let format = request.uri.queryParameters["format"].flatMap({ AuditExport(rawValue: String($0)) }) else {
            throw PageRefusal.badInput
        }
        let text = format.text(of: try await state.store.audit.records(AuditFilter(limit: 100_000)))
        return Response(
            status: .ok,
            headers: [
                .contentType: format == .csv ? "text/csv; charset=utf-8" : "application/jsonl; charset=utf-8",
                .contentDisposition: "attachment; filename=\"audit.\(format.rawValue)\"",
            ], body: .init(byteBuffer: .init(string: text)))
    }

    private func passkeys(_ context: PageContext) async throws -> Response {
        let session = try PageRequest.session(context)
        let slots = try state.home.vault.slots()
        let names = try await state.store.slotNames()
        var rows: [[String: Any]] = []
        for slot in slots {
            var row: [String: Any] = [
                "id": slot.id, "name": names[slot.id] ?? slot.name,
                "kind": slot.isPassphrase
                    ? "Passphrase" : slot.needsBoth ? "Passkey and passphrase together" : "Passkey",
                "time": PageViews.time(slot.createdAt), "csrf": session.csrfToken,
                "removable": PageState.isRemovable(slot, among: slots),
            ]
            if let passkey = slot.passkey,
                let used = try await state.store.passkeyState(passkey.credentialID)?.lastUsedAt
            {
                row["used"] = PageViews.time(used)
            }
            rows.append(row)
        }
        return PageViews.page(
            "passkeys", title: "Passkeys", session: session,
            [
                "slots": rows, "hasPasskeys": slots.contains { !$0.isPassphrase },
                "needsBoth": slots.contains(where: \.needsBoth),
                "mayRequireBoth": slots.contains { !$0.isPassphrase && !$0.needsBoth },
            ])
    }

    /// The largest statement that the page shows, in bytes.
    private static let largestStatement = 64 << 20

    /// Returns the finished PDF from the inbox, if it is the one that this phone delivered: other programs can write to
    /// the synced folder.
    private func statement(_ context: PageContext) async throws -> Response {
        _ = try PageRequest.session(context)
        let id = try requestID(context)
        let runner = try await state.unlocked()
        guard let stored = try await state.store.request(id), stored.status == .completed,
            stored.isStatement, let name = stored.resultFilename, name == stored.period.fileStem(for: id) + ".pdf",
            let digest = try await state.store.statementDigest(of: id)
        else { throw PageRefusal.notFound }
        let file = runner.inbox.appending(path: name)
        let bytes = try await BlockingWork.run { try? OpenedFile(file).bytes(atMost: Self.largestStatement) }
        guard let bytes else { throw PageRefusal.notFound }
        guard Base16.encode(SHA256.hash(data: bytes)) == digest else {
            try await state.store.audit.record(
                AuditEvent(
                    "statement.changed", severity: .critical, requestID: id.description,
                    details: ["file": .string(name)]))
            throw PageRefusal.notFound
        }
        return Response(
            status: .ok,
            headers: [.contentType: "application/pdf", .contentDisposition: "inline; filename=\"\(name)\""],
            body: .init(byteBuffer: .init(bytes: bytes)))
    }

    func requestID(_ context: PageContext) throws -> Messages.RequestID {
        guard let id = context.parameters.get("id").flatMap({ Messages.RequestID($0) }) else {
            throw PageRefusal.notFound
        }
        return id
    }

    /// Streams server-sent events: `change` whenever there is something to fetch, without content.
    private func events(_ context: PageContext) async throws -> Response {
        let session = try PageRequest.session(context)
        let state = state
        let changes = state.changes.stream()
        return Response(
            status: .ok, headers: [.contentType: "text/event-stream", .cacheControl: "no-store"],
            body: ResponseBody { writer in
                try await writer.write(.init(string: "retry: 2000\nevent: change\ndata: 1\n\n"))
                for await _ in changes {
                    try await writer.write(.init(string: "event: change\ndata: 1\n\n"))
                    // The last change shows the page that its sign-in has ended.
                    guard await state.isSignedIn(session) else { break }
                }
                try await writer.finish(nil)
            })
    }
}
