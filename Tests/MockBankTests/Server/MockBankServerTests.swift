import CurlClient
import Foundation
import Machine
import MockBank
import TestSupport
import Testing

@Suite("Meridian Savings")
struct MockBankServerTests {
    static func isInstalled(_ tool: String) -> Bool {
        FileManager.default.isExecutableFile(atPath: "/usr/bin/\(tool)")
    }

    private func withBank(
        _ scenario: Scenario = .happy, tls: Bool = false, _ body: (Visitor) async throws -> Void
    ) async throws {
        var configuration = MockBankConfiguration()
        configuration.scenario = scenario
        configuration.usesTLS = tls
        configuration.today = Date(timeIntervalSince1970: 1_795_000_000)  // November 2026
        let bank = try await MockBankServer.start(configuration)
        let visitor = try Visitor(bank)
        do {
            try await body(visitor)
        } catch {
            await visitor.http.close()
            await bank.stop()
            throw error
        }
        await visitor.http.close()
        await bank.stop()
    }

    @Test("signs its customer in with user name, password and code, with and without TLS", arguments: [true, false])
    func signIn(tls: Bool) async throws {
        try await withBank(tls: tls) { visitor in
            try await visitor.signIn()
            #expect(try await visitor.get("/accounts").text.contains("Everyday Account"))
            let cookies = await visitor.http.cookies()
            #expect(cookies.allSatisfy { $0.isHTTPOnly && $0.isSecure == tls })
        }
    }

    @Test("leads to addresses of its own by the scheme that it was asked with", arguments: [true, false])
    func ownAddresses(tls: Bool) async throws {
        try await withBank(.up, tls: tls) { visitor in
            let path = "/api/v1/accounts/2f0a8d1c-58b3-4a5e-9d77-6c1f0b9e3a42/transactions"
            let days = "filter%5Bsince%5D=2026-09-01T00:00:00Z&filter%5Buntil%5D=2026-11-01T23:59:59Z"
            let token = HTTPHeader("Authorization", "Bearer \(MockBankConfiguration().token)")
            let answer = try await visitor.http.send(
                HTTPRequest("GET", "\(visitor.bank.url)\(path)?\(days)", headers: [token]))
            let next = try JSONDecoder().decode(UpPage.self, from: Data(answer.body)).links.next
            #expect(next?.hasPrefix("\(visitor.bank.url)\(path)?") == true, "\(answer.text.prefix(400))")
        }
        try await withBank(.simplefin, tls: tls) { visitor in
            let access = try await visitor.post("/simplefin/claim/mock", "").text
            #expect(access.hasPrefix(tls ? "https://robin" : "http://robin"), "\(access)")
        }
    }

    private struct UpPage: Decodable {
        struct Links: Decodable { let next: String? }

        let links: Links
    }

    @Test("signs in no one else")
    func strangers() async throws {
        try await withBank { visitor in
            for path in ["/accounts", "/statements", "/statements/everyday/2026-01", "/code"] {
                #expect(try await visitor.get(path).header("location") == "/login", "\(path)")
            }
            let token = try await visitor.csrf("/login")
            let wrong = try await visitor.post("/login", "_csrf=\(token)&username=robin.ashdown&password=x")
            #expect(wrong.text.contains("notice--error"))
            let forged = try await visitor.post("/login", "_csrf=0&username=robin.ashdown&password=correct+horse")
            #expect(forged.status == 403)
        }
    }

    @Test("ends the sign-in after three wrong codes")
    func wrongCodes() async throws {
        try await withBank { visitor in
            let token = try await visitor.csrf("/login")
            _ = try await visitor.post("/login", "_csrf=\(token)&username=robin.ashdown&password=correct+horse")
            let code = try await visitor.csrf("/code")
            for _ in 0..<2 {
                #expect(try await visitor.post("/code", "_csrf=\(code)&code=000000").text.contains("notice--error"))
            }
            let ended = try await visitor.post("/code", "_csrf=\(code)&code=000000").text
            #expect(ended.contains("Too many codes were not right") && ended.contains("name=\"username\""))
            #expect(try await visitor.get("/code").header("location") == "/login")
        }
    }

    @Test("shows the statements of a year on pages of five")
    func archive() async throws {
        try await withBank { visitor in
            try await visitor.signIn()
            let first = try await visitor.get("/statements?year=2025").text
            #expect(first.contains("December 2025") && !first.contains("<td>July 2025"))
            #expect(first.contains("rel=\"next\""))
            let last = try await visitor.get("/statements?year=2025&page=3").text
            #expect(last.contains("January 2025") && !last.contains("rel=\"next\""))
        }
    }

    @Test("forgets its customer after signing out")
    func signOut() async throws {
        try await withBank { visitor in
            try await visitor.signIn()
            let token = try await visitor.csrf("/accounts")
            #expect(try await visitor.post("/logout", "_csrf=\(token)").text.contains("signed out"))
            #expect(try await visitor.get("/accounts").header("location") == "/login")
        }
    }

