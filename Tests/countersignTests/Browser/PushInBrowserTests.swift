import ApprovalPage
import Encodings
import Foundation
import Messages
import Notifications
import TestParties
import Testing

/// The service worker of the page, with a message as a push service delivers it.
@Suite("The service worker in Chromium", .serialized)
struct PushInBrowserTests {
    @Test(
        "a message is shown without a word about a bank, and a tap on it opens the card", .needsChromedriver,
        .timeLimit(.minutes(4)))
    func push() async throws {
        let id = RequestID()
        try await PageStage.with { phone in
            await phone.broker.offer([try phone.envelope(id: id)])
        } _: { stage in
            let driver = stage.driver
            try await driver.wait(for: "January 2026")
            _ = try await driver.tell(
                "Browser.grantPermissions", ["origin": .string(stage.origin), "permissions": ["notifications"]])
            try await stage.open("/settings")
            try await driver.wait(for: "Notifications")
            let ready = "navigator.serviceWorker.controller && navigator.serviceWorker.controller.state === 'activated'"
            try await stage.wait(until: ready, "the worker is active")
            let place = stage.page.dropFirst(stage.origin.count)
            _ = try await driver.tell("ServiceWorker.enable")
            let count = """
                window.shown = window.shown || [];
                navigator.serviceWorker.ready.then((r) => r.getNotifications()).then((all) => {
                  window.shown = all.map((one) => [one.title, one.body, one.data.open].join("|"));
                });
                """
            let end = ContinuousClock.now + .seconds(60)
            _ = try await driver.evaluate(count)
            // A message that comes before Chromium has stored the registration is lost, so it is sent until it is shown.
            while try await driver.evaluate("return window.shown.length") != 1, ContinuousClock.now < end {
                try await Self.deliver(#"{"open":"\#(place)/#r-\#(id.short)"}"#, in: stage)
                try await Task.sleep(for: .milliseconds(100))
                _ = try await driver.evaluate(count)
            }
            let shown = try await driver.evaluate("return window.shown[0]").stringValue
            #expect(shown == "A request waits|Open the page to see and decide it.|\(place)/#r-\(id.short)")

            try await tap(stage)
            try await driver.wait(for: "January 2026")
            #expect(try await driver.evaluate("return location.hash").stringValue == "#r-\(id.short)")
        }
    }

    /// Delivers a message to the registration of the page's worker. Chromium numbers the registrations of a profile; one
    /// that a navigation interrupted has taken a number.
    private static func deliver(_ message: String, in stage: PageStage) async throws {
        for number in 0..<8 {
            _ = try await stage.driver.tell(
                "ServiceWorker.deliverPushMessage",
                [
                    "origin": .string(stage.origin), "registrationId": .string(String(number)),
                    "data": .string(message),
                ])
        }
    }

    /// Taps on the notification: no desktop is there, so the worker gets the event that a desktop sends.
    private func tap(_ stage: PageStage) async throws {
        let targets = try await stage.driver.tell("Target.getTargets")["targetInfos"]?.arrayValue ?? []
        let worker = try #require(targets.first { $0["type"] == "service_worker" }?["targetId"])
        let attached = try await stage.driver.tell("Target.attachToTarget", ["targetId": worker, "flatten": false])
        let event = """
            self.registration.getNotifications().then(([notification]) => {
              const event = new NotificationEvent("notificationclick", { notification });
              self.dispatchEvent(event);
            })
            """
        let message: JSONValue = [
            "id": 1, "method": "Runtime.evaluate", "params": ["expression": .string(event), "awaitPromise": true],
        ]
        _ = try await stage.driver.tell(
            "Target.sendMessageToTarget",
            ["sessionId": attached["sessionId"] ?? .null, "message": .string(message.compactText())])
    }

    @Test(
        "without a connection the app says so, and shows nothing of the vault", .needsChromedriver,
        .timeLimit(.minutes(4)))
    func offline() async throws {
        try await PageStage.with { phone in
            await phone.broker.offer([try phone.envelope()])
        } _: { stage in
            let driver = stage.driver
            try await driver.wait(for: "January 2026")
            try await stage.wait(until: "navigator.serviceWorker.controller", "the worker is active")
            _ = try await driver.evaluate(
                "caches.keys().then((names) => Promise.all(names.map((n) => caches.open(n).then((c) => c.keys())))).then("
                    + "(all) => { window.kept = all.flat().map((r) => new URL(r.url).pathname).sort().join(' '); })")
            try await stage.wait(until: "window.kept !== undefined", "the list of what is kept")
            #expect(
                try await driver.evaluate("return window.kept").stringValue
                    == "/icon.svg /offline.html /page.js /style.css")
        }
    }
}
