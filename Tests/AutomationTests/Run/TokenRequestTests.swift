import Authoring
import BankScript
import Crypto
import CurlClient
import Encodings
import Foundation
import HTMLAutomation
import Secrets
import Testing

@testable import Automation

@Suite("A credential that accompanies requests")
struct TokenRequestTests {
    private static let token = "tok-Kestrel/Quay+9 é"
    private static let credentials = ["token": token, "username": "robin:no", "password": "Quill&Harbour 7"]

    private static func run(
        _ steps: String, at bank: StagedBank, credentials: [String: String] = credentials,
        changing change: (inout BankScript) -> Void = { _ in }
    ) async throws -> StagedRun {
        try await StagedRun.perform(
            "credentials: [token, username, password]\nsteps:\n" + steps, at: bank, credentials: credentials,
            changing: change)
    }

    private static let download =
        "  - download: { request: { GET: /doc, headers: { Accept: application/pdf, Authorization: Bearer $token } } }\n"

    @Test("leaves in a header, with every request, without a count")
    func header() async throws {
        let bank = StagedBank { line, _ in line == "GET /doc" ? .pdf() : .json(#"{"a":1}"#) }
        let request = "  - request: { GET: /a, headers: { Authorization: Bearer $token, X-Api-Key: $token } }\n"
        let run = try await Self.run(request + request + request + Self.download, at: bank)
        #expect(run.failure == nil, "\(run.failure?.description ?? "")")
        #expect(bank.lines == ["GET /a", "GET /a", "GET /a", "GET /doc"])
        for seen in bank.seen {
            #expect(seen.headers.last { $0.isNamed("authorization") }?.value == "Bearer \(Self.token)")
        }
        #expect(bank.seen[0].headers.last { $0.isNamed("x-api-key") }?.value == Self.token)
        #expect(bank.seen[3].headers.filter { $0.isNamed("accept") }.map(\.value) == ["application/pdf"])
        #expect(run.steps[0] == "✓ request GET /a with the token, in a header, the token, in a header")
    }

    @Test("leaves by Basic authentication and in the address, encoded")
    func basicAndQuery() async throws {
        let bank = StagedBank { line, _ in line.hasPrefix("GET /doc") ? .pdf() : .json("{}") }
        let run = try await Self.run(
            """
              - request: { GET: "/a?x=1", basic: { user: plain, password: $password }, query: { key: $token, "n m": "{{ year }}" } }
              - download: { request: { GET: /doc, query: { key: $token } } }

            """, at: bank)
        #expect(run.failure == nil, "\(run.failure?.description ?? "")")
        let pair = Data("plain:Quill&Harbour 7".utf8).base64EncodedString()
        #expect(bank.seen[0].headers.last { $0.isNamed("authorization") }?.value == "Basic \(pair)")
        let encoded = "tok-Kestrel%2FQuay%2B9+%C3%A9"
        #expect(bank.lines == ["GET /a?x=1&key=\(encoded)&n+m=2026", "GET /doc?key=\(encoded)"])
        #expect(!run.steps.joined().contains("Kestrel"))
    }

    @Test("a user with a colon is refused before anything is sent (RFC 7617)")
    func colon() async throws {
        let bank = StagedBank { _, _ in .json("{}") }
        let run = try await Self.run(
            "  - request: { GET: /a, basic: { user: $username, password: $password } }\n", at: bank)
        #expect(run.failure?.message.contains("colon") == true && bank.lines.isEmpty)
        #expect(run.failure?.message.contains("robin") == false)
    }

    @Test(
        "that the bank refuses leaves no more in the run, and counts as a refused sign-in",
        arguments: [(401, "create a new one"), (403, "may not read this")])
    func refused(status: Int, advice: String) async throws {
        let bank = StagedBank { _, _ in
            StagedBank.Answer.json(#"{"error_description":"Could not validate the token"}"#, status: status)
        }
        let request = "  - request: { GET: /a, headers: { Authorization: Bearer $token } }\n"
        let run = try await Self.run(request + Self.download + "finally:\n" + request, at: bank)
        #expect(run.failure?.code == .bankLoginFailed && run.failure?.reason == .wrongCredentials)
        #expect(run.failure?.message.contains("answered \(status) to the token") == true, "\(run.failure!)")
        #expect(run.failure?.message.contains(advice) == true, "\(run.failure!)")
        #expect(run.failure?.hasSentCredentials == true)
        #expect(bank.lines == ["GET /a"])
        let atDownload = try await Self.run(Self.download, at: bank)
        #expect(atDownload.failure?.code == .bankLoginFailed && atDownload.failure?.reason == .wrongCredentials)
    }

    @Test("is dropped from the headers when a redirect leads to another origin")
    func redirectedHeader() async throws {
        let bank = StagedBank { line, _ in
            line == "GET /doc" ? .redirect("https://files.example/doc") : .pdf()
        }
        let run = try await Self.run(Self.download, at: bank) { $0.origins.append("https://files.example") }
        #expect(run.failure == nil, "\(run.failure?.description ?? "")")
        #expect(bank.lines == ["GET /doc", "GET https://files.example/doc"])
        #expect(bank.seen[1].headers.allSatisfy { !$0.value.contains("Kestrel") && !$0.isNamed("authorization") })
    }

    @Test("in an address stops a redirect that repeats it for another origin")
    func redirectedQuery() async throws {
        let bank = StagedBank { line, _ in
            line.hasPrefix("GET /doc")
                ? .redirect("https://files.example/doc?key=tok-Kestrel%2FQuay%2B9%20%C3%A9") : .pdf()
        }
        let run = try await Self.run(
            "  - download: { request: { GET: /doc, query: { key: $token } } }\n", at: bank
        ) { $0.origins.append("https://files.example") }
        #expect(run.failure?.reason == .foreignOrigin, "\(run.failure?.description ?? "")")
        #expect(bank.lines.count == 1)
        #expect(run.failure?.message.contains("Kestrel") == false)
    }

    @Test("in a body stops a redirect that repeats it for another origin", arguments: [307, 308])
    func redirectedBody(status: Int) async throws {
        let bank = StagedBank { line, _ in
            line == "POST /in"
                ? .json("{}", status: status, headers: [HTTPHeader("Location", "https://files.example/in")])
                : .json("{}")
        }
        let run = try await Self.run("  - request: { POST: /in, body: { p: $password } }\n", at: bank) {
            $0.origins.append("https://files.example")
        }
        #expect(run.failure?.reason == .foreignOrigin, "\(run.failure?.description ?? "")")
        #expect(bank.lines == ["POST /in"])
    }

    @Test(
        "goes to the origin of the table, whatever page is open and however its path is written",
        arguments: [" /q", "/q", "\t/q", "\\q", "/\u{301}q"],
        ["query: { key: $password }", "headers: { Authorization: Bearer $password }"])
    func pathFromAnotherPage(path: String, place: String) async throws {
        let bank = StagedBank { line, _ in line.contains("start") ? .page("Begin") : .json("{}") }
        let run = try await Self.run(
            "  - open: https://files.example/start\n"
                + "  - request: { GET: \(JSONValue.string(path).compactText()), \(place) }\n",
            at: bank
        ) { $0.origins.append("https://files.example") }
        #expect(
            bank.lines.count == 2 && bank.lines[1].hasPrefix("GET /"), "\(bank.lines) \(run.failure?.description ?? "")"
        )
    }

    @Test(
        "and all else that a step sends is not led elsewhere by a value in its address",
        arguments: [
            #"request: { POST: "/{{ place }}/x", body: { p: $password } }"#,
            #"request: { GET: "/{{ place }}/x" }"#, #"open: "/{{ place }}/x""#,
            #"download: { open: "/{{ place }}/x" }"#,
        ])
    func ledByPath(step: String) async throws {
        let bank = StagedBank { line, _ in line == "GET /a" ? .json(#"{"place":"/files.example/steal"}"#) : .pdf() }
        let run = try await Self.run(
            "  - request: { GET: /a }\n  - capture: { place: { json: $.place } }\n  - \(step)\n", at: bank
        ) { $0.origins.append("https://files.example") }
        #expect(run.failure?.reason == .foreignOrigin, "\(run.failure?.description ?? "")")
        #expect(bank.lines == ["GET /a"])
    }

    @Test(
        "is not sent where the bank's answer would lead it",
        arguments: ["https://files.example/x", "//files.example/x", "\\\\files.example/x"])
    func led(place: String) async throws {
        let bank = StagedBank { _, _ in .json("{\"place\":\(JSONValue.string(place).compactText())}") }
        let run = try await Self.run(
            """
              - request: { GET: /a }
              - capture: { place: { json: $.place } }
              - request: { GET: "{{ place }}", headers: { Authorization: Bearer $token } }

            """, at: bank
        ) { $0.origins.append("https://files.example") }
        #expect(run.failure?.reason == .foreignOrigin, "\(run.failure?.description ?? "")")
        #expect(bank.lines == ["GET /a"])
    }

    @Test("waits as long as a busy server asks, and says how long where that is too long", arguments: [true, false])
    func busy(isShort: Bool) async throws {
        let counter = Counter()
        let bank = StagedBank { line, _ in
            guard line == "GET /a", counter.next() <= (isShort ? 2 : 9) else {
                return line == "GET /a" ? .json("{}") : .pdf()
            }
            return .json("{}", status: 429, headers: [HTTPHeader("Retry-After", isShort ? "1" : "7200")])
        }
        let run = try await Self.run(
            "  - request: { GET: /a, headers: { Authorization: Bearer $token } }\n" + Self.download, at: bank)
        #expect(bank.lines.count == (isShort ? 4 : 1))
        #expect((run.failure == nil) == isShort)
        if !isShort {
            #expect(run.failure?.reason == .refusedByBank)
            #expect(run.failure?.message.contains("it asks to wait 120 min") == true, "\(run.failure!)")
        }
    }

    @Test("a token that a key signs leaves in its place, is dated, and names the key when the bank refuses it")
    func signed() async throws {
        let key = P256.Signing.PrivateKey()
        let bank = StagedBank { line, _ in line == "GET /doc" ? .json("{}", status: 401) : .json("{}") }
        let run = try await Self.run(
            """
              - capture: { bearer: { sign: { ES256: $token, header: { kid: $username }, claims: { aud: api, n: 1.5, y: "{{ year }}" }, life: 10 min } } }
              - request: { GET: /a, headers: { Authorization: { scheme: Bearer, captured: bearer } } }
              - download: { request: { GET: /doc, headers: { Authorization: { scheme: Bearer, captured: bearer } } } }

            """, at: bank, credentials: ["token": key.pemRepresentation, "username": "app-7"])
        #expect(run.failure?.code == .bankLoginFailed && run.failure?.reason == .wrongCredentials)
        #expect(run.failure?.message.contains("answered 401 to the token") == true, "\(run.failure!)")
        let value = try #require(bank.seen[0].headers.last { $0.isNamed("authorization") }?.value)
        let parts = value.dropFirst("Bearer ".count).split(separator: ".").map(String.init)
        #expect(parts.count == 3)
        let signature = try P256.Signing.ECDSASignature(rawRepresentation: Base64URL.decode(parts[2])!)
        #expect(key.publicKey.isValidSignature(signature, for: Array("\(parts[0]).\(parts[1])".utf8)))
        let header = try JSONReader.read(Base64URL.decode(parts[0])!)
        let claims = try JSONReader.read(Base64URL.decode(parts[1])!)
        #expect(header == ["alg": "ES256", "typ": "JWT", "kid": "app-7"])
        #expect(claims["aud"] == "api" && claims["n"] == .number(1.5) && claims["y"] == "2026")
        let (made, end) = (claims["iat"]?.intValue ?? 0, claims["exp"]?.intValue ?? 0)
        #expect(end - made == 630 && abs(Date().timeIntervalSince1970 - Double(made) - 30) < 300)
        let other = try await Self.run(
            "  - capture: { bearer: { sign: { RS256: $token, claims: {}, life: 1 min } } }\n", at: bank,
            credentials: ["token": key.pemRepresentation])
        #expect(other.failure?.message.contains("the token cannot sign: the key is not an RSA key") == true)
    }

    /// The token in the spellings that a server may echo it in.
    private static let spellings: [String] = {
        let bytes = Array(token.utf8)
        let base64 = Data(bytes).base64EncodedString()
        return [
            token, token.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? "",
            "tok-Kestrel%2FQuay%2B9+%C3%A9", base64,
            base64.replacing("+", with: "-").replacing("/", with: "_").replacing("=", with: ""), Base16.encode(bytes),
            #"tok-Kestrel\/Quay+9 \u00e9"#, String(token.reversed()), token.uppercased(),
        ]
    }()

    @Test(
        "stands in no trace, archive or message, in whatever spelling the bank echoes it", arguments: [200, 401, 500])
    func canary(status: Int) async throws {
        let echo = Self.spellings.enumerated().map { "\"e\($0)\": \(JSONValue.string($1).compactText())" }
        let body = "{\"error\": \"no \(Self.spellings[3])\", \(echo.joined(separator: ","))}"
        let bank = StagedBank { line, _ in
            line.hasPrefix("GET /doc")
                ? .pdf() : .json(body, status: status, headers: [HTTPHeader("X-Echo", Self.token)])
        }
        let yaml =
            StagedRun.head + """
                credentials: [token, username, password]
                steps:
                  - request: { GET: /a, headers: { Authorization: Bearer $token }, query: { key: $token } }
                  - request: { GET: /b, basic: { user: plain, password: $token } }
                  - download: { request: { GET: /doc, query: { key: $token } } }

                """
        let folder = FileManager.default.temporaryDirectory.appending(path: "canary-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: folder) }
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let script = try BankScript(yaml: yaml, file: "canary.yaml")
        let recorder = TraceRecorder(script, source: yaml, mask: Mask(keepsDigits: true))
        let services = HostServices(
            credentials: StagedCredentials(values: Self.credentials), person: SilentPerson(),
            downloads: FolderSink(folder), observer: recorder)
        let engine = EngineConfiguration(transport: bank) { recorder.record($0) }
        let runner = ScriptRunner(services: services) { script in
            recorder.watching(try HTMLNavigationEngine(for: script, configuration: engine))
        }
        var words = ""
        do {
            let document = try await runner.run(script, parameters: ["month": 3, "year": 2026])
            try FileManager.default.removeItem(at: document.file)
        } catch let error as RunFailure {
            words = "\(error) \(error.bankWords ?? "") \(error.page?.url ?? "") \(error.candidates)"
        }
        #expect(words.isEmpty == (status == 200), "\(words)")
        try Trace(recorder).write(to: folder.appending(path: "trace"))
        let pair = Data("plain:\(Self.token)".utf8).base64EncodedString()
        var texts = [("the failure", words)]
        for name in try FileManager.default.subpathsOfDirectory(atPath: folder.path) {
            guard let text = try? String(contentsOf: folder.appending(path: name), encoding: .utf8) else { continue }
            texts.append((name, text))
        }
        #expect(texts.count == 4)
        for (name, text) in texts {
            for spelling in Self.spellings + [pair] { #expect(!text.contains(spelling), "\(name) holds \(spelling)") }
        }
    }

    private struct StagedCredentials: CredentialProvider {
        let values: [String: String]

        func credential(named name: String, forBank bankID: String) async throws -> Secret? {
            values[name].map(Secret.init)
        }
    }

    private struct SilentPerson: HumanPrompt {
        func answer(_ prompt: Prompt) async throws -> Secret { Secret("") }
    }
}
