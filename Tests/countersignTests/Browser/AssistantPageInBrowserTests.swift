import Crypto
import Encodings
import Foundation
import MockGoogle
import TestSupport
import Testing

/// The assistant's pages in Chromium, against the running program.
@Suite("The assistant's pages in Chromium", .serialized)
struct AssistantPageInBrowserTests {
    @Test(
        "a passkey makes a user and signs in again, and what was stored is there", .needsChromedriver,
        .timeLimit(.minutes(5)))
    func passkeys() async throws {
        try await AssistantPageStage.with { stage in
            let driver = stage.driver
            try await stage.register()
            // Neither token is where a script can read it.
            let kept =
                "return document.cookie + JSON.stringify({...localStorage}) + JSON.stringify({...sessionStorage})"
            #expect(try await driver.evaluate(kept).stringValue == "{}{}")

            try await stage.open("/settings")
            _ = try await driver.evaluate("document.getElementById('minutes').value = ''")
            try await driver.type("7", into: "#minutes")
            try await driver.click("section form button.main")
            try await driver.wait(for: "Your times are stored.")

            try await driver.click("#sign-out button")
            try await driver.wait(for: "You have an account")
            try await stage.open("/settings")
            try await driver.wait(for: "You have an account")
            #expect(try await driver.evaluate("return location.search").stringValue == "?back=/settings")
            try await driver.click("form[data-ceremony=login] button")
            try await driver.wait(for: "Devices that are notified")
            #expect(try await driver.evaluate("return document.getElementById('minutes').value").stringValue == "7")

            // The session is the API's: it outlives a restart of the service.
            #expect(try await stage.assistant.end(SIGKILL) != 0)
            try await stage.assistant.start()
            try await stage.open("/")
            try await driver.wait(for: "7 minutes before each meeting")
        }
    }

    @Test(
        "an invitation admits one user, and its absence none", .needsChromedriver, .timeLimit(.minutes(5)))
    func invitations() async throws {
        try await AssistantPageStage.with(more: ["ASSISTANT_SIGNUP": "invite"]) { stage in
            let driver = stage.driver
            try await driver.type("no-invitation-of-anyone", into: "#invite")
            try await driver.click("form[data-ceremony=register] button")
            try await driver.wait(for: "A new user needs an invitation")
            let made = try await Program.run(["assistant", "invite"], environment: stage.assistant.environment)
            let code = made.output.trimmingCharacters(in: .whitespacesAndNewlines)
            _ = try await driver.evaluate("document.getElementById('invite').value = ''")
            try await driver.type(code, into: "#invite")
            try await stage.register()
            try await driver.wait(for: "Connect Google first")
        }
    }

