import Clocks
import Encodings
import Testing

@testable import Messages

private let id = RequestID("0f0e0d0c-0b0a-4900-8807-060504030201")!
private let time = Timestamp("2026-01-31T09:00:00.000Z")!
private let nonce = Nonce("00112233445566778899aabbccddeeff")!

/// Every body with the canonical JSON that it has on the wire.
private let bodies: [(String, JSONValue, String)] = {
    var summary = RequestSummary(id: id, status: .completed)
    summary.createdAt = "a"
    summary.updatedAt = "b"
    summary.approvalExpiresAt = "c"
    summary.parameters = ["month": 1, "year": 2026]
    summary.filePath = "/x.pdf"
    summary.sha256 = "d"
    summary.filedPath = "/y.pdf"
    summary.completedAt = "e"
    summary.errorCode = "NAVIGATION_FAILED"
    summary.errorMessage = "f"
    summary.phones = 2
    summary.bankID = "n"
    (summary.documentsDelivered, summary.documentsAsked) = (24, 27)
    return [
        (
            "a statement's request", StatementRequest(month: 1, year: 2026, agentRequestID: "k").json,
            #"{"agent_request_id":"k","month":1,"type":"statement","year":2026}"#
        ),
        (
            "a request without a key", StatementRequest(month: 1, year: 2026).json,
            #"{"month":1,"type":"statement","year":2026}"#
        ),
        (
            "a request's summary", summary.json,
            #"{"approval_expires_at":"c","bank_id":"n","completed_at":"e","created_at":"a","documents_asked":27,"#
                + #""documents_delivered":24,"error_code":"NAVIGATION_FAILED","#
                + #""error_message":"f","file_path":"/x.pdf","filed_path":"/y.pdf","params":{"month":1,"year":2026},"#
                + #""phones":2,"request_id":"\#(id)","sha256":"d","status":"COMPLETED","updated_at":"b"}"#
        ),
        (
            "a short summary", RequestSummary(id: id, status: .denied).json,
            #"{"request_id":"\#(id)","status":"DENIED"}"#
        ),
        ("a page", RequestPage(items: [1], nextCursor: "n").json, #"{"next_cursor":"n","requests":[1]}"#),
        ("the last page", RequestPage(items: []).json, #"{"requests":[]}"#),
        (
            "a list of pending requests",
            PendingList(
                entries: [
                    .init(
                        envelope: SignedEnvelope(json: ["a": 1]), requirement: ["devices": 1], isApprovedHere: true,
                        alsoAskedBy: [AgentName.standard], alsoOn: ["Tablet"]),
                    .init(envelope: SignedEnvelope(json: ["b": 2]), requirement: nil, isApprovedHere: false),
                ], asksForRotation: true
            ).json,
            #"{"requests":[{"also_asked_by":["default"],"also_on":["Tablet"],"approved":true,"envelope":{"a":1},"requirement":{"devices":1}},{"envelope":{"b":2}}],"#
                + #""rotation_requested":true}"#
        ),
        ("an empty list", PendingList(entries: [], asksForRotation: false).json, #"{"requests":[]}"#),
        (
            "an approval", DecisionBody(.approve, at: time, approval: ["x": 1]).json,
            #"{"approval":{"x":1},"decided_at":"\#(time)","decision":"APPROVE"}"#
        ),
        (
            "a denial", DecisionBody(.deny, at: time).json,
            #"{"decided_at":"\#(time)","decision":"DENY"}"#
        ),
        (
            "an approval that counts", ApprovalCount(approvals: 1, needed: 2).json(of: id),
            #"{"approvals":1,"needed":2,"request_id":"\#(id)","status":"PENDING_APPROVAL"}"#
        ),
        ("a start", StartedBody(startedAt: time).json, #"{"started_at":"\#(time)"}"#),
        (
            "a failure", FailureBody(code: .bankSecondFactorTimeout, message: "m", failedAt: time).json,
            #"{"error_code":"BANK_2FA_TIMEOUT","error_message":"m","failed_at":"\#(time)"}"#
        ),
        (
            "a failure without words", FailureBody(code: .executionTimeout, message: nil, failedAt: time).json,
            #"{"error_code":"EXECUTION_TIMEOUT","failed_at":"\#(time)"}"#
        ),
        (
            "a check of the secret", SecretCheck(nonce: nonce, signature: "s").json,
            #"{"nonce":"\#(nonce)","signature":"s"}"#
        ),
        ("its answer", SecretCheckAnswer(signature: "s").json, #"{"signature":"s"}"#),
        (
            "an error", ErrorBody(code: .conflict, message: "m", status: .expired).json,
            #"{"error_code":"CONFLICT","error_message":"m","status":"EXPIRED"}"#
        ),
        (
            "an error without a state", ErrorBody(code: .unauthorized, message: "m").json,
            #"{"error_code":"UNAUTHORIZED","error_message":"m"}"#
        ),
    ]
}()

/// Reads a body of the same kind and writes it again.
private func rewritten(_ kind: String, _ json: JSONValue) throws -> JSONValue? {
    switch kind {
    case "a statement's request", "a request without a key": try StatementRequest(json: json).json
    case "a request's summary", "a short summary": RequestSummary(json: json)?.json
    case "a page", "the last page": RequestPage(json: json).json
    case "a list of pending requests", "an empty list": PendingList(json: json)?.json
    case "an approval", "a denial": try DecisionBody(json: json).json
    case "an approval that counts": ApprovalCount(json: json)?.json(of: id)
    case "a failure", "a failure without words": try FailureBody(json: json).json
    case "a check of the secret": try SecretCheck(json: json).json
    case "its answer": SecretCheckAnswer(json: json).json
    case "an error", "an error without a state": ErrorBody(json: json).json
    default: json
    }
}

@Suite("Bodies")
struct BodyTests {
    @Test("have the members of the specification", arguments: bodies)
    func written(kind: String, json: JSONValue, text: String) throws {
        #expect(String(decoding: try json.canonicalBytes(), as: UTF8.self) == text)
    }

    @Test("are the same after reading and writing", arguments: bodies)
    func read(kind: String, json: JSONValue, text: String) throws {
        #expect(try rewritten(kind, json) == json)
    }

    @Test("name the field that is missing or wrong")
    func refused() {
        func refusal<Body>(_ read: (JSONValue) throws(BodyError) -> Body, _ json: JSONValue) -> BodyError? {
            do {
                _ = try read(json)
                return nil
            } catch {
                return error
            }
        }
        let long = JSONValue.string(String(repeating: "x", count: 201))
        let statements: [(JSONValue, ErrorCode, String)] = [
            ([:], .missingField, "type"), (["type": "transfer"], .invalidRequestType, "statement"),
            (["type": "statement", "month": 1], .missingField, "year"),
            (["type": "statement", "month": 13, "year": 2026], .invalidField, "month"),
            (["type": "statement", "month": 0, "year": 2026], .invalidField, "month"),
            (["type": "statement", "month": 1, "year": 2026, "bank_id": "No Id"], .invalidField, "“bank_id”"),
            (["type": "statement", "month": 1, "year": 2026, "\u{1B}[2J": 1], .invalidField, "1 with unusual names"),
            (["type": "statement", "month": 1, "year": 1989], .invalidField, "year"),
            (["type": "statement", "month": 1, "year": 2026, "agent_request_id": ""], .invalidField, "empty"),
            (["type": "statement", "month": 1, "year": 2026, "agent_request_id": long], .invalidField, "200"),
        ]
        for (json, code, word) in statements {
            let error = refusal(StatementRequest.init(json:), json)
            #expect(error?.code == code && error?.message.contains(word) == true, "\(json)")
        }
        let at = JSONValue.string(time.description)
        #expect(refusal(DecisionBody.init(json:), ["decided_at": at])?.code == .missingField)
        #expect(refusal(DecisionBody.init(json:), ["decision": "MAYBE", "decided_at": at])?.code == .invalidField)
        #expect(refusal(DecisionBody.init(json:), ["decision": "DENY", "decided_at": "now"])?.code == .invalidField)
        #expect(
            refusal(FailureBody.init(json:), ["error_code": "OTHER_DEVICE", "failed_at": at])?.code == .invalidField)
        #expect(refusal(FailureBody.init(json:), ["error_code": "EXECUTION_TIMEOUT"])?.code == .missingField)
        #expect(refusal(SecretCheck.init(json:), ["nonce": "0", "signature": "s"])?.code == .invalidField)
        #expect(refusal(SecretCheck.init(json:), ["nonce": .string(nonce.description)])?.code == .missingField)
    }

    @Test("take null for a missing optional member")
    func nulls() throws {
        let at = JSONValue.string(time.description)
        #expect(try DecisionBody(json: ["decision": "DENY", "decided_at": at, "approval": .null]).approval == nil)
        let failure = try FailureBody(
            json: ["error_code": "NAVIGATION_FAILED", "failed_at": at, "error_message": .null])
        #expect(failure.message == nil)
    }

    @Test("keep an error code of a newer version, and ignore an unknown state")
    func unknown() {
        let error = ErrorBody(json: ["error_code": "NEW_CODE", "status": "LOST"])
        #expect(error.code == "NEW_CODE" && error.status == nil && error.message == nil)
        #expect(RequestSummary(json: ["request_id": .string(id.description), "status": "LOST"]) == nil)
    }
}
