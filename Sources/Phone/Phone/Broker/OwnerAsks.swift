import BankScript
import CurlClient
import Encodings
import Foundation
import Messages
import PhoneStore
import Storage

/// The outcome of the owner's wish for documents.
package enum AskOutcome: Sendable, Hashable {
    /// The request waits for the owner's approval.
    case waits(RequestID)
    /// Everything that was asked for is there already, by an earlier request.
    case isThere(RequestID)
}

/// Asks the broker for documents in the owner's name. The request that comes of it is verified and approved as any other.
struct OwnerAsks: Sendable {
    let store: PhoneDatabase
    let broker: BrokerConnection
    let services: PhoneServices

    /// - Throws: ``PhoneError``, also for what the bank's script cannot fetch.
    func ask(_ wanted: DocumentsRequest, ofBank bankID: String) async throws -> AskOutcome {
        guard let script = services.scripts.script(forBank: bankID) else {
            throw PhoneError(.invalidSetting, "this phone has no script for a bank “\(bankID)”; choose another bank")
        }
        guard try await store.credentialTimes()[bankID] != nil else {
            throw PhoneError(
                .invalidSetting, "no credentials of \(script.name) are stored; store them under Banks first")
        }
        let (body, subject) = try Self.request(wanted, of: script)
        let answer = try await broker.call { (client) async throws(PhoneError) in try await client.ask(body) }
        return try await note(answer, OwnAsk(bankID: bankID, subject: subject), "owner.asked")
    }

    /// Asks again for what a request did not bring.
    ///
    /// - Throws: ``PhoneError``.
    func repeatRequest(_ id: RequestID) async throws -> AskOutcome {
        guard let earlier = try await store.request(id) else {
            throw PhoneError(.unknownRequest, "request \(id.short) is not known on this phone")
        }
        let answer = try await broker.call { (client) async throws(PhoneError) in try await client.askAgain(id) }
        return try await note(answer, OwnAsk(bankID: earlier.bankID, subject: earlier.subject), "owner.asked_again")
    }

    private func note(_ answer: RequestSummary, _ ask: OwnAsk, _ type: String) async throws -> AskOutcome {
        try await store.audit.record(
            AuditEvent(
                type, requestID: answer.id.description, details: ["bank_id": .string(ask.bankID)],
                time: services.clock.now))
        guard answer.status != .completed else { return .isThere(answer.id) }
        try await store.note(ask, as: answer.id, at: services.clock.now)
        return .waits(answer.id)
    }

    /// Returns the body of the request. A script without a part for each month is asked for one statement.
    private static func request(
        _ wanted: DocumentsRequest, of script: BankScript
    ) throws(PhoneError) -> (body: JSONValue, subject: RequestSubject) {
        guard script.forEachPeriod.isEmpty else {
            var wanted = wanted
            wanted.bankID = script.id
            do {
                return (wanted.json, .documents(try wanted.selection()))
            } catch {
                throw PhoneError(.invalidSetting, error.message)
            }
        }
        guard wanted.from == wanted.to, wanted.kinds == [.pdf], wanted.accounts.isEmpty else {
            throw PhoneError(
                .invalidSetting, "\(script.name) gives one statement in a visit; choose one month, as PDF")
        }
        let statement = StatementRequest(month: wanted.from.month, year: wanted.from.year, bankID: script.id)
        return (statement.json, .statement(wanted.from))
    }
}

extension PhoneBrokerClient {
    /// Asks for documents in the owner's name.
    func ask(_ body: JSONValue) async throws(PhoneError) -> RequestSummary {
        do throws(PhoneError) {
            return try summary(try await send("POST", "/phone/requests", body: body))
        } catch  where error.status == 404 {
            throw PhoneError(
                .brokerConflict,
                "this broker takes no requests of its owner's phone; update it, or ask with: countersign request",
                status: error.status)
        }
    }

    func askAgain(_ id: RequestID) async throws(PhoneError) -> RequestSummary {
        do throws(PhoneError) {
            return try summary(try await send("POST", "/phone/requests/\(id)/again"))
        } catch  where error.status == 404 {
            throw PhoneError(
                .brokerConflict, "the broker does not know this request any more; get it anew with Get a statement",
                status: error.status)
        }
    }

    private func summary(_ response: HTTPResponse) throws(PhoneError) -> RequestSummary {
        let limits = JSONLimits(depth: 8, size: Self.largestAnswer)
        guard let summary = RequestSummary(json: try json(of: response, limits: limits)) else {
            throw PhoneError(.brokerMalformed, "the broker's answer names no request; look again")
        }
        return summary
    }
}
