import CurlClient
import Foundation
import JSON
import Secrets
import Signer

/// The broker's phone API (specification, section 10.2), as a client that believes nothing.
public struct PhoneBrokerClient: Sendable {
    /// The most bytes of a list that are read: some ten thousand envelopes.
    static let largestList = 8 << 20
    /// The most bytes of any other answer.
    static let largestAnswer = 64 << 10

    private let baseURL: String
    private let token: Secret
    private let session: CurlSession

    /// - Parameter configuration: its limits on bodies are replaced by this client's own.
    public init(baseURL: URL, token: Secret, configuration: CurlConfiguration = CurlConfiguration()) {
        var configuration = configuration
        configuration.limits.connect = min(configuration.limits.connect, .seconds(10))
        configuration.limits.firstByte = min(configuration.limits.firstByte, .seconds(15))
        configuration.limits.whole = min(configuration.limits.whole, .seconds(30))
        configuration.limits.bodySize = Self.largestList
        configuration.keepsCookies = false
        let text = baseURL.absoluteString
        self.baseURL = text.hasSuffix("/") ? String(text.dropLast()) : text
        self.token = token
        session = CurlSession(configuration)
    }

    /// The envelopes that wait for a decision, as they came: not one of them is verified yet.
    public func pending() async throws(PhoneError) -> [SignedEnvelope] {
        let response = try await send("GET", "/phone/requests/pending")
        let limits = JSONLimits(depth: 16, size: Self.largestList)
        guard let list = try json(of: response, limits: limits)["requests"]?.arrayValue else {
            throw PhoneError(.brokerMalformed, "the broker's list of requests has no “requests”; check its address")
        }
        return list.map { SignedEnvelope(json: $0["envelope"] ?? .null) }
    }

    public func decide(_ id: RequestID, _ decision: Decision, at now: Date) async throws(PhoneError) {
        try await post(id, "decision", ["decision": .string(decision.rawValue), "decided_at": Self.time(now)])
    }

    /// Says that execution begins. Some brokers do not know the route: it is an addition to the specification.
    public func started(_ id: RequestID, at now: Date) async throws(PhoneError) {
        try await post(id, "started", ["started_at": Self.time(now)])
    }

    public func failed(_ id: RequestID, code: String, message: String?, at now: Date) async throws(PhoneError) {
        var body: [String: JSONValue] = ["error_code": .string(code), "failed_at": Self.time(now)]
        body["error_message"] = message.map(JSONValue.string)
        try await post(id, "failure", .object(body))
    }

    /// Whether the broker has the same secret; nil when it offers no ``SecretProof`` and no envelope shows it either.
    public func proveSecret(_ secret: SharedSecret) async throws(PhoneError) -> Bool? {
        let nonce = Nonce()
        let signature = SecretProof.signature(by: .phone, of: nonce, with: secret)
        let response: HTTPResponse
        do {
            response = try await send(
                "POST", "/phone/check", body: ["nonce": .string(nonce.description), "signature": .string(signature)])
        } catch  where error.code == .brokerConflict {
            return try await pending().first.map { $0.isSigned(with: secret) }
        } catch  where error.code == .brokerRefused {
            return false
        }
        let limits = JSONLimits(depth: 8, size: Self.largestAnswer)
        let answer = try json(of: response, limits: limits)["signature"]?.stringValue ?? ""
        return SecretProof.isValid(answer, by: .broker, of: nonce, with: secret)
    }

    public func close() async {
        await session.close()
    }

    private static func time(_ date: Date) -> JSONValue { .string(Timestamp(date).description) }

    private func post(_ id: RequestID, _ action: String, _ body: JSONValue) async throws(PhoneError) {
        _ = try await send("POST", "/phone/requests/\(id)/\(action)", body: body)
    }

    private func send(_ method: String, _ path: String, body: JSONValue? = nil) async throws(PhoneError) -> HTTPResponse
    {
        var headers = [
            HTTPHeader("Authorization", "Bearer \(token.revealed())"), HTTPHeader("Accept", "application/json"),
        ]
        if body != nil { headers.append(HTTPHeader("Content-Type", "application/json")) }
        let bytes = body.flatMap { try? $0.canonicalBytes() }
        let response: HTTPResponse
        do {
            response = try await session.send(HTTPRequest(method, baseURL + path, headers: headers, body: bytes))
        } catch {
            throw PhoneError(failure: error)
        }
        guard (200..<300).contains(response.status) else { throw refusal(response) }
        return response
    }

    private func json(of response: HTTPResponse, limits: JSONLimits) throws(PhoneError) -> JSONValue {
        do {
            return try JSONReader.read(Data(response.body), limits: limits)
        } catch {
            let type = response.header("Content-Type").map { " (\($0.prefix(40)))" } ?? ""
            throw PhoneError(
                .brokerMalformed,
                response.body.isEmpty
                    ? "the broker's answer is empty; check its address"
                    : "what answers at \(baseURL) is no broker: its answer\(type) is not JSON; check the address")
        }
    }

    private func refusal(_ response: HTTPResponse) -> PhoneError {
        let limits = JSONLimits(depth: 8, size: Self.largestAnswer)
        let body = try? JSONReader.read(Data(response.body.prefix(Self.largestAnswer + 1)), limits: limits)
        let code = body?["error_code"]?.stringValue.map { " \(ReportText.cleaned($0, limit: 40))" } ?? ""
        let words = body?["error_message"]?.stringValue.map { ": \(ReportText.cleaned($0, limit: 160))" } ?? ""
        let seen = "(\(response.status)\(code)\(words))"
        let conflict: PhoneError.Code = words.hasSuffix(" COMPLETED") ? .brokerCompleted : .brokerConflict
        return switch response.status {
        case 401, 403: PhoneError(.brokerRefused, "the broker refuses the phone's token \(seen); set the phone up anew")
        case 404: PhoneError(.brokerConflict, "the broker does not know this request \(seen)")
        case 408: PhoneError(.expired, "the time for approval is over \(seen); ask for the statement again")
        case 409: PhoneError(conflict, "the broker has moved on \(seen)")
        case 429: PhoneError(.brokerRefused, "the broker asks for patience \(seen); try again in a minute")
        case 300..<400: PhoneError(.brokerMalformed, "the broker's address leads elsewhere \(seen); check it")
        default: PhoneError(.brokerMalformed, "the broker failed \(seen); see its log")
        }
    }
}

extension SignedEnvelope {
    /// Whether the signature fits, whatever else is wrong with the envelope.
    fileprivate func isSigned(with secret: SharedSecret) -> Bool {
        do {
            _ = try verified(with: secret, at: .distantPast)
            return true
        } catch {
            return error.code != .badSignature
        }
    }
}

extension PhoneError {
    /// Tells apart what the broker cannot have heard from what it may have.
    init(failure error: any Error) {
        guard let error = error as? CurlError else {
            self.init(.brokerMalformed, "the broker did not answer: \(error)")
            return
        }
        switch error.code {
        case .couldNotResolve, .couldNotConnect, .tls, .pinMismatch, .invalidRequest:
            self.init(.brokerUnreachable, "the broker cannot be reached: \(error.message)")
        case .tooLarge:
            self.init(.brokerMalformed, "the broker's answer is too large to be a list of requests; nothing was taken")
        default:
            self.init(.brokerMalformed, "the broker did not answer: \(error.message)")
        }
    }
}
