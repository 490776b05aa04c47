import AuditLog
import Automation
import Files
import Foundation
import HTTPTypes
import Hummingbird
import JSON
import Messages
import Secrets

/// The page's routes. Those that only look are here; those that act are in the extensions.
struct PageRoutes: Sendable {
    let desk: PhoneDesk
    let configuration: PhoneServerConfiguration

    func router() -> Router<PageContext> {
        let router = Router(context: PageContext.self)
        router.add(middleware: PageGuard(desk: desk, isTLS: configuration.isTLS))
        router.add(middleware: PageErrors())
        router.get("/style.css") { _, _ in Self.asset(PageStyle.text, "text/css; charset=utf-8") }
        router.get("/page.js") { _, _ in Self.asset(PageScript.text, "text/javascript; charset=utf-8") }
        router.get("/") { _, context in try await home(context) }
        router.get("/history") { _, context in try await history(context) }
        router.get("/audit") { request, context in try await audit(request, context) }
        router.get("/audit/export") { request, context in try await export(request, context) }
        router.get("/passkeys") { _, context in try await passkeys(context) }
        router.get("/requests/:id/statement") { _, context in try await statement(context) }
        router.get("/events") { _, context in try await events(context) }
        addSigningIn(to: router)
        addDeciding(to: router)
        addPasskeys(to: router)
        return router
    }

    private static func asset(_ text: String, _ type: String) -> Response {
        Response(
            status: .ok, headers: [.contentType: type, .cacheControl: "private, max-age=60"],
            body: .init(byteBuffer: .init(string: text)))
    }

    // MARK: Looking

    private func home(_ context: PageContext) async throws -> Response {
        guard let session = context.session else { return try await signIn(context) }
        let runner = try await desk.unlocked()
        let hasPasskeys = try desk.home.vault.slots().contains { !$0.isPassphrase }
        let now = runner.now
        var values: [String: Any] = [
            "pending": try await runner.pending().map {
                PageViews.values($0, hasPasskeys: hasPasskeys, session: session, now: now)
            },
            "refused": try await desk.store.refusals(limit: 5).map {
                ["message": $0.message, "id": $0.requestID ?? "without an id", "time": PageViews.time($0.seenAt)]
            },
            "recent": try await desk.store.requests([.completed, .failed, .denied, .expired], limit: 3).map {
                PageViews.values($0, bankName: bankName($0.bankID, runner))
            },
        ]
        values["trouble"] = await desk.trouble
        values["run"] = await desk.board.current.map(PageViews.values)
        values["question"] = await desk.prompt.open.map { PageViews.values($0, session: session, now: Date()) }
        return PageViews.page("home", title: "Requests", session: session, isLive: true, values)
    }

    func signIn(_ context: PageContext, notice: String? = nil, status: HTTPResponse.Status = .ok) async throws
        -> Response
    {
        let hasPasskeys = try desk.home.vault.slots().contains { !$0.isPassphrase }
        return PageViews.page(
            "signIn", title: "Unlock", session: nil, notice: notice, ["hasPasskeys": hasPasskeys], status: status)
    }

    private func bankName(_ id: String, _ runner: PhoneRunner) -> String {
        runner.services.scripts.script(forBank: id)?.name ?? id
    }

    private func history(_ context: PageContext) async throws -> Response {
        let session = try PageRequest.session(context)
        let runner = try await desk.unlocked()
        let rows = try await desk.store.requests().map { PageViews.values($0, bankName: bankName($0.bankID, runner)) }
        return PageViews.page("history", title: "History", session: session, ["rows": rows])
    }

