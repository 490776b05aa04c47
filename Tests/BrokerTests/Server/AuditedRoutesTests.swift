import BrokerStore
import Encodings
import Foundation
import Messages
import Storage
import TestParties
import Testing

@testable import Broker

/// Each route of the broker, with the events that it has to leave in the audit log.
@Suite("The audit log of the broker's routes", .timeLimit(.minutes(4)))
struct AuditedRoutesTests {
    /// The events that a route leaves, or the reason why it leaves none.
    private enum Trace: Sendable {
        case events([AuditKind])
        /// Nothing, for this reason.
        case nothing(String)
    }

    private static let traces: [String: Trace] = [
        "GET /healthz": .nothing("tells that the broker answers"),
        "GET /openapi.json": .nothing("is a public document"),
        "GET /metrics": .nothing("counts without names"),
        "POST /proof": .nothing("says that the broker knows a token; a wrong one is counted as refused"),
        "POST /request": .events([.requestCreated, .requestFolded]),
        "GET /request/{request_id}": .nothing("is the agent's own request"),
        "DELETE /request/{request_id}": .events([.requestExpired]),
        "GET /request/{request_id}/receipt": .nothing("is signed by the broker, about the agent's own request"),
        "GET /documents/{document_id}/file": .events([.documentSent]),
        "GET /requests": .nothing("lists the agent's own requests"),
        "POST /offers": .events([.offerMade]),
        "GET /offers": .nothing("lists the agent's own offers"),
        "DELETE /offers/{offer_id}": .events([.offerDismissed]),
        "GET /phone/offers": .nothing("lists what the phone may open"),
        "POST /phone/offers/{offer_id}/open": .events([.offerOpened]),
        "POST /phone/offers/{offer_id}/dismiss": .events([.offerDismissed]),
        "GET /documents": .events([.documentsListed, .documentsSearched]),
        "GET /documents/{document_id}/text": .events([.documentRead]),
        "GET /banks": .nothing("names banks, no account and no document"),
        "PUT /phone/banks": .nothing("names banks, no account and no document"),
        "GET /phone/requests/pending": .events([.deviceConnected]),
        "GET /phone/changes": .nothing("tells that there may be something new"),
        "POST /phone/requests": .events([.requestCreated, .requestFolded]),
        "POST /phone/requests/{request_id}/again": .events([.requestCreated, .requestFolded]),
        "POST /phone/requests/{request_id}/decision": .events([.approvalSigned, .requestApproved, .requestDenied]),
        "POST /phone/requests/{request_id}/started": .events([.requestExecuting]),
        "POST /phone/requests/{request_id}/failure": .events([.requestFailed]),
        "POST /phone/check": .nothing("shows that both sides have one secret"),
        "POST /phone/device/rotate": .events([.deviceRotationAgreed]),
        "GET /phone/devices": .nothing("lists the devices to one of them"),
        "POST /phone/devices/{device_id}/remove": .events([.deviceRemoved, .deviceRemovalRefused]),
        "GET /phone/clients": .nothing("lists the programs elsewhere to a phone"),
        "POST /phone/clients/{client}/allow": .events([.clientAllowed, .clientRefused]),
        "POST /phone/clients/{client}/deny": .events([.clientDenied]),
        "POST /phone/clients/{client}/remove": .events([.clientRemoved]),
        "POST /pairing/{session}/begin": .nothing("has not shown the code yet"),
        "POST /pairing/{session}/claim": .events([.pairingClaimed, .pairingWrongCode, .pairingRefused]),
        "POST /pairing/{session}/finish": .events([.pairingDone, .devicePaired]),
    ]

    @Test("names every route")
    func whole() throws {
        let paths = try #require(try OpenAPIDocument.json()["paths"]?.objectValue)
        let routes = paths.flatMap { path, item in
            (item.objectValue ?? [:]).keys.map { "\($0.uppercased()) \(path)" }
        }
        #expect(Set(routes) == Set(Self.traces.keys))
    }

    /// A file with three pages and one word.
    private struct Library: DocumentLibrary {
        func pages(of file: URL, _ kind: DocumentKind) async throws -> [String] { ["one", "two", "three"] }
        func places(of digests: Set<String>) async -> [String: URL] { [:] }
        func find(_ words: String) async throws -> [FoundText] { [] }
    }

