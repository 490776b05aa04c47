import Crypto
import CurlClient
import Foundation
import TestSupport
import Testing

@testable import MockBank

@Suite("The scenarios of Meridian Savings")
struct ScenarioTests {
    private func withBank(_ scenario: Scenario, _ body: (Visitor) async throws -> Void) async throws {
        var configuration = MockBankConfiguration()
        configuration.scenario = scenario
        configuration.today = Date(timeIntervalSince1970: 1_795_000_000)  // November 2026
        let bank = try await MockBankServer.start(configuration)
        let visitor = try Visitor(bank)
        let outcome = await Result { try await body(visitor) }
        await visitor.http.close()
        await bank.stop()
        try outcome.get()
    }

    @Test("each have a unique name and summary")
    func names() {
        #expect(Set(Scenario.allCases.map(\.summary)).count == Scenario.allCases.count)
        #expect(Scenario.allCases.allSatisfy { $0.rawValue.wholeMatch(of: /[a-z0-9]+(-[a-z0-9]+)*/) != nil })
    }

    @Test(
        "start with a page that opens in a browser",
        arguments: Scenario.allCases.filter { !$0.needsTLS && !$0.isInterface })
    func opens(scenario: Scenario) async throws {
        try await withBank(scenario) { visitor in
            var response = try await visitor.get("/login")
            for _ in 0..<3 where [303, 500].contains(response.status) {
                response = try await visitor.get(location(of: response) ?? "/login")
            }
            #expect(response.status == (scenario == .maintenance ? 503 : 200))
            #expect(response.header("content-type")?.hasPrefix("text/html") == true)
            #expect(response.text.contains(" – Meridian Savings</title>") || scenario == .oddEncoding)
        }
    }

    /// Follows a redirect to another host of the bank, and returns the path of any other redirect.
    private func location(of response: HTTPResponse) -> String? {
        response.header("location").flatMap { URL(string: $0) }.map { $0.query().map { "/login?\($0)" } ?? "/" }
    }

    private func password(_ visitor: Visitor) async throws -> HTTPResponse {
        let token = try await visitor.csrf("/login")
        return try await visitor.post("/login", "_csrf=\(token)&username=robin.ashdown&password=correct+horse")
    }

    private func code(_ visitor: Visitor) async throws -> HTTPResponse {
        _ = try await password(visitor)
        let token = try await visitor.csrf("/code")
        return try await visitor.post("/code", "_csrf=\(token)&code=123456")
    }

    @Test(
        "stop the customer until the page is completed",
        arguments: [
            (
                .passwordExpired, "/new-password", "new=short&repeated=short",
                "new=long+enough+now&repeated=long+enough+now"
            ),
            (.termsToAccept, "/terms", "", "accepted=yes"),
            (.extraIdentification, "/question", "answer=", "answer=Ashford"),
        ] as [(Scenario, String, String, String)])
    func holds(scenario: Scenario, path: String, wrong: String, right: String) async throws {
        try await withBank(scenario) { visitor in
            #expect(try await code(visitor).header("location") == path)
            #expect(try await visitor.get("/statements").header("location") == path)
            let token = try await visitor.csrf(path)
            #expect(try await visitor.post(path, "_csrf=\(token)&\(wrong)").text.contains("notice--error"))
            #expect(try await visitor.post(path, "_csrf=\(token)&\(right)").header("location") == "/accounts")
            #expect(try await visitor.get("/statements").status == 200)
        }
    }

    @Test("lock the account even if the password was correct")
    func locked() async throws {
        try await withBank(.accountLocked) { (visitor) async throws -> Void in
            #expect(try await password(visitor).text.contains("Your account is locked"))
            #expect(try await visitor.get("/code").header("location") == "/login")
        }
    }

    @Test("wait for the approval in the app, which arrives or never does", arguments: [Scenario.push, .pushUnanswered])
    func push(scenario: Scenario) async throws {
        try await withBank(scenario) { visitor in
            #expect(try await password(visitor).header("location") == "/confirm")
            var locations: [String?] = []
            for _ in 0..<4 { locations.append(try await visitor.get("/confirm").header("location")) }
            #expect(locations.contains("/accounts") == (scenario == .push))
        }
    }

