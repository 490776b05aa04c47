import Crypto
import CurlClient
import Encodings
import Foundation
import JSON
import LoopbackPhone
import Phone
import Secrets

@testable import ApprovalPage

/// A browser as the page's server sees one: cookies, Origin, forms and script calls.
struct PageBrowser: Sendable {
    let origin: String
    let session = CurlSession()
    var sentOrigin: String?
    var host: String?

    init(_ origin: String) {
        self.origin = origin
        sentOrigin = origin
    }

    func get(_ path: String) async throws -> HTTPResponse {
        try await session.send(HTTPRequest("GET", origin + path, headers: headers()))
    }

    func page(_ path: String = "/") async throws -> String {
        String(decoding: try await get(path).body, as: UTF8.self)
    }

    func post(_ path: String, form: [String: String]) async throws -> HTTPResponse {
        let allowed = CharacterSet.alphanumerics
        let body = form.map { name, value in
            "\(name)=\(value.addingPercentEncoding(withAllowedCharacters: allowed) ?? "")"
        }.joined(separator: "&")
        let headers = headers() + [HTTPHeader("Content-Type", "application/x-www-form-urlencoded")]
        return try await session.send(HTTPRequest("POST", origin + path, headers: headers, body: Array(body.utf8)))
    }

    func post(_ path: String, _ json: JSONValue, csrf: String = "") async throws -> (status: Int, json: JSONValue) {
        let headers =
            headers() + [HTTPHeader("Content-Type", "application/json"), HTTPHeader("X-CSRF-Token", csrf)]
        let response = try await session.send(
            HTTPRequest("POST", origin + path, headers: headers, body: try json.canonicalBytes()))
        return (response.status, (try? JSONReader.read(Data(response.body))) ?? .null)
    }

    private func headers() -> [HTTPHeader] {
        var headers: [HTTPHeader] = []
        if let sentOrigin { headers.append(HTTPHeader("Origin", sentOrigin)) }
        if let host { headers.append(HTTPHeader("Host", host)) }
        return headers
    }

    /// Signs in, and returns the form token of the pages.
    func signIn() async throws -> String {
        _ = try await post("/sign-in", form: ["passphrase": TestPhone.passphrase.revealed()])
        return try await csrf()
    }

    func csrf() async throws -> String {
        let page = try await page()
        return page.firstMatch(of: /data-csrf="([^"]+)"/).map { String($0.1) } ?? ""
    }
}

extension SoftPasskey {
    /// Returns the output of the authenticator's pseudo-random function.
    func output(_ input: [UInt8]) -> [UInt8] {
        Array(HMAC<SHA256>.authenticationCode(for: input, using: SymmetricKey(data: key.rawRepresentation)))
    }

    func answer(_ challenge: [UInt8], input: [UInt8]) throws -> JSONValue {
        signCount += 1
        let assertion = try assert(challenge)
        return [
            "id": .string(Base64URL.encode(credentialID)),
            "clientDataJSON": .string(Base64URL.encode(assertion.clientDataJSON)),
            "authenticatorData": .string(Base64URL.encode(assertion.authenticatorData)),
            "signature": .string(Base64URL.encode(assertion.signature)),
            "prf": .string(Base64URL.encode(output(input))),
        ]
    }

    /// Answers the options of the page's server.
    func answer(_ options: JSONValue) throws -> JSONValue {
        let input = Base64URL.decode(options["prf"]?[Base64URL.encode(credentialID)]) ?? []
        return try answer(Base64URL.decode(options["challenge"]) ?? [], input: input)
    }

    func registration(_ options: JSONValue, named name: String, passphrase: String) throws -> JSONValue {
        let made = register(Base64URL.decode(options["challenge"]) ?? [])
        return [
            "name": .string(name), "passphrase": .string(passphrase),
            "registration": [
                "clientDataJSON": .string(Base64URL.encode(made.clientDataJSON)),
                "attestationObject": .string(Base64URL.encode(made.attestationObject)),
            ],
            "proof": try answer(
                Base64URL.decode(options["proofChallenge"]) ?? [], input: Base64URL.decode(options["prfInput"]) ?? []),
        ]
    }
}

extension TestPhone {
    /// Serves the approval page while `body` runs.
    func serving<Success: Sendable>(
        unlocked: Bool = false, _ body: @escaping @Sendable (PageBrowser, PageServer) async throws -> Success
    ) async throws -> Success {
        let services = services()
        let server = try PageServer(
            home: home, services: services,
            configuration: PageServerConfiguration(port: 0, refreshInterval: .milliseconds(50)))
        if unlocked { try await server.unlock(verification) }
        let (addresses, continuation) = AsyncStream.makeStream(of: String.self)
        return try await withThrowingTaskGroup(of: Success?.self) { group in
            group.addTask {
                try await server.run { continuation.yield($0) }
                return nil
            }
            group.addTask {
                var iterator = addresses.makeAsyncIterator()
                return try await body(PageBrowser(await iterator.next() ?? ""), server)
            }
            defer { group.cancelAll() }
            while let result = try await group.next() { if let result { return result } }
            throw CancellationError()
        }
    }

    /// Waits until the phone is in the state that a test needs.
    func until(_ server: PageServer, _ holds: @Sendable () async throws -> Bool) async throws {
        // Poll at short intervals instead of waiting for a change, which could come between a look and the wait.
        while try await !holds() { try await Task.sleep(for: .milliseconds(20)) }
    }
}
