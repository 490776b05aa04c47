#if os(Linux)
    import Foundation
    import Encodings
    import TestParties
    import TestServers
    import MockBank
    import Secrets
    import TestSupport
    import Testing

    /// Someone who gets an image of the phone's memory after a run: from a crash, a hibernation file or a debugger.
    @Suite("An image of the phone's memory", .timeLimit(.minutes(4)))
    struct SecretsInMemoryTests {
        private static let passphrase = "purple canaries sing at nine"
        private static let password = "violet canary"
        private static let username = "wren.ashdown"
        private static let token = "phone-token-canary-phone-token-canary"
        private static let agentToken = "agent-token-canary-agent-token-canary"
        private static let sharedSecret = "a shared canary of more than thirty-two bytes"

        @Test(
            "holds neither passphrase nor password nor token five seconds after a run",
            .enabled(if: geteuid() == 0, "only root can read the memory of a protected process"),
            .disabled(if: Sanitizer.isActive, "a sanitizer's allocator does not wipe what is freed"))
        func scan() async throws {
            let folder = try TemporaryFolder()
            defer { folder.remove() }
            let port = try FreePort.find()
            let inbox = folder.appending("inbox")
            try FileManager.default.createDirectory(at: inbox, withIntermediateDirectories: true)
            var bank = MockBankConfiguration()
            (bank.username, bank.password) = (Self.username, Self.password)
            bank.acceptsCode = { $0.count == 6 }
            let server = try await MockBankServer.start(bank)
            for (name, text) in [
                ("passphrase.txt", Self.passphrase),
                ("token.txt", "otpauth://totp/Meridian:robin?secret=JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP&issuer=Meridian"),
                ("login.json", #"{"username": "\#(Self.username)", "password": "\#(Self.password)"}"#),
            ] {
                try Data(text.utf8).write(to: folder.appending(name))
            }
            let settings = [
                "BROKER_API_TOKEN": Self.agentToken, "PHONE_API_TOKEN": Self.token,
                "BROKER_PHONE_SHARED_SECRET": Self.sharedSecret, "ICLOUD_INBOX_PATH": inbox.path,
                "BROKER_DATABASE_PATH": folder.appending("broker/broker.sqlite").path, "BROKER_PORT": "\(port)",
            ]
            let broker = try Program(["broker", "serve", "--no-telegram"], environment: settings)
            defer { broker.signal(SIGKILL) }
            try await Self.until("the broker is ready") { broker.errors.contains("broker is ready") }

            let vault = [
                "--home", folder.appending("home").path, "--passphrase-file", folder.appending("passphrase.txt").path,
            ]
            let setup = try await Program.run(
                [
                    "phone", "setup", "--broker", "http://127.0.0.1:\(port)", "--inbox", inbox.path, "--credentials",
                    folder.appending("login.json").path,
                ] + vault, environment: settings)
            #expect(setup.status == 0, "\(setup)")
            let added = try await Program.run(
                [
                    "totp", "add", "--uri-file", folder.appending("token.txt").path, "--bank", "default",
                ] + vault)
            #expect(added.status == 0, "\(added)")

            let phone = try Program(
                ["phone", "serve", "--port", "0", "--home", folder.appending("home").path, "--bank-at", server.url])
            defer { phone.signal(SIGKILL) }
            try await Self.until("the page is open") { phone.printed.contains("\n") }
            let address = try #require(phone.printed.firstMatch(of: /(http:\/\/[^\s\/#]+)\/#code=([^\s#]+)/))
            let page = PageBrowser(String(address.1))
            #expect(try await page.enter(Secret(String(address.2))) == 303)
            // A refusal is reported, and a report is searched for every spelling of every secret.
            #expect(try await page.signIn(passphrase: Self.passphrase + "?").status == 403)
            #expect(try await page.signIn(passphrase: Self.passphrase).status == 303)

            let asked = try await Program.run(
                ["request", "--month", "1", "--year", "2026", "--json"],
                environment: settings.merging(["BROKER_URL": "http://127.0.0.1:\(port)"]) { $1 })
            #expect(asked.status == 0, "\(asked)")
            let id = try #require(try JSONReader.read(asked.output)["request_id"]?.stringValue)
            try await Self.until("the request is shown") { try await page.page().contains(id) }
            let card = try await page.page()
            let script = try #require(card.firstMatch(of: /name="script" value="([^"]+)"/)).1
            let approved = try await page.post(
                "/requests/\(id)/approve",
                form: ["csrf": page.csrf(), "script": String(script), "passphrase": Self.passphrase])
            #expect(approved.status == 303)
            try await Self.until("the statement is there") { try await page.page("/history").contains("Completed") }

            try await Task.sleep(for: .seconds(5))
            let spellings = [Self.passphrase, Self.password, Self.username, Self.token, Self.sharedSecret]
            let written = spellings.flatMap { [$0, $0.replacing(" ", with: "+"), $0.replacing(" ", with: "%20")] }
            let hits = try ProcessMemory(process: phone.id).places(of: Array(Set(written)))
            let list = hits.prefix(40).map(\.description).joined(separator: "\n")
            #expect(hits.isEmpty, "\(hits.count) places:\n\(list)")
            if let dump = ProcessInfo.processInfo.environment["COUNTERSIGN_MEMORY_HITS"] {
                try Data((hits.map(\.description).joined(separator: "\n") + "\n").utf8).write(to: URL(filePath: dump))
            }
            await server.stop()
        }

        private static func until(_ what: String, _ isSo: () async throws -> Bool) async throws {
            let end = ContinuousClock.now + .seconds(40)
            while try await !isSo() {
                try #require(ContinuousClock.now < end, "not after 40 s: \(what)")
                try await Task.sleep(for: .milliseconds(100))
            }
        }
    }
#endif