    @Test("show the code in a picture, only to the customer")
    func picture() async throws {
        try await withBank(.codeInPicture) { visitor in
            #expect(try await visitor.get("/challenge.svg").status == 404)
            _ = try await password(visitor)
            let picture = try await visitor.get("/challenge.svg").text
            let digits = try #require(picture.firstMatch(of: />(\d{6})</)).1
            let token = try await visitor.csrf("/code")
            #expect(try await visitor.post("/code", "_csrf=\(token)&code=\(digits)").header("location") == "/accounts")
        }
    }

    @Test("prepare a requested statement, which is ready a little later")
    func onRequest() async throws {
        try await withBank(.statementOnRequest) { visitor in
            try await visitor.signIn()
            let page = "/statements?account=everyday&year=2025&page=1"
            let token = try await visitor.csrf(page)
            let ordered = try await visitor.post("/statements/everyday/2025-11/order", "_csrf=\(token)&back=\(page)")
            #expect(ordered.status == 303)
            #expect(try await visitor.get(page).text.contains("Being prepared"))
            #expect(try await visitor.get(page).text.contains("href=\"/statements/everyday/2025-11\""))
        }
    }

    @Test("end the session on the third page inside")
    func expired() async throws {
        try await withBank(.sessionExpired) { visitor in
            try await visitor.signIn()
            for _ in 0..<2 { #expect(try await visitor.get("/accounts").status == 200) }
            #expect(try await visitor.get("/accounts").header("location") == "/login?ended=1")
            #expect(try await visitor.get("/login?ended=1").text.contains("Your session has ended"))
        }
    }

    @Test(
        "serve something other than the statement",
        arguments: [
            (.truncatedPDF, "%PDF-1.4", 1500), (.htmlInsteadOfPDF, "<!doctype html>", nil),
            (.hugePDF, "%PDF-1.4", nil),
        ] as [(Scenario, String, Int?)])
    func documents(scenario: Scenario, beginning: String, size: Int?) async throws {
        try await withBank(scenario) { visitor in
            try await visitor.signIn()
            let file = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
            defer { try? FileManager.default.removeItem(at: file) }
            let request = HTTPRequest("GET", visitor.bank.url + "/statements/everyday/2025-11")
            let download = try await visitor.http.download(request, to: file, limit: 80 << 20)
            #expect(download.firstBytes.starts(with: beginning.utf8))
            if let size { #expect(download.bytes == size) }
            if scenario == .hugePDF { #expect(download.bytes > 64 << 20) }
        }
    }

    @Test("accept a ticket from the sign-in host only once")
    func elsewhere() async throws {
        try await withBank(.loginElsewhere) { (visitor) async throws -> Void in
            let there = visitor.bank.otherURL
            #expect(try await visitor.get("/login").header("location") == "\(there)/login")
            #expect(try await visitor.get("/arrive?ticket=0").header("location") == "/login")
        }
    }

    @Test("send pages in windows-1252 with non-breaking spaces")
    func encoding() async throws {
        try await withBank(.oddEncoding) { visitor in
            let page = try await visitor.get("/login").body
            #expect(page.firstRange(of: Array("Sign".utf8) + [0xA0] + Array("in</button>".utf8)) != nil)
            #expect(String(validating: page, as: UTF8.self) == nil)
            #expect(String(decoding: page, as: UTF8.self).contains("charset=iso-8859-1"))
        }
    }

    @Test("use JSON for the code, the token, the list, and a document that takes a while")
    func json() async throws {
        try await withBank(.jsonBank) { visitor in
            func call(_ method: String, _ path: String, _ body: String? = nil, token: String = "") async throws
                -> (status: Int, text: String)
            {
                let headers = [
                    HTTPHeader("Content-Type", "application/json"), HTTPHeader("Authorization", "Bearer \(token)"),
                ]
                let response = try await visitor.http.send(
                    HTTPRequest(method, visitor.bank.url + path, headers: headers, body: body.map { Array($0.utf8) }))
                return (response.status, response.text)
            }
            #expect(try await call("GET", "/api/statements").status == 401)
            #expect(
                try await call("POST", "/api/session", #"{"username":"robin.ashdown","password":"x"}"#).status == 401)
            let login = #"{"username":"robin.ashdown","password":"correct horse"}"#
            #expect(try await call("POST", "/api/session", login).text.contains("code_required"))
            #expect(try await call("POST", "/api/session/code", #"{"code":"000000"}"#).text.contains("invalid_code"))
            let signedIn = try await call("POST", "/api/session/code", #"{"code":"123456"}"#).text
            let token = String(try #require(signedIn.firstMatch(of: /"token":"([0-9a-f]+)"/)).1)
            #expect(try await call("GET", "/api/statements?year=2025").status == 401)
            let list = try await call("GET", "/api/statements?year=2025", token: token)
            #expect(list.text.contains(#""id":"everyday\/2025-11""#))
            let document = #"{"id":"everyday/2025-11"}"#
            #expect(try await call("POST", "/api/documents", document, token: token).status == 202)
            var states: [String] = []
            for _ in 0..<2 {
                states.append(try await call("GET", "/api/documents/everyday/2025-11", token: token).text)
            }
            #expect(states[0].contains("preparing"))
            #expect(states[1].contains("ready"))
            #expect(try await call("GET", "/statements/everyday/2025-11").status == 401)
            #expect(try await call("GET", "/statements/everyday/2025-11", token: token).text.hasPrefix("%PDF-"))
            #expect(try await call("DELETE", "/api/session").status == 204)
            #expect(try await call("GET", "/api/statements?year=2025", token: token).status == 401)
        }
    }

    @Test("answer with one page at every address, and hide documents from requests without the session's token")
    func singlePage() async throws {
        try await withBank(.singlePageApp) { visitor in
            let page = try await visitor.get("/").text
            #expect(page.contains("/single-page.js"))
            #expect(try await visitor.get("/statements/of/any/year").text == page)
            let headers = [HTTPHeader("Content-Type", "application/json")]
            func post(_ path: String, _ body: String) async throws -> HTTPResponse {
                try await visitor.http.send(
                    HTTPRequest("POST", visitor.bank.url + path, headers: headers, body: Array(body.utf8)))
            }
            let challenge = try await visitor.get("/api/challenge").text
            let nonce = String(try #require(challenge.firstMatch(of: /"nonce":"([0-9a-f]+)"/)).1)
            // The password itself is not the proof.
            #expect(
                try await post("/api/session", #"{"username":"robin.ashdown","proof":"correct horse"}"#).status == 401)
            let key = SymmetricKey(data: SHA256.hash(data: Data("meridian/2026/correct horse".utf8)))
            let code = HMAC<SHA256>.authenticationCode(for: Data(nonce.utf8), using: key)
            let proof = code.map { String(format: "%02x", $0) }.joined()
            #expect(
                try await post("/api/session", #"{"username":"robin.ashdown","proof":"\#(proof)"}"#).status == 200)
            let signedIn = try await post("/api/session/code", #"{"code":"123456"}"#).text
            let token = String(try #require(signedIn.firstMatch(of: /"token":"([0-9a-f]+)"/)).1)
            let document = visitor.bank.url + "/documents/everyday/2025-11"
            #expect(try await visitor.http.send(HTTPRequest("GET", document)).status == 401)
            let answer = try await visitor.http.send(
                HTTPRequest("GET", document, headers: [HTTPHeader("Authorization", "Bearer \(token)")]))
            #expect(answer.text.hasPrefix("%PDF-") && answer.header("content-disposition") == "inline")
        }
    }

    @Test(
        "make PDFs with padding that qpdf accepts",
        .enabled(if: FileManager.default.isExecutableFile(atPath: "/usr/bin/qpdf"), "qpdf is not installed"))
    func padded() async throws {
        let file = FileManager.default.temporaryDirectory.appending(path: "\(UUID().uuidString).pdf")
        defer { try? FileManager.default.removeItem(at: file) }
        let statement = Statement(account: Account.all[0], month: Month(year: 2025, month: 11))
        try Data(statement.pdf(padding: 100_000)).write(to: file)
        let checked = try await ChildProcess.run(URL(filePath: "/usr/bin/qpdf"), ["--check", file.path])
        #expect(checked.status == 0, "\(checked.text)")
    }
}

extension Result where Success == Void, Failure == any Error {
    fileprivate init(_ body: () async throws -> Void) async {
        do {
            self = .success(try await body())
        } catch {
            self = .failure(error)
        }
    }
}