    @Test("has what an agent, a phone and a stranger did")
    func walk() async throws {
        let stage = try BrokerStage()
        try await stage.run(library: Library()) { stage in
            let walk = Walk(stage)
            let phone = try await walk.leaves([.pairingOpened, .pairingClaimed, .pairingDone, .devicePaired]) {
                try await stage.pair()
            }
            let bank: JSONValue = ["bank_id": "default", "name": "Meridian Savings", "documents": true]
            #expect(try await phone.send("PUT", "/phone/banks", ["banks": [bank]]).status == 200)
            let other = try await stage.administration().agents.add(try #require(AgentName("second"))).revealed()

            let id = try await walk.leaves([.requestCreated]) { try await stage.request(month: 1) }
            let wish: JSONValue = ["type": "statement", "month": 1, "year": 2026]
            for kinds in [[.requestFolded], []] as [[AuditKind]] {
                try await walk.leaves(kinds) {
                    _ = try await stage.send("POST", "/request", as: .token(other), wish)
                }
            }
            try await walk.leaves([.approvalSigned, .requestApproved]) {
                let status = try await phone.approve(id).status
                #expect(status == 200)
            }
            try await walk.leaves([.requestExecuting]) {
                let status = try await phone.send("POST", "/phone/requests/\(id)/started", [:]).status
                #expect(status == 200)
            }
            try await walk.leaves([.requestCompleted]) {
                try stage.publish(id, secret: phone.secret)
                #expect(try await BrokerStage.wait(for: id, on: stage) == "COMPLETED")
            }
            try await walk.leaves([.documentsListed]) { _ = try await stage.send("GET", "/documents") }
            try await walk.leaves([.documentsSearched]) { _ = try await stage.send("GET", "/documents?q=insurance") }
            try await walk.leaves([.documentRead]) {
                let listed = try await stage.send("GET", "/documents").json["documents"]?.arrayValue?.first
                let document = try #require(listed?["document_id"]?.stringValue)
                #expect(try await stage.send("GET", "/documents/\(document)/text").status == 200)
            }

            let denied = try await stage.request(month: 2)
            try await walk.leaves([.requestDenied]) {
                let status = try await phone.decide(denied, "DENY").status
                #expect(status == 200)
            }
            let failing = try await stage.request(month: 3)
            #expect(try await phone.approve(failing).status == 200)
            try await walk.leaves([.requestFailed]) {
                let body: JSONValue = [
                    "error_code": "NAVIGATION_FAILED", "failed_at": .string("2026-11-21T10:00:00.000Z"),
                ]
                let status = try await phone.send("POST", "/phone/requests/\(failing)/failure", body).status
                #expect(status == 200)
            }

            let offer: JSONValue = ["from": "2025-01", "to": "2025-02", "kinds": ["pdf"]]
            let made = try await walk.leaves([.offerMade]) {
                try await stage.send("POST", "/offers", offer).json["offer_id"]?.stringValue
            }
            try await walk.leaves([.offerDismissed]) {
                _ = try await phone.send("POST", "/phone/offers/\(made ?? "")/dismiss", [:])
            }
            try await walk.leaves([.tokenRefused]) { _ = try await stage.send("GET", "/requests", as: .stranger) }
        }
    }

    /// Compares the log before and after a step.
    private struct Walk {
        let stage: BrokerStage

        init(_ stage: BrokerStage) { self.stage = stage }

        @discardableResult
        func leaves<Value>(
            _ kinds: [AuditKind], _ step: () async throws -> Value, sourceLocation: SourceLocation = #_sourceLocation
        ) async throws -> Value {
            let before = try await stage.audited().count
            let value = try await step()
            let new = try await stage.audited().dropFirst(before)
            if kinds.isEmpty { #expect(new.isEmpty, sourceLocation: sourceLocation) }
            for kind in kinds {
                #expect(
                    new.contains(kind.rawValue), "\(kind.rawValue) is not among \(new)", sourceLocation: sourceLocation)
            }
            return value
        }
    }
}