    @Test("always makes the same PDF for the same account and month")
    func deterministic() async throws {
        var files: [[UInt8]] = []
        for _ in 0..<2 {
            try await withBank { visitor in
                try await visitor.signIn()
                files.append(try await visitor.get("/statements/everyday/2026-01").body)
            }
        }
        #expect(files[0] == files[1])
        #expect(files[0].starts(with: "%PDF-1.4".utf8))
    }

    @Test("has no statement for the current month or another customer")
    func missing() async throws {
        try await withBank { visitor in
            try await visitor.signIn()
            for path in ["everyday/2026-11", "everyday/2018-12", "other/2026-01", "everyday/x"] {
                #expect(try await visitor.get("/statements/\(path)").status == 404, "\(path)")
            }
        }
    }

    @Test(
        "makes PDFs that qpdf accepts and pdftotext reads",
        .enabled(if: isInstalled("qpdf") && isInstalled("pdftotext"), "qpdf or pdftotext is not installed"),
        arguments: ["everyday/2026-01", "savings/2024-02"])
    func valid(path: String) async throws {
        try await withBank { visitor in
            try await visitor.signIn()
            let file = FileManager.default.temporaryDirectory.appending(path: "\(UUID().uuidString).pdf")
            defer { try? FileManager.default.removeItem(at: file) }
            try await Data(visitor.get("/statements/\(path)").body).write(to: file)
            #expect(try await output("qpdf", "--check", file.path).status == 0)
            let text = try await output("pdftotext", "-layout", file.path, "-").text
            #expect(text.contains(path.hasPrefix("everyday") ? "January 2026" : "February 2024"))
            #expect(text.contains("Closing balance"))
        }
    }

    @Test(
        "are told from other files as qpdf tells them",
        .enabled(if: isInstalled("qpdf"), "qpdf is not installed"))
    func frames() async throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let whole = MockBankServer.statement(month: 1, year: 2026)
        let variants: [(name: String, bytes: [UInt8], isPDF: Bool)] = [
            ("whole", Array(whole), true), ("mark", [0xEF, 0xBB, 0xBF] + whole, true),
            ("space", Array("\r\n ".utf8) + whole, true), ("tail", whole + Array("\n\n<!-- served -->".utf8), true),
            ("half", Array(whole.prefix(whole.count / 2)), false),
            ("archive", Array("PK\u{3}\u{4}mimetype".utf8) + whole, false),
            ("page", Array("<html>%PDF-1.4 startxref %%EOF".utf8), false),
        ]
        for (name, bytes, isPDF) in variants {
            let frame = PDFFrame(first: Array(bytes.prefix(2048)), last: Array(bytes.suffix(2048)))
            #expect((frame.problem == nil) == isPDF, "\(name)")
            guard isPDF else { continue }
            let file = folder.appending(name)
            try Data(bytes).write(to: file)
            // 3 is a warning, for what stands before the header.
            #expect([0, 3].contains(try await output("qpdf", "--check", file.path).status), "\(name)")
        }
    }

    private func output(_ tool: String, _ arguments: String...) async throws -> (status: Int32, text: String) {
        let outcome = try await ChildProcess.run(URL(filePath: "/usr/bin/\(tool)"), arguments)
        return (outcome.status, String(decoding: outcome.output, as: UTF8.self))
    }

    @Test("reports that its port is in use")
    func port() async throws {
        try await withBank { visitor in
            var configuration = MockBankConfiguration()
            configuration.port = try #require(URL(string: visitor.bank.url)?.port)
            await #expect(throws: MockBankError.self) { try await MockBankServer.start(configuration) }
        }
    }

    @Test("does not start for a cancelled caller", .timeLimit(.minutes(3)))
    func cancelled() async throws {
        let starting = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            return try await MockBankServer.start()
        }
        await #expect(throws: CancellationError.self) { try await starting.value }
    }

    @Test("two banks with authorities of their own are trusted by one file, in either order", arguments: [false, true])
    func twoAuthorities(isReversed: Bool) async throws {
        var configuration = MockBankConfiguration()
        configuration.usesTLS = true
        let banks = try await [MockBankServer.start(configuration), MockBankServer.start(configuration)]
        let file = FileManager.default.temporaryDirectory.appending(path: "both-\(UUID().uuidString).pem")
        let authorities = banks.compactMap(\.authorityPEM)
        try Data((isReversed ? authorities.reversed() : authorities).joined().utf8).write(to: file)
        var client = CurlConfiguration()
        client.extraCAFile = file
        let http = CurlSession(client)
        for bank in banks {
            let answer = try await http.send(HTTPRequest("GET", bank.url + "/login"))
            #expect(answer.status == 200)
            await bank.stop()
        }
        await http.close()
        try FileManager.default.removeItem(at: file)
    }
}
