import Clocks
import CurlClient
import DeviceTrust
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
    private let token: Secret?
    private let session: CurlSession

    /// - Parameters:
    ///   - token: nil for a phone that is not known to the broker yet.
    ///   - configuration: its limits on bodies are replaced by this client's own.
    ///   - patience: the longest that the broker may think about an answer.
    public init(
        baseURL: URL, token: Secret?, configuration: CurlConfiguration = CurlConfiguration(),
        patience: Duration = .seconds(15)
    ) {
        var configuration = configuration
        configuration.limits.connect = min(configuration.limits.connect, .seconds(10))
        configuration.limits.firstByte = min(configuration.limits.firstByte, patience)
        configuration.limits.whole = min(configuration.limits.whole, patience * 2)
        configuration.limits.bodySize = Self.largestList
        configuration.keepsCookies = false
        let text = baseURL.absoluteString
        self.baseURL = text.hasSuffix("/") ? String(text.dropLast()) : text
        self.token = token
        session = CurlSession(configuration)
    }

    /// What waits for a decision, as it came: not one envelope is verified yet.
    public func pending() async throws(PhoneError) -> BrokerList {
        let response = try await send("GET", "/phone/requests/pending")
        let limits = JSONLimits(depth: 16, size: Self.largestList)
        let answer = try json(of: response, limits: limits)
        guard let list = answer["requests"]?.arrayValue else {
            throw PhoneError(.brokerMalformed, "the broker's list of requests has no “requests”; check its address")
        }
        return BrokerList(
            entries: list.map(BrokerList.Entry.init), asksForRotation: answer["rotation_requested"] == true)
    }

    /// - Parameter approval: what a paired device signs; a denial needs none.
    @discardableResult
    public func decide(
        _ id: RequestID, _ decision: Decision, approval: SignedApproval? = nil, at now: Date
    ) async throws(PhoneError) -> DecisionAnswer {
        var body: [String: JSONValue] = ["decision": .string(decision.rawValue), "decided_at": Self.time(now)]
        body["approval"] = approval?.json
        let response = try await send("POST", "/phone/requests/\(id)/decision", body: .object(body))
        guard response.status == 202 else { return .taken }
        let answer = try json(of: response, limits: JSONLimits(depth: 8, size: Self.largestAnswer))
        guard let approvals = answer["approvals"]?.intValue, let needed = answer["needed"]?.intValue,
            approvals < needed
        else { return .taken }
        return .waiting(approvals: approvals, needed: needed)
    }

    /// The broker's half of an agreement on new credentials.
    func rotate(_ message: JSONValue) async throws(PhoneError) -> JSONValue {
        let response = try await send("POST", "/phone/device/rotate", body: message)
        return try json(of: response, limits: JSONLimits(depth: 8, size: Self.largestAnswer))
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
            return try await pending().entries.first.map { $0.envelope.isSigned(with: secret) }
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

    func send(_ method: String, _ path: String, body: JSONValue? = nil) async throws(PhoneError) -> HTTPResponse {
        var headers = [HTTPHeader("Accept", "application/json")]
        if let token { headers.append(HTTPHeader("Authorization", "Bearer \(token.revealed())")) }
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

    func json(of response: HTTPResponse, limits: JSONLimits) throws(PhoneError) -> JSONValue {
        do {
            return try JSONReader.read(Data(response.body), limits: limits)
        } catch {
            let type = response.header("Content-Type").map { " (\($0.prefix(40)))" } ?? ""
            throw PhoneError(
                .brokerMalformed,
                response.body.isEmpty
                    ? "the broker's answer is empty; check its address"
                    : "the server at \(baseURL) is not a broker: its answer\(type) is not JSON; check the address")
        }
    }

    private func refusal(_ response: HTTPResponse) -> PhoneError {
        let limits = JSONLimits(depth: 8, size: Self.largestAnswer)
        let body = try? JSONReader.read(Data(response.body.prefix(Self.largestAnswer + 1)), limits: limits)
        let name = body?["error_code"]?.stringValue.map { ReportText.cleaned($0, limit: 40) }
        let code = name.map { " \($0)" } ?? ""
        let words = body?["error_message"]?.stringValue.map { ": \(ReportText.cleaned($0, limit: 160))" } ?? ""
        let seen = "(\(response.status)\(code)\(words))"
        let (kind, message): (PhoneError.Code, String) =
            switch (response.status, name) {
            case (_, let name?) where name.hasPrefix("PAIRING_"): (.pairingRefused, Self.words(ofPairing: name, seen))
            case (403, "FACTOR_MISSING"):
                (.factorMissing, "the broker requires another factor for this approval \(seen)")
            case (403, "SIGNATURE_INVALID"):
                (.brokerRefused, "the broker refuses this device's signature \(seen); look at the request again")
            case (403, "OTHER_DEVICE"): (.brokerConflict, "another device runs this request \(seen)")
            case (401, _), (403, _):
                (
                    .brokerRefused,
                    "the broker refuses the phone's token \(seen); pair the phone again, or set it up again"
                )
            case (404, _): (.brokerConflict, "the broker does not know this request \(seen)")
            case (408, _): (.expired, "the time for approval is over \(seen); ask for the statement again")
            case (409, _): (.brokerConflict, "the request has changed at the broker \(seen)")
            case (429, _): (.brokerRefused, "the broker is rate-limiting this phone \(seen); try again in a minute")
            case (300..<400, _): (.brokerMalformed, "the broker's address redirects elsewhere \(seen); check it")
            default: (.brokerMalformed, "the broker failed \(seen); see its log")
            }
        let standing: RequestStatus? =
            switch response.status {
            case 408: .expired
            case 409: body?["status"]?.stringValue.flatMap(RequestStatus.init(rawValue:))
            default: nil
            }
        return PhoneError(
            kind, message, status: response.status, brokerCode: name, requestStatus: standing)
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
        case .pinMismatch:
            let seen = error.peerCertificate.flatMap { CertificateFingerprint($0) }.map { " (\($0))" } ?? ""
            self.init(
                .pinMismatch,
                "the server at the broker's address shows another certificate\(seen) than the one that this phone "
                    + "knows; nothing was sent. If the broker's certificate was changed on purpose: countersign phone trust reset"
            )
        case .tls:
            self.init(
                .brokerUnreachable,
                "the broker cannot be reached: \(error.message). To trust a self-signed certificate, pin it: "
                    + "countersign phone pair, or countersign phone setup")
        case .couldNotResolve, .couldNotConnect, .invalidRequest:
            self.init(.brokerUnreachable, "the broker cannot be reached: \(error.message)")
        case .tooLarge:
            self.init(.brokerMalformed, "the broker's answer is too large to be a list of requests; nothing was taken")
        default:
            self.init(.brokerMalformed, "the broker did not answer: \(error.message)")
        }
    }
}
