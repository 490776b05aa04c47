import CurlClient
import Encodings
import Foundation
import Machine
import MockGoogle
import Secrets
import Terminal

/// Takes one user from the sign-in to the deletion of everything, on this machine: the assistant with its key service, its
/// enclave and its worker, and mocks of Google, of Apple's push service and of a browser's.
package struct AssistantDemo: Sendable {
    /// The minutes before a meeting at which the user wants to be reminded.
    private static let lead = 15
    private static let patience: Duration = .seconds(60)

    private let home: URL
    private let console: Console
    private let clock = DemoClock()

    /// - Parameter home: a folder for the demo alone.
    package init(home: URL, console: Console) {
        self.home = home
        self.console = console
    }

    /// Plays the whole demo, and prints each line as it happens.
    package func play() async throws {
        try PrivateFolder.make(home)
        let push = try await MockPush.start()
        var mock = MockGoogleConfiguration()
        mock.redirectURIs = [DemoUser.redirect]
        mock.now = { [clock] in clock.now }
        let google = try await MockGoogleServer.start(mock)
        let outcome: Result<Void, any Error>
        do {
            try await DemoServices(home: home, clock: clock, google: google, push: push).run { url in
                try await walk(url, google, push)
            }
            outcome = .success(())
        } catch {
            outcome = .failure(error)
        }
        await google.stop()
        await push.stop()
        try outcome.get()
    }

    private func walk(_ url: String, _ google: MockGoogleServer, _ push: MockPush) async throws {
        console.line("Assistant answers at \(url); its key service, its enclave and its worker run beside it")
        let user = DemoUser(url: url)
        let outcome: Result<Void, any Error>
        do {
            try await setUp(user, google, push)
            try await receive(user, google, push)
            try await leave(user, google)
            outcome = .success(())
        } catch {
            outcome = .failure(error)
        }
        await user.close()
        try outcome.get()
    }

    // MARK: Setting up

    private func setUp(_ user: DemoUser, _ google: MockGoogleServer, _ push: MockPush) async throws {
        try await user.signIn()
        console.line("User      signs in with a passkey, which makes the account")
        let scopes = try await user.connect()
        console.line("Google    asks for consent; the user allows \(scopes.joined(separator: " and "))")
        console.line("Assistant seals Google's token: only the enclave can open it, for one call at a time")
        try await user.call(
            "POST", "/v1/devices/apns",
            ["device_id": "phone", "apns_token": .string(push.deviceToken), "environment": "sandbox"])
        try await user.call(
            "POST", "/v1/devices/webpush", ["device_id": "browser", "subscription": push.browser.subscription])
        console.line("User      has two devices: a telephone (APNs) and a browser (Web Push)")
        let brief = clock.nextMinute
        try await user.call(
            "PUT", "/v1/preferences",
            [
                "meeting_reminder_minutes": .number(Double(Self.lead)),
                "morning_brief_local_time": .string(DemoClock.timeOfDay(brief)), "quiet_hours_start": "00:00",
                "quiet_hours_end": "00:00", "high_risk_requires_confirm": true, "time_zone": "UTC",
            ])
        console.line(
            "User      wants reminders \(Self.lead) minutes before, and the brief at \(DemoClock.timeOfDay(brief)) UTC")
        let start = clock.now.addingTimeInterval(TimeInterval(Self.lead * 60) + 4)
        await google.account.put(event: "review", "Review with Ann", from: start, to: start.addingTimeInterval(1800))
        console.line("Google    has a meeting at \(DemoClock.timeOfDay(start)) UTC")
    }

    // MARK: Notices

    private func receive(_ user: DemoUser, _ google: MockGoogleServer, _ push: MockPush) async throws {
        // Mail counts from the first look at the mailbox on. The second look asks for the history since.
        try await waiting("the first look at the mailbox") {
            await google.account.calls.contains { $0.contains("/history") }
        }
        await google.account.deliver(
            "contract", from: "Ann <ann@provider.example>", "Urgent: sign the contract by today", at: clock.now,
            headers: [("Importance", "high")])
        console.line("Google    has new mail, which its sender marks as important")
        let wanted: Set<String> = Set(
            ["MEETING_REMINDER", "MORNING_BRIEF", "URGENT_MAIL"].flatMap { ["\($0) apns", "\($0) webpush"] })
        var seen: Set<String> = []
        try await waiting("the notices \(wanted.sorted().joined(separator: ", "))") {
            for message in await push.take() {
                guard let category = message.json["aps"]?["category"]?.stringValue else { continue }
                let isFirst = !seen.contains { $0.hasPrefix(category) }
                seen.insert("\(category) \(message.channel.rawValue)")
                show(message)
                if isFirst, let id = message.json["id"]?.stringValue { try await open(category, id, user) }
            }
            return wanted.isSubset(of: seen)
        }
    }

    private func show(_ message: MockPush.Message) {
        let alert = message.json["aps"]?["alert"]
        let text = [alert?["title"], alert?["body"]].compactMap { $0?.stringValue }.joined(separator: ": ")
        let name = message.channel == .apns ? "Telephone" : "Browser  "
        console.line("\(name) “\(text)” (\(message.path))", .bold)
    }

    private func open(_ category: String, _ id: String, _ user: DemoUser) async throws {
        switch category {
        case "MORNING_BRIEF":
            let brief = try await user.call("GET", "/v1/briefs/\(id)")
            let titles = (brief["meetings"]?.arrayValue ?? []).compactMap { $0["title"]?.stringValue }
            let mail = (brief["urgent_mail"]?.arrayValue ?? []).count
            console.line(
                "User      opens the brief: \(titles.isEmpty ? "no meetings" : titles.joined(separator: ", ")); "
                    + "urgent mail: \(mail)")
            let again = try await user.status("GET", "/v1/briefs/\(id)")
            console.line("Assistant has forgotten the brief: a second look gets \(again)")
        case "URGENT_MAIL":
            try await user.call("POST", "/v1/alerts/\(id)/feedback", ["urgent": true])
            console.line("User      says that the mail was urgent")
        default: break
        }
    }

    // MARK: Leaving

    private func leave(_ user: DemoUser, _ google: MockGoogleServer) async throws {
        let asked = try await user.call("POST", "/v1/privacy/delete-all")
        let id = asked["request_id"]?.stringValue ?? ""
        console.line("User      has everything deleted: request \(id.prefix(12))…")
        let after = try await user.status("GET", "/v1/preferences")
        console.line("Assistant has ended every session: the old token gets \(after)")
        var state = ""
        try await waiting("the deletion") {
            let next = try await user.call("GET", "/v1/privacy/requests/\(id)")["status"]?.stringValue ?? ""
            if next != state { console.line("Assistant deletes everything: \(next)") }
            state = next
            return next == "DONE" || next == "FAILED"
        }
        guard state == "DONE", await google.account.refreshTokens.isEmpty else {
            throw CommandFailure("the deletion ended as \(state), and Google still has a consent")
        }
        console.line("Google    has ended the consent: nothing of the user is left here or there", .good)
    }

    /// Looks again until a condition holds.
    private func waiting(_ what: String, until condition: () async throws -> Bool) async throws {
        let end = ContinuousClock.now + Self.patience
        while try await !condition() {
            guard ContinuousClock.now < end else { throw CommandFailure("the demo waited in vain for \(what)") }
            try await Task.sleep(for: .milliseconds(50))
        }
    }
}

/// The demo's clock. It is ahead of the machine's by less than a minute, so that a minute begins soon: briefs come at the
/// beginning of one.
struct DemoClock: Sendable {
    private let offset: TimeInterval

    init(at now: Date = Date()) {
        let second = Int(now.timeIntervalSince1970) % 60
        offset = TimeInterval((50 - second + 60) % 60)
    }

    var now: Date { Date().addingTimeInterval(offset) }

    /// The beginning of the next minute that is at least two seconds away.
    var nextMinute: Date {
        Date(timeIntervalSince1970: ((now.timeIntervalSince1970 + 2) / 60).rounded(.up) * 60)
    }

    /// Returns the time of day in UTC, as `HH:MM`.
    static func timeOfDay(_ date: Date) -> String {
        let minutes = Int(date.timeIntervalSince1970) / 60 % 1440
        let digits = { (number: Int) in number < 10 ? "0\(number)" : "\(number)" }
        return "\(digits(minutes / 60)):\(digits(minutes % 60))"
    }
}