    @Test(
        "the worker shows the sentences of notices in the page's language, and what others wrote as it is",
        .needsChromedriver, .timeLimit(.minutes(5)))
    func notices() async throws {
        try await AssistantPageStage.with { stage in
            let load = "const call = new XMLHttpRequest(); call.open('GET', '/worker.js?LANGUAGE', false); call.send();"
            for (language, title, body, category, shown) in [
                (
                    "de", "Good morning", "Your brief for today is ready.", "MORNING_BRIEF",
                    "Guten Morgen/Ihre Übersicht für heute ist da."
                ),
                (
                    "de", "Meeting in 1 hour 5 minutes", "It begins at 09:05.", "MEETING_REMINDER",
                    "Termin in 1 Stunde 5 Minuten/Er beginnt um 09:05."
                ),
                (
                    "es", "Good morning", "Meeting now. It begins at 10:00.", "MEETING_REMINDER",
                    "Good morning/Reunión ahora. Empieza a las 10:00."
                ),
                (
                    "fr", "Urgent mail", "You have 6 messages that look urgent.", "URGENT_MAIL",
                    "E-mails urgents/Vous avez 6 messages qui semblent urgents."
                ),
                ("de", "Urgent mail", "Good morning, everyone", "URGENT_MAIL", "Urgent mail/Good morning, everyone"),
                (
                    "de", "While it was quiet", "2 meeting reminders, 1 morning brief", "HELD_NOTICES",
                    "Während der Ruhezeit/2 Terminerinnerungen, 1 Morgenübersicht"
                ),
                (
                    "en", "Good morning", "Your brief for today is ready.", "MORNING_BRIEF",
                    "Good morning/Your brief for today is ready."
                ),
            ] {
                let path = load.replacing("?LANGUAGE", with: language == "en" ? "" : "?\(language)")
                let source = try #require(
                    try await stage.driver.evaluate(path + "return call.responseText").stringValue)
                let said = try await stage.driver.evaluate(
                    """
                    const self = { addEventListener() {} };
                    \(source)
                    const one = spoken({ title: '\(title)', body: '\(body)' }, '\(category)');
                    return one.title + '/' + one.body;
                    """)
                #expect(said.stringValue == shown)
            }
        }
    }

    @Test(
        "Google is connected, refused and ended from the page", .needsChromedriver, .timeLimit(.minutes(5)))
    func google() async throws {
        try await AssistantPageStage.with { stage in
            let driver = stage.driver
            try await stage.register()
            try await stage.open("/connections")
            try await driver.click("button.connect")
            try await driver.wait(for: "wants access to your account")
            try await driver.click("button[value=deny]")
            try await driver.wait(for: "Nothing was connected.")
            #expect(await stage.google.account.refreshTokens.isEmpty)

            try await stage.connect()
            #expect(try await driver.evaluate("return location.search").stringValue == "?connected=yes")
            #expect(await stage.google.account.refreshTokens.count == 1)
            try await driver.wait(for: "Read your calendar")
            // Another person's answer from Google does not count in this session.
            try await stage.open("/connections/google/callback?code=4%2Fforeign&state=foreign")
            try await driver.wait(for: "Google's answer does not count any more")

            try await stage.open("/connections")
            try await driver.click("summary")
            try await driver.click("details button")
            try await driver.wait(for: "The connection is ended")
            #expect(await stage.google.account.refreshTokens.isEmpty, "Google was told, too")
        }
    }

    @Test(
        "everything is deleted: the browser is signed out, the passkey opens nothing, and Google is told",
        .needsChromedriver,
        .timeLimit(.minutes(5)))
    func deletion() async throws {
        try await AssistantPageStage.with { stage in
            let driver = stage.driver
            try await stage.register()
            try await stage.connect()
            try await stage.wait(until: "navigator.serviceWorker.controller", "the worker is active")
            try await stage.open("/data")
            try await driver.click("section.danger summary")
            // Without the box ticked the browser does not send the form.
            try await driver.click("#delete-all button")
            #expect(try await driver.evaluate("return location.pathname").stringValue == "/data")
            try await driver.click("#understood")
            try await driver.click("#delete-all button")
            try await driver.wait(for: "Everything is deleted")
            #expect(await stage.google.account.refreshTokens.isEmpty)
            let address = try await driver.evaluate("return location.pathname").stringValue ?? ""
            #expect(address.wholeMatch(of: /\/deleted\/del_[0-9a-f]{32}/) != nil)
            try await stage.open("/data")
            try await driver.wait(for: "You have an account")
            try await driver.click("form[data-ceremony=login] button")
            try await driver.wait(for: "This passkey belongs to no user here")
        }
    }

    @Test(
        "without a connection the app says so, and nothing of the user is stored", .needsChromedriver,
        .timeLimit(.minutes(5)))
    func offline() async throws {
        try await AssistantPageStage.with { stage in
            let driver = stage.driver
            try await stage.register()
            try await stage.open("/settings")
            try await stage.wait(until: "navigator.serviceWorker.controller", "the worker is active")
            _ = try await driver.evaluate(
                "caches.keys().then((names) => Promise.all(names.map((n) => caches.open(n).then((c) => c.keys())))).then("
                    + "(all) => { window.kept = all.flat().map((r) => new URL(r.url).pathname).sort().join(' '); })")
            try await stage.wait(until: "window.kept !== undefined", "the list of what is kept")
            #expect(
                try await driver.evaluate("return window.kept").stringValue
                    == "/icon.svg /offline.html /page.js /style.css")
            _ = try await stage.assistant.end(SIGKILL)
            // The driver reports a page of the worker as a failed navigation of the network.
            try? await stage.open("/data")
            try await driver.wait(for: "The assistant cannot be reached.")
        }
    }

    @Test(
        "a message is shown as a notice, and a tap on it opens its page", .needsChromedriver, .timeLimit(.minutes(5)))
    func push() async throws {
        try await AssistantPageStage.with { stage in
            let driver = stage.driver
            try await stage.register()
            _ = try await driver.tell(
                "Browser.grantPermissions", ["origin": .string(stage.origin), "permissions": ["notifications"]])
            try await stage.open("/settings")
            let ready = "navigator.serviceWorker.controller && navigator.serviceWorker.controller.state === 'activated'"
            try await stage.wait(until: ready, "the worker is active")
            _ = try await driver.tell("ServiceWorker.enable")
            for (message, expected) in Self.messages {
                #expect(try await Self.shown(message, stage) == expected)
            }
            #expect(try await Self.shown(Self.messages[0].message, stage) == Self.messages[0].shown)
            try await tap(stage)
            try await driver.wait(for: "This brief is gone")
            #expect(try await driver.evaluate("return location.pathname").stringValue == "/briefs/b-1")
        }
    }

    /// Taps on the notice: no desktop is there, so the worker gets the event that a desktop sends.
    private func tap(_ stage: AssistantPageStage) async throws {
        let targets = try await stage.driver.tell("Target.getTargets")["targetInfos"]?.arrayValue ?? []
        let worker = try #require(targets.first { $0["type"] == "service_worker" }?["targetId"])
        let attached = try await stage.driver.tell("Target.attachToTarget", ["targetId": worker, "flatten": false])
        let event = """
            self.registration.getNotifications().then(([notification]) => {
              self.dispatchEvent(new NotificationEvent("notificationclick", { notification }));
            })
            """
        let message: JSONValue = [
            "id": 1, "method": "Runtime.evaluate", "params": ["expression": .string(event), "awaitPromise": true],
        ]
        _ = try await stage.driver.tell(
            "Target.sendMessageToTarget",
            ["sessionId": attached["sessionId"] ?? .null, "message": .string(message.compactText())])
    }

    /// The payload of a push (the interface's section *Push*), with what the browser shows and opens.
    private static let messages: [(message: String, shown: String)] = [
        (payload("MORNING_BRIEF", link: "alfred://briefs/b-1"), "Title|Text|/briefs/b-1"),
        (payload("URGENT_MAIL", link: "alfred://alerts/a_2"), "Title|Text|/alerts/a_2"),
        // One notice was held: its link, and not its kind, says what it is about.
        (payload("HELD_NOTICES", link: "alfred://confirmations/c-3"), "Title|Text|/confirmations"),
        (payload("HELD_NOTICES", link: "alfred://notices"), "Title|Text|/"),
        (payload("RECONNECT", link: "alfred://connectors"), "Title|Text|/connections"),
        (payload("URGENT_MAIL", link: "alfred://alerts/../x"), "Title|Text|/"),
        (payload("URGENT_MAIL", link: "alfred://alerts"), "Title|Text|/"),
        (payload("CONFIRMATION", link: "https://evil.example"), "Title|Text|/"),
        (payload("CONFIRMATION", link: "alfred://constructor/x"), "Title|Text|/"),
        ("no JSON", "Assistant|Open the assistant to see what is new.|/"),
    ]

    private static func payload(_ category: String, link: String) -> String {
        let json: JSONValue = [
            "aps": ["alert": ["title": "Title", "body": "Text"], "category": .string(category)], "id": "1",
            "link": .string(link),
        ]
        return json.compactText()
    }

    /// Delivers a message until it is shown: one that comes before Chromium has stored the registration is lost.
    private static func shown(_ message: String, _ stage: AssistantPageStage) async throws -> String {
        let driver = stage.driver
        let look = """
            window.shown = window.shown || [];
            navigator.serviceWorker.ready.then((r) => r.getNotifications()).then((all) => {
              window.shown = all.map((one) => [one.title, one.body, one.data.open].join("|"));
            });
            """
        let clear =
            "const done = arguments[arguments.length - 1]; navigator.serviceWorker.ready.then((r) => r.getNotifications())"
            + ".then((all) => { all.forEach((one) => one.close()); window.shown = []; done(true); });"
        _ = try await driver.wait(forResultOf: clear)
        let end = ContinuousClock.now + .seconds(60)
        while try await driver.evaluate("return (window.shown || []).length") != 1, ContinuousClock.now < end {
            for number in 0..<8 {
                _ = try await driver.tell(
                    "ServiceWorker.deliverPushMessage",
                    [
                        "origin": .string(stage.origin), "registrationId": .string(String(number)),
                        "data": .string(message),
                    ])
            }
            try await Task.sleep(for: .milliseconds(100))
            _ = try await driver.evaluate(look)
        }
        return try await driver.evaluate("return window.shown[0]").stringValue ?? ""
    }

    @Test(
        "this browser is notified from one press on until the next", .needsChromedriver, .timeLimit(.minutes(5)))
    func subscription() async throws {
        // No push service is within reach, so the browser's part of a subscription is made up here.
        let key = Base64URL.encode(Array(P256.KeyAgreement.PrivateKey().publicKey.x963Representation))
        let stub = """
            const made = {
              options: {
                get applicationServerKey() { return Uint8Array.from(JSON.parse(sessionStorage.getItem("made"))).buffer; },
              },
              toJSON: () => ({ endpoint: "http://127.0.0.1:9/push/x", expirationTime: null,
                keys: { p256dh: "\(key)", auth: "AAAAAAAAAAAAAAAAAAAAAA" } }),
              unsubscribe: async () => { sessionStorage.removeItem("made"); return true; },
            };
            PushManager.prototype.subscribe = async ({ applicationServerKey }) => {
              if (applicationServerKey.length !== 65) throw new Error("the key is not a point");
              const key = JSON.stringify([...applicationServerKey]);
              if ((sessionStorage.getItem("made") || key) !== key) throw new Error("there is one to another key");
              sessionStorage.setItem("made", key);
              return made;
            };
            PushManager.prototype.getSubscription = async () => sessionStorage.getItem("made") ? made : null;
            """
        let more = ["VAPID_SUBJECT": "mailto:operator@provider.net", "WEBPUSH_ORIGINS": "http://127.0.0.1:9"]
        try await AssistantPageStage.with(more: more) { stage in
            let driver = stage.driver
            _ = try await driver.tell("Page.addScriptToEvaluateOnNewDocument", ["source": .string(stub)])
            _ = try await driver.tell(
                "Browser.grantPermissions", ["origin": .string(stage.origin), "permissions": ["notifications"]])
            try await stage.register()
            try await stage.open("/settings")
            try await driver.wait(for: "Notify this browser")
            try await driver.click("#push-on")
            try await driver.wait(for: "This browser\n")
            try await stage.wait(until: "!document.getElementById('push-off').hidden", "the browser is notified")
            #expect(try await driver.evaluate("return document.querySelectorAll('[data-own]').length") == 1)
            // The subscription belongs to a key that the assistant has lost.
            _ = try await driver.evaluate("sessionStorage.setItem('made', '[4, 2]')")
            try await stage.open("/settings")
            try await stage.wait(
                until: "(sessionStorage.getItem('made') || '').length > 65", "the browser subscribes to the present key"
            )
            try await stage.wait(until: "!document.getElementById('push-off').hidden", "the browser is notified")
            // Its operator has replaced the key, with which the assistant has forgotten this browser.
            _ = try await driver.evaluate(
                "post('/notifications/remove', {}).then(() => { window.isForgotten = true; }); return 1")
            try await stage.wait(until: "window.isForgotten", "the browser is forgotten")
            _ = try await driver.evaluate("sessionStorage.setItem('made', '[4, 2]')")
            try await stage.open("/settings")
            try await stage.wait(until: "!document.getElementById('push-on').hidden", "the browser may be notified")
            try await driver.click("#push-on")
            try await stage.wait(
                until: "(sessionStorage.getItem('made') || '').length > 65", "the browser subscribes to the next key")
            try await stage.wait(until: "!document.getElementById('push-off').hidden", "the browser is notified")
            try await driver.click("#push-off")
            try await driver.wait(for: "No device is notified.")
            #expect(try await driver.evaluate("return sessionStorage.getItem('made')") == .null)
        }
    }

    @Test("the keyboard alone signs in, and reaches every place", .needsChromedriver, .timeLimit(.minutes(5)))
    func keyboard() async throws {
        try await AssistantPageStage.with { stage in
            let driver = stage.driver
            let focused = "return (document.activeElement.textContent || '').trim()"
            // Tab moves on; Enter presses.
            func move(to words: String) async throws {
                for _ in 0..<40 {
                    try await driver.press("\u{E004}")
                    if try await driver.evaluate(focused).stringValue == words { return }
                }
                throw WebDriver.Failure(description: "Tab never reached “\(words)”")
            }
            try await move(to: "Make a passkey")
            try await driver.press("\u{E007}")
            try await driver.wait(for: "Connect Google first")
            for (place, words) in [
                ("Connections", "Google asks you"), ("Settings", "Devices that are notified"),
                ("Your data", "What was done"), ("Today", "What you get"),
            ] {
                try await move(to: place)
                try await driver.press("\u{E007}")
                try await driver.wait(for: words)
                #expect(
                    try await driver.evaluate(
                        "return document.querySelector('nav [aria-current=page]').textContent"
                    ).stringValue == place)
            }
            try await move(to: "Sign out")
            try await driver.press("\u{E007}")
            try await driver.wait(for: "You have an account")
        }
    }
}
