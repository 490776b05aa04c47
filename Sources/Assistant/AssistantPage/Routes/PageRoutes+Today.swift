import Clocks
import Encodings
import Foundation
import HTTPTypes
import Hummingbird

/// The first page: what waits for the person, and what the assistant does for them.
extension PageRoutes {
    /// The seconds for which urgent mail stands on the first page, and the most of it.
    private static let alertsStay: TimeInterval = 86_400
    private static let mostAlerts = 20

    func addToday(to router: Router<PageContext>) {
        router.get("/") { _, context in try await today(context) }
        router.get("/confirmations") { request, context in try await confirmations(request, context) }
        router.post("/confirmations/:id") { request, context in try await decide(request, context) }
    }

    private func today(_ context: PageContext) async throws -> Response {
        let api = try context.api()
        _ = try api.signedIn()
        let preferences = try await api.send(.get, "/v1/preferences")
        let connectors = try await api.send(.get, "/v1/connectors")["items"]?.arrayValue ?? []
        let waiting = try await waitingConfirmations(api)
        let alerts = try await recentAlerts(api)
        let google = connectors.first { $0["provider"] == "google" && $0["status"] != "REVOKED" }
        return PageViews.page(
            "today", title: PageText.of("place.today"), session: api.session, in: .today,
            [
                "confirmations": PageViews.confirmations(waiting),
                "alerts": alerts.map { PageViews.alert($0, back: "/") }, "hasAlerts": !alerts.isEmpty,
                "isConnected": google?["status"] == "ACTIVE",
                "needsReconnect": google?["status"] == "NEEDS_RECONNECT",
                "trouble": google.flatMap(PageViews.trouble),
                "minutes": PageViews.reminder(preferences["meeting_reminder_minutes"]?.intValue ?? 0),
                "brief": preferences["morning_brief_local_time"]?.stringValue ?? "",
                "quiet": PageViews.quietHours(preferences),
                "zone": preferences["time_zone"]?.stringValue ?? "UTC",
            ])
    }

    /// Returns the urgent mail of the last day: that of which a notice has spoken that leads here.
    private func recentAlerts(_ api: PageAPI) async throws -> [JSONValue] {
        let newest = try await api.offered("/v1/alerts?limit=\(Self.mostAlerts)")?["items"]?.arrayValue ?? []
        let start = now().addingTimeInterval(-Self.alertsStay)
        return newest.filter { alert in
            alert["received_at"]?.stringValue.flatMap(Timestamp.init).map { $0.date >= start } ?? false
        }
    }

    // MARK: Confirmations

    private func waitingConfirmations(_ api: PageAPI) async throws -> [JSONValue] {
        try await api.offered("/v1/confirmations")?["items"]?.arrayValue ?? []
    }

    private func confirmations(_ request: Request, _ context: PageContext) async throws -> Response {
        let api = try context.api()
        _ = try api.signedIn()
        let waiting = try await waitingConfirmations(api)
        let answered = request.uri.queryParameters["answered"]
        return PageViews.page(
            "confirmations", title: PageText.of("confirmation.title"), session: api.session, in: .today,
            [
                "confirmations": PageViews.confirmations(waiting), "approved": answered == "yes",
                "declined": answered == "no",
            ])
    }

    private func decide(_ request: Request, _ context: PageContext) async throws -> Response {
        let (api, form) = try await PageRequest.form(request, context)
        guard let decision = form["decision"], ["approve", "decline"].contains(decision) else {
            throw PageRefusal.badInput
        }
        let id = try Self.pathID(context)
        try await api.send(.post, "/v1/confirmations/\(id)", ["approve": .bool(decision == "approve")])
        return .redirect(
            to: "/confirmations?answered=\(decision == "approve" ? "yes" : "no")", type: .normal)
    }

    /// Returns an id from the path, which goes into a path of the API.
    static func pathID(_ context: PageContext) throws -> String {
        let id = context.variable("id")
        guard id.wholeMatch(of: /[A-Za-z0-9_-]{1,80}/) != nil else { throw PageRefusal.notFound }
        return id
    }
}
