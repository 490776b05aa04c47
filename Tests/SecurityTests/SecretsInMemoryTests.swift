#if os(Linux)
    import CurlClient
    import Foundation
    import JSON
    import LoopbackSockets
    import MockBank
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
            .enabled(if: geteuid() == 0, "only root can read the memory of a protected process"))
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
            let page = try PageVisitor(printed: phone.printed)
            // A refusal is reported, and a report is searched for every spelling of every secret.
            try await page.post("/sign-in", ["passphrase": Self.passphrase + "?"], expecting: [403])
            try await page.signIn(Self.passphrase)

            let asked = try await Program.run(
                ["request", "--month", "1", "--year", "2026", "--json"],
                environment: settings.merging(["BROKER_URL": "http://127.0.0.1:\(port)"]) { $1 })
            #expect(asked.status == 0, "\(asked)")
            let id = try #require(try JSONReader.read(asked.output)["request_id"]?.stringValue)
            try await page.approve(id, with: Self.passphrase)
            try await Self.until("the statement is there") { try await page.text("/history").contains("Completed") }

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

    /// A browser at the approval page.
    private struct PageVisitor {
        let origin: String
        private let session = CurlSession()

        init(printed: String) throws {
            origin = String(try #require(printed.firstMatch(of: /http:\/\/[^\s\/#?]+/)).0)
        }

        func text(_ path: String) async throws -> String {
            let response = try await session.send(
                HTTPRequest("GET", origin + path, headers: [HTTPHeader("Origin", origin)]))
            return String(decoding: response.body, as: UTF8.self)
        }

        func signIn(_ passphrase: String) async throws { try await post("/sign-in", ["passphrase": passphrase]) }

        func approve(_ id: String, with passphrase: String) async throws {
            var page = try await text("/")
            for _ in 0..<100 where !page.contains(id) {
                try await Task.sleep(for: .milliseconds(200))
                page = try await text("/")
            }
            let csrf = try #require(page.firstMatch(of: /data-csrf="([^"]+)"/)).1
            let script = try #require(page.firstMatch(of: /name="script" value="([^"]+)"/)).1
            try await post(
                "/requests/\(id)/approve",
                ["csrf": String(csrf), "script": String(script), "passphrase": passphrase])
        }

        func post(_ path: String, _ form: [String: String], expecting statuses: Set<Int> = [302, 303, 307]) async throws
        {
            let body = form.map { name, value in
                "\(name)=\(value.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? "")"
            }.joined(separator: "&")
            let answer = try await session.send(
                HTTPRequest(
                    "POST", origin + path,
                    headers: [
                        HTTPHeader("Origin", origin), HTTPHeader("Content-Type", "application/x-www-form-urlencoded"),
                    ], body: Array(body.utf8)))
            #expect(statuses.contains(answer.status), "\(path): \(answer.status)")
        }
    }
#endif