    private func audit(_ request: Request, _ context: PageContext) async throws -> Response {
        let session = try PageRequest.session(context)
        let severity = request.uri.queryParameters["severity"].flatMap { AuditSeverity(rawValue: String($0)) } ?? .info
        let type = request.uri.queryParameters["type"].map { String($0.prefix(40)) } ?? ""
        let filter = AuditFilter(leastSeverity: severity, type: type.isEmpty ? nil : type, limit: 200)
        let rows = try await desk.store.audit.records(filter).reversed().map { record in
            [
                "time": PageViews.time(record.event.time), "severity": record.event.severity.rawValue,
                "type": record.event.type, "details": record.event.details.compactText(),
            ]
        }
        let severities = AuditSeverity.allCases.map {
            ["name": $0.rawValue, "selected": $0 == severity] as [String: Any]
        }
        let verification = try await desk.store.audit.verify().description
        return PageViews.page(
            "audit", title: "Audit log", session: session,
            ["rows": Array(rows), "severities": severities, "type": type, "verification": verification])
    }

    private func export(_ request: Request, _ context: PageContext) async throws -> Response {
        _ = try PageRequest.session(context)
        guard let format = request.uri.queryParameters["format"].flatMap({ AuditExport(rawValue: String($0)) }) else {
            throw PageRefusal.badInput
        }
        let text = format.text(of: try await desk.store.audit.records(AuditFilter(limit: 100_000)))
        return Response(
            status: .ok,
            headers: [
                .contentType: format == .csv ? "text/csv; charset=utf-8" : "application/jsonl; charset=utf-8",
                .contentDisposition: "attachment; filename=\"audit.\(format.rawValue)\"",
            ], body: .init(byteBuffer: .init(string: text)))
    }

    private func passkeys(_ context: PageContext) async throws -> Response {
        let session = try PageRequest.session(context)
        let slots = try desk.home.vault.slots()
        let names = try await desk.store.slotNames()
        var rows: [[String: Any]] = []
        for slot in slots {
            var row: [String: Any] = [
                "id": slot.id, "name": names[slot.id] ?? slot.name,
                "kind": slot.isPassphrase ? "Passphrase" : "Passkey",
                "time": PageViews.time(slot.createdAt), "csrf": session.csrfToken,
                "removable": PhoneDesk.isRemovable(slot, among: slots),
            ]
            if let passkey = slot.passkey,
                let used = try await desk.store.passkeyState(passkey.credentialID)?.lastUsedAt
            {
                row["used"] = PageViews.time(used)
            }
            rows.append(row)
        }
        return PageViews.page("passkeys", title: "Passkeys", session: session, ["slots": rows])
    }

    /// The finished PDF, from the inbox.
    private func statement(_ context: PageContext) async throws -> Response {
        _ = try PageRequest.session(context)
        let id = try requestID(context)
        let runner = try await desk.unlocked()
        guard let stored = try await desk.store.request(id), stored.status == .completed,
            let name = stored.resultFilename, name == stored.period.fileStem(for: id) + ".pdf"
        else { throw PageRefusal.notFound }
        let file = runner.connection.inbox.appending(path: name)
        let data = try await BlockingWork.run { try? Data(contentsOf: file) }
        guard let data, data.starts(with: Data("%PDF".utf8)) else { throw PageRefusal.notFound }
        return Response(
            status: .ok,
            headers: [.contentType: "application/pdf", .contentDisposition: "inline; filename=\"\(name)\""],
            body: .init(byteBuffer: .init(data: data)))
    }

    func requestID(_ context: PageContext) throws -> Messages.RequestID {
        guard let id = context.parameters.get("id").flatMap({ Messages.RequestID($0) }) else {
            throw PageRefusal.notFound
        }
        return id
    }

    /// Server-sent events: `change` whenever there is something to fetch. They carry nothing else.
    private func events(_ context: PageContext) async throws -> Response {
        _ = try PageRequest.session(context)
        let changes = desk.changes.stream()
        return Response(
            status: .ok, headers: [.contentType: "text/event-stream", .cacheControl: "no-store"],
            body: ResponseBody { writer in
                try await writer.write(.init(string: "retry: 2000\nevent: change\ndata: 1\n\n"))
                for await _ in changes { try await writer.write(.init(string: "event: change\ndata: 1\n\n")) }
                try await writer.finish(nil)
            })
    }
}
