import Encodings
import Foundation
import HTTPTypes
import Hummingbird

/// The person's data: the audit log, the export, and the deletion of everything.
extension PageRoutes {
    private static let eventsOfAPage = 50

    func addData(to router: Router<PageContext>) {
        router.get("/data") { request, context in try await data(request, context) }
        router.get("/data/export") { _, context in try await export(context) }
        router.post("/data/delete") { request, context in try await deleteAll(request, context) }
        router.get("/deleted/:id") { _, context in
            PageViews.page(
                "deleted", title: PageText.of("deletion.title"), session: nil, ["id": try Self.pathID(context)])
        }
    }

    private func data(_ request: Request, _ context: PageContext) async throws -> Response {
        let api = try context.api()
        _ = try api.signedIn()
        var path = "/v1/audit-events?limit=\(Self.eventsOfAPage)"
        let cursor = request.uri.queryParameters["cursor"].map { String($0) }
        if let cursor {
            path += "&cursor=" + (cursor.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? "")
        }
        let page = try await api.send(.get, path)
        return PageViews.page(
            "data", title: PageText.of("place.data"), session: api.session, in: .data,
            [
                "events": (page["items"]?.arrayValue ?? []).map(PageViews.event),
                "next": page["next_cursor"]?.stringValue, "isFirst": cursor == nil,
            ])
    }

    private func export(_ context: PageContext) async throws -> Response {
        let bytes = try await context.api().bytes(.get, "/v1/privacy/export")
        return Response(
            status: .ok,
            headers: [
                .contentType: "application/json; charset=utf-8",
                .contentDisposition: "attachment; filename=\"assistant-export.json\"",
            ], body: .init(byteBuffer: .init(bytes: bytes)))
    }

    /// Has everything deleted. Every session is over with the API's answer, so the browser forgets its own, and what the
    /// pages have stored in it.
    private func deleteAll(_ request: Request, _ context: PageContext) async throws -> Response {
        let (api, form) = try await PageRequest.form(request, context)
        guard form.isOn("understood") else { throw PageRefusal.badInput }
        let answer = try await api.send(.post, "/v1/privacy/delete-all")
        api.set(nil)
        var response = Response.redirect(to: "/deleted/\(answer["request_id"]?.stringValue ?? "")", type: .normal)
        // The service worker and its caches; not "cookies", which would take those of other programs of this host.
        response.headers[.clearSiteData] = "\"storage\""
        return response
    }
}
