import CurlClient
import Foundation
import MockBank
import Testing

/// A visitor of the bank who keeps cookies and fills in forms.
struct Visitor {
    let bank: MockBankServer
    let http: CurlSession

    init(_ bank: MockBankServer) throws {
        self.bank = bank
        var configuration = CurlConfiguration()
        if let pem = bank.authorityPEM {
            let file = FileManager.default.temporaryDirectory.appending(path: "ca-\(UUID().uuidString).pem")
            try Data(pem.utf8).write(to: file)
            configuration.extraCAFile = file
        }
        http = CurlSession(configuration)
    }

    func get(_ path: String) async throws -> HTTPResponse { try await http.send(HTTPRequest("GET", bank.url + path)) }

    func post(_ path: String, _ form: String) async throws -> HTTPResponse {
        let headers = [HTTPHeader("Content-Type", "application/x-www-form-urlencoded")]
        return try await http.send(HTTPRequest("POST", bank.url + path, headers: headers, body: Array(form.utf8)))
    }

    func csrf(_ path: String) async throws -> String {
        let match = try await get(path).text.firstMatch(of: /name="_csrf" value="([0-9a-f]+)"/)
        return String(try #require(match).1)
    }

    func signIn() async throws {
        let login = try await csrf("/login")
        _ = try await post("/login", "_csrf=\(login)&username=robin.ashdown&password=correct+horse")
        let code = try await csrf("/code")
        let response = try await post("/code", "_csrf=\(code)&code=123456")
        #expect(response.header("location") == "/accounts")
    }
}

extension HTTPResponse {
    var text: String { String(decoding: body, as: UTF8.self) }
}
