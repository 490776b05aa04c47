import Encodings
import Foundation
import HTTPTypes
import Hummingbird

/// The pages to which notices lead: a brief, and an alert; and the list of all alerts.
extension PageRoutes {
    private static let alertsOfAPage = 50

    func addNotices(to router: Router<PageContext>) {
        router.get("/briefs/:id") { _, context in
            let api = try context.api()
            _ = try api.signedIn()
            return PageViews.page(
                "brief", title: PageText.of("brief.title"), session: api.session, in: .today,
                ["id": try Self.pathID(context)])
        }
        router.post("/briefs/:id/open") { request, context in try await openBrief(request, context) }
        router.get("/alerts") { request, context in try await alerts(request, context) }
        router.get("/alerts/:id") { _, context in try await alert(context) }
        router.post("/alerts/:id/feedback") { request, context in try await feedback(request, context) }
    }

    /// Fetches a brief, which the API gives once. It is posted by the page's script, so that a browser that loads pages in
    /// advance, or another site's link, does not use it up.
    private func openBrief(_ request: Request, _ context: PageContext) async throws -> Response {
        let (api, _) = try await PageRequest.json(request, context)
        do {
            let brief = try await api.send(.get, "/v1/briefs/\(try Self.pathID(context))")
            let preferences = try await api.send(.get, "/v1/preferences")
            let zone = preferences["time_zone"]?.stringValue.flatMap(TimeZone.init(identifier:)) ?? .gmt
            return PageViews.fragment("briefContent", PageViews.brief(brief, in: zone))
        } catch let refusal as APIRefusal where [404, 410].contains(refusal.status) {
            return PageViews.fragment("briefContent", ["isGone": true])
        }
    }

    private func alerts(_ request: Request, _ context: PageContext) async throws -> Response {
        let api = try context.api()
        _ = try api.signedIn()
        var path = "/v1/alerts?limit=\(Self.alertsOfAPage)"
        let cursor = request.uri.queryParameters["cursor"].map { String($0) }
        if let cursor {
            path += "&cursor=" + (cursor.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? "")
        }
        let page = try await api.send(.get, path)
        return PageViews.page(
            "alerts", title: PageText.of("alert.title"), session: api.session, in: .today,
            [
                "alerts": (page["items"]?.arrayValue ?? []).map { PageViews.alert($0, back: "/alerts") },
                "next": page["next_cursor"]?.stringValue, "isFirst": cursor == nil,
            ])
    }

    private func alert(_ context: PageContext) async throws -> Response {
        let api = try context.api()
        _ = try api.signedIn()
        let id = try Self.pathID(context)
        var values: [String: Any?] = [:]
        do {
            values = PageViews.alert(try await api.send(.get, "/v1/alerts/\(id)"), back: "/alerts/\(id)")
        } catch let refusal as APIRefusal where refusal.status == 404 {
            values["isGone"] = true
        }
        values["id"] = id
        return PageViews.page("alert", title: PageText.of("alert.title"), session: api.session, in: .today, values)
    }

    private func feedback(_ request: Request, _ context: PageContext) async throws -> Response {
        let (api, form) = try await PageRequest.form(request, context)
        guard let urgent = form["urgent"], ["yes", "no"].contains(urgent) else { throw PageRefusal.badInput }
        let id = try Self.pathID(context)
        try await api.send(.post, "/v1/alerts/\(id)/feedback", ["urgent": .bool(urgent == "yes")])
        return .redirect(to: PageReturn(form["back"] ?? "/alerts/\(id)").path, type: .normal)
    }
}
