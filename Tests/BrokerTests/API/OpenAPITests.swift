import BrokerStore
import Clocks
import Encodings
import Foundation
import Logging
import Messages
import Secrets
import TestParties
import Testing

import struct Crypto.SHA256

@testable import Broker

@Suite("The OpenAPI document")
struct OpenAPITests {
    @Test("describes exactly the broker's routes")
    func routes() async throws {
        let stage = try BrokerStage()
        try await stage.run { stage in
            let answer = try await stage.send("GET", "/openapi.json", as: .nobody)
            #expect(answer.status == 200)
            #expect(answer.json["openapi"] == "3.1.0")
            let paths = try #require(answer.json["paths"]?.objectValue)
            let described = paths.flatMap { path, item in
                (item.objectValue ?? [:]).keys.map { "\($0.uppercased()) \(path)" }
            }
            for route in described {
                let parts = route.split(separator: " ")
                let path = String(parts[1]).replacing("{request_id}", with: RequestID().description)
                    .replacing("{session}", with: "17").replacing("{device_id}", with: RequestID().description)
                    .replacing("{offer_id}", with: RequestID().description)
                    .replacing("{document_id}", with: String(repeating: "0", count: 32))
                    .replacing("{client}", with: RequestID().description)
                let answer = try await stage.probe(String(parts[0]), path)
                #expect(answer != 404 && answer != 405, "\(route) is described and not there")
            }
            #expect(Set(described) == Set(try stage.knownRoutes()))
        }
    }

    /// The document is a promise to the authors of phones and agents: change this digest only on purpose.
    @Test("is served with the recorded meaning: the SHA-256 of its canonical JSON, but for the kinds of documents")
    func meaning() async throws {
        let stage = try BrokerStage()
        try await stage.run { stage in
            let answer = try await stage.exchange("GET", "/openapi.json", as: .nobody)
            #expect(answer.status == 200)
            #expect(answer.header("content-type") == "application/json; charset=utf-8")
            #expect(answer.header("cache-control") == "no-store")
            let served = try JSONReader.read(answer.body)
            let canonical = try served.listingNothing(in: ["Kind", "MediaType"]).canonicalBytes()
            #expect(
                Base16.encode(SHA256.hash(data: Data(canonical)))
                    == "cd367a2adf0966476d1a73523e8587e9d41c826f29dce89d6a52122f4cd44dfa")
        }
    }

    @Test("lists each kind of documents and its media type once, where the file names the two schemas")
    func kinds() throws {
        let schemas = try #require(try OpenAPIDocument.json()["components"]?["schemas"])
        #expect(schemas["Kind"]?["enum"] == .array(DocumentKind.allCases.map { .string($0.rawValue) }))
        let listed = try #require(schemas["MediaType"]?["enum"]?.arrayValue)
        let types = listed.compactMap(\.stringValue)
        #expect(types.sorted() == Set(DocumentKind.allCases.map(\.mediaType)).sorted())
        let document = try #require(schemas["Document"]?["properties"])
        #expect(document["kind"] == ["$ref": "#/components/schemas/Kind"])
        #expect(document["media_type"] == ["$ref": "#/components/schemas/MediaType"])
        let written = try OpenAPIDocument.written()
        #expect(written == (try OpenAPIDocument.json()).listingNothing(in: ["Kind", "MediaType"]))
        #expect(written["components"]?["schemas"]?["Kind"]?["type"] == "string")
    }

    @Test("names the specification's error codes and states")
    func vocabulary() throws {
        let text = try OpenAPIDocument.json().compactText()
        for state in RequestStatus.allCases { #expect(text.contains("\"\(state.rawValue)\"")) }
        for code in [
            "INVALID_REQUEST_TYPE", "MISSING_FIELD", "REQUEST_NOT_FOUND", "APPROVAL_EXPIRED", "UNAUTHORIZED",
            "RATE_LIMITED", "BANK_LOGIN_FAILED", "BANK_2FA_TIMEOUT", "NAVIGATION_FAILED", "PDF_DOWNLOAD_FAILED",
            "ICLOUD_WRITE_FAILED", "EXECUTION_TIMEOUT", "FACTOR_UNAVAILABLE", "FACTOR_MISSING", "SIGNATURE_INVALID",
            "OTHER_DEVICE", "PAIRING_NOT_FOUND", "PAIRING_CLAIMED", "PAIRING_WRONG_CODE", "PAIRING_OVER",
        ] { #expect(text.contains(code), "\(code)") }
    }

    @Test("a wrong method answers 405 with the allowed ones", arguments: ["PUT", "DELETE", "PATCH", "POST"])
    func wrongMethod(method: String) async throws {
        let stage = try BrokerStage()
        try await stage.run { stage in
            let answer = try await stage.send(method, "/requests", as: .nobody, body: [])
            #expect(answer.status == 405)
            #expect(answer.head.header("allow") == "GET")
            #expect(answer.json["error_code"] == "METHOD_NOT_ALLOWED")
        }
    }
}

extension JSONValue {
    /// Returns the description without the values that some of its schemas allow.
    fileprivate func listingNothing(in names: Set<String>) -> JSONValue {
        guard case .object(var document) = self, case .object(var components)? = document["components"],
            case .object(var schemas)? = components["schemas"]
        else { return self }
        for name in names {
            guard case .object(var schema)? = schemas[name] else { continue }
            schema["enum"] = nil
            schemas[name] = .object(schema)
        }
        components["schemas"] = .object(schemas)
        document["components"] = .object(components)
        return .object(document)
    }
}

extension BrokerStage {
    /// Returns the status of an answer without a token: protected routes answer 401, so nothing changes.
    fileprivate func probe(_ method: String, _ path: String) async throws -> Int {
        try await exchange(method, path, as: .nobody, body: method == "POST" ? [0x7B, 0x7D] : nil).status
    }

    fileprivate func knownRoutes() throws -> [String] {
        let database = try BrokerDatabase(root.appending(path: "other/broker.sqlite"))
        let changes = RequestChanges()
        let logger = Logger(label: "quiet") { _ in SwiftLogNoOpLogHandler() }
        let server = BrokerServer(
            configuration: configuration, database: database,
            keys: try BrokerKeys.stored(in: database.identity, configuration.sealing, host: "127.0.0.1"),
            desk: PairingDesk(),
            timekeeper: Timekeeper(store: database.requests, clock: BrokerClock(), changes: changes, logger: logger),
            changes: changes, phoneChanges: PhoneChanges(), metrics: BrokerMetrics(),
            policy: CurrentPolicy(configuration.policy),
            refused: RefusedTokens(database.audit, clock: BrokerClock()),
            tally: AuditTally(database.audit, clock: BrokerClock()), logger: logger)
        return try server.routes().map { route in
            let path = route.path.map { part in
                switch part {
                case ":session", "{session}": "{session}"
                case ":offer", "{offer}": "{offer_id}"
                case ":document", "{document}": "{document_id}"
                case ":device", "{device}": "{device_id}"
                case ":client", "{client}": "{client}"
                default: part.hasPrefix(":") || part.hasPrefix("{") ? "{request_id}" : part
                }
            }
            return "\(route.method) /\(path.joined(separator: "/"))"
        }
    }
}
