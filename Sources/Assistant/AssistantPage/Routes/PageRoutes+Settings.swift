import Encodings
import Foundation
import HTTPTypes
import Hummingbird
import Languages

/// The person's wishes, and the devices that are notified.
extension PageRoutes {
    func addSettings(to router: Router<PageContext>) {
        router.get("/settings") { request, context in try await settings(request, context) }
        router.post("/settings/preferences") { request, context in try await putPreferences(request, context) }
        router.post("/settings/notices") { request, context in try await putNotices(request, context) }
        router.post("/settings/language") { request, context in try await choose(request, context) }
        router.post("/settings/devices/remove") { request, context in try await removeDevice(request, context) }
        router.post("/notifications") { request, context in try await subscribe(request, context) }
        router.post("/notifications/remove") { request, context in
            let (api, _) = try await PageRequest.json(request, context)
            try await removeDevice(context.device, api)
            return Response.json(["ok": true])
        }
    }

    private func settings(_ request: Request, _ context: PageContext) async throws -> Response {
        let api = try context.api()
        _ = try api.signedIn()
        return try await settings(
            api, context, saved: request.uri.queryParameters["saved"].map { String($0) },
            language: PageCookies(settings: settings).language(of: request))
    }

    /// - Parameters:
    ///   - saved: what was just stored.
    ///   - notice: why something could not be stored.
    ///   - typed: what the person has typed, instead of what is stored.
    ///   - language: the one that was chosen in this browser.
    private func settings(
        _ api: PageAPI, _ context: PageContext, saved: String? = nil, notice: String? = nil, typed: JSONValue? = nil,
        language: Language? = nil
    ) async throws -> Response {
        let stored = try await api.send(.get, "/v1/preferences")
        let notices = try await api.offered("/v1/preferences/notifications") ?? [:]
        let devices = try await api.send(.get, "/v1/devices")["items"]?.arrayValue ?? []
        var values = PageViews.preferences(typed ?? stored)
        values.merge(PageViews.noticePreferences(notices)) { $1 }
        values["key"] = try await api.send(.get, "/v1/devices/webpush/key")["public_key"]?.stringValue
        values["devices"] = devices.map { PageViews.device($0, own: context.device) }
        values["languages"] = PageViews.languages(chosen: language)
        values["savedPreferences"] = saved == "preferences"
        values["savedNotices"] = saved == "notices"
        return PageViews.page(
            "settings", title: PageText.of("place.settings"), session: api.session, in: .settings, notice: notice,
            values,
            status: notice == nil ? .ok : .badRequest)
    }

    private func putPreferences(_ request: Request, _ context: PageContext) async throws -> Response {
        let (api, form) = try await PageRequest.form(request, context)
        var wanted: [String: JSONValue] = [
            "meeting_reminder_minutes": Int(form["minutes"] ?? "").map { .number(Double($0)) } ?? .null,
            "morning_brief_local_time": .string(form["brief"] ?? ""),
            "quiet_hours_start": .string(form["quiet-start"] ?? ""),
            "quiet_hours_end": .string(form["quiet-end"] ?? ""),
            "high_risk_requires_confirm": .bool(form.isOn("confirm")),
        ]
        if let zone = form["zone"], !zone.isEmpty { wanted["time_zone"] = .string(zone) }
        do {
            try await api.send(.put, "/v1/preferences", .object(wanted))
        } catch let refusal as APIRefusal where refusal.status == 400 {
            return try await settings(
                api, context, notice: PageViews.problem(refusal, of: PageViews.preferenceLabels),
                typed: .object(wanted), language: PageCookies(settings: settings).language(of: request))
        }
        return .redirect(to: "/settings?saved=preferences", type: .normal)
    }

    private func putNotices(_ request: Request, _ context: PageContext) async throws -> Response {
        let (api, form) = try await PageRequest.form(request, context)
        let senders = (form["senders"] ?? "").split(whereSeparator: \.isNewline)
            .map { $0.trimmingCharacters(in: .whitespaces) }.filter { !$0.isEmpty }
        let rules = PageViews.urgentMailRules.map { name in (name, JSONValue.bool(form.isOn("rule-\(name)"))) }
        let wanted: JSONValue = [
            "show_details": .bool(form.isOn("details")),
            "reminders_in_quiet_hours": .bool(form.isOn("quiet-reminders")),
            "marked_senders": .array(senders.map(JSONValue.string)),
            "urgent_mail": .object(Dictionary(uniqueKeysWithValues: rules)),
        ]
        do {
            try await api.send(.put, "/v1/preferences/notifications", wanted)
        } catch let refusal as APIRefusal where refusal.status == 400 {
            return try await settings(
                api, context, notice: PageViews.problem(refusal, of: PageViews.noticeLabels),
                language: PageCookies(settings: settings).language(of: request))
        }
        return .redirect(to: "/settings?saved=notices", type: .normal)
    }

    /// Chooses the language of the pages in this browser; an empty one leaves it to the browser's own choice.
    private func choose(_ request: Request, _ context: PageContext) async throws -> Response {
        let (_, form) = try await PageRequest.form(request, context)
        guard let code = form["language"] else { throw PageRefusal.badInput }
        let language = PageResources.sentences.offered.first { $0.rawValue == code }
        guard language != nil || code.isEmpty else { throw PageRefusal.badInput }
        var response = Response.redirect(to: "/settings#language", type: .normal)
        response.setCookie(PageCookies(settings: settings).make(language: language))
        return response
    }

    // MARK: Devices

    private func removeDevice(_ request: Request, _ context: PageContext) async throws -> Response {
        let (api, form) = try await PageRequest.form(request, context)
        try await removeDevice(form["device"] ?? "", api)
        return .redirect(to: "/settings", type: .normal)
    }

    private func subscribe(_ request: Request, _ context: PageContext) async throws -> Response {
        let (api, posted) = try await PageRequest.json(request, context)
        try await api.send(
            .post, "/v1/devices/webpush",
            ["device_id": .string(context.device), "subscription": posted["subscription"] ?? .null])
        var response = Response.json(["ok": true])
        response.setCookie(PageCookies(settings: settings).make(device: context.device))
        return response
    }
}
