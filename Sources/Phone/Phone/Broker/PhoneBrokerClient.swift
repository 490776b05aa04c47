import BrokerClient
import Clocks
import CurlClient
import DeviceTrust
import Encodings
import Foundation
import Messages
import PhoneStore
import Secrets
import Signer

/// A client for the phone's routes of the broker (specification, section 10.2). It trusts none of the answers, and
/// sends its token over plain HTTP only to a broker that has proved that it knows the token; see `BrokerSession`.
package struct PhoneBrokerClient: Sendable {
    /// The largest list, in bytes: some ten thousand envelopes.
    static let largestList = 8 << 20
    /// The largest other answer, in bytes.
    static let largestAnswer = 64 << 10

    private let baseURL: String
    private let session: BrokerSession

    /// - Parameters:
    ///   - token: nil for a phone that the broker does not know yet.
    ///   - configuration: this client replaces the limits on bodies with its own.
    ///   - patience: the longest time that the broker may take for an answer.
    ///   - unknownProof: what to do at plain HTTP where the broker knows only the specification.
    package init(
        baseURL: URL, token: Secret?, configuration: CurlConfiguration = CurlConfiguration(),
        patience: Duration = .seconds(15), unknownProof: UnknownProof = .refused
    ) {
        var configuration = configuration
        configuration.limits.connect = min(configuration.limits.connect, .seconds(10))
        configuration.limits.firstByte = min(configuration.limits.firstByte, patience)
        configuration.limits.whole = min(configuration.limits.whole, patience * 2)
        configuration.limits.bodySize = Self.largestList
        configuration.keepsCookies = false
        let text = baseURL.absoluteString
        self.baseURL = text.hasSuffix("/") ? String(text.dropLast()) : text
        session = BrokerSession(
            baseURL: text, token: token, configuration: configuration, unknownProof: unknownProof)
    }

    /// Fetches the requests that wait for a decision. Their envelopes are not verified yet.
    package func pending() async throws(PhoneError) -> PendingList {
        let response = try await send("GET", "/phone/requests/pending")
        let limits = JSONLimits(depth: 16, size: Self.largestList)
        guard let list = PendingList(json: try json(of: response, limits: limits)) else {
            throw PhoneError(.brokerMalformed, "the broker's list of requests has no “requests”; check its address")
        }
        return list
    }

    /// Waits until the broker has something new, for at most a number of seconds.
    ///
    /// - Parameter mark: that of the list that this phone has.
    func change(after mark: ChangeMark, wait: Int) async throws(PhoneError) {
        let response = try await send("GET", "/phone/changes?wait=\(wait)&after=\(mark)")
        let answer = try json(of: response, limits: JSONLimits(depth: 8, size: Self.largestAnswer))
        guard answer["changed"]?.boolValue != nil else {
            throw PhoneError(.brokerMalformed, "the broker's answer about changes has no “changed”")
        }
    }

    /// Sends the decision about a request.
    ///
    /// - Parameters:
    ///   - approval: the signed approval of a paired device; a denial needs none.
    ///   - decisionID: names this phone's decision; see ``DecisionBody/id``.
    @discardableResult
    package func decide(
        _ id: RequestID, _ decision: Decision, approval: SignedApproval? = nil, decisionID: Nonce? = nil, at now: Date
    ) async throws(PhoneError) -> DecisionAnswer {
        let body = DecisionBody(decision, at: Timestamp(now), approval: approval?.json, id: decisionID)
        let response = try await send("POST", "/phone/requests/\(id)/decision", body: body.json)
        guard response.status == 202 else { return .taken }
        let answer = try json(of: response, limits: JSONLimits(depth: 8, size: Self.largestAnswer))
        guard let count = ApprovalCount(json: answer), count.approvals < count.needed else { return .taken }
        return .waiting(approvals: count.approvals, needed: count.needed)
    }

    /// Sends the phone's half of an agreement on new credentials, and returns the broker's half.
    func rotate(_ message: JSONValue) async throws(PhoneError) -> JSONValue {
        let response = try await send("POST", "/phone/device/rotate", body: message)
        return try json(of: response, limits: JSONLimits(depth: 8, size: Self.largestAnswer))
    }

    /// Reports that execution begins. Some brokers do not know the route: it is an addition to the specification.
    ///
    /// - Parameter decisionID: names the approval that the run follows; see ``DecisionBody/id``.
    package func started(_ id: RequestID, decisionID: Nonce? = nil, at now: Date) async throws(PhoneError) {
        try await post(id, "started", StartedBody(startedAt: Timestamp(now), decisionID: decisionID).json)
    }

    /// - Parameter decisionID: names the approval that the run followed; see ``DecisionBody/id``.
    package func failed(
        _ id: RequestID, code: ErrorCode, message: String?, decisionID: Nonce? = nil, at now: Date
    ) async throws(PhoneError) {
        let body = FailureBody(code: code, message: message, failedAt: Timestamp(now), decisionID: decisionID)
        try await post(id, "failure", body.json)
    }

    /// Checks that the broker has the same secret.
    ///
    /// - Returns: nil when the broker does not know ``SecretProof`` and has no envelope that would show its secret.
    package func proveSecret(_ secret: SharedSecret) async throws(PhoneError) -> Bool? {
        let nonce = Nonce()
        let signature = SecretProof.signature(by: .phone, of: nonce, with: secret)
        let response: HTTPResponse
        do {
            response = try await send(
                "POST", "/phone/check", body: SecretCheck(nonce: nonce, signature: signature).json)
        } catch  where error.code == .brokerConflict {
            return try await pending().entries.first.map { $0.envelope.isSigned(with: secret) }
        } catch  where error.status == 403 {
            return false
        }
        let limits = JSONLimits(depth: 8, size: Self.largestAnswer)
        let answer = SecretCheckAnswer(json: try json(of: response, limits: limits))
        return SecretProof.isValid(answer.signature, by: .broker, of: nonce, with: secret)
    }

    /// Tells the broker which banks this phone can fetch from.
    func offer(_ banks: BankList) async throws(PhoneError) {
        _ = try await send("PUT", "/phone/banks", body: banks.json)
    }

    package func close() async {
        await session.close()
    }

    private func post(_ id: RequestID, _ action: String, _ body: JSONValue) async throws(PhoneError) {
        _ = try await send("POST", "/phone/requests/\(id)/\(action)", body: body)
    }

    func send(_ method: String, _ path: String, body: JSONValue? = nil) async throws(PhoneError) -> HTTPResponse {
        var headers = [HTTPHeader("Accept", "application/json")]
        if body != nil { headers.append(HTTPHeader("Content-Type", "application/json")) }
        let bytes = body.flatMap { try? $0.canonicalBytes() }
        let response: HTTPResponse
        do {
            response = try await session.send(method, path, headers: headers, body: bytes)
        } catch let error as UnprovenBroker {
            throw PhoneError(.brokerUnreachable, error.message)
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
                    : "the server at \(baseURL) is not a Countersign broker: its answer\(type) is not JSON; check the address"
            )
        }
    }

    private func refusal(_ response: HTTPResponse) -> PhoneError {
        let limits = JSONLimits(depth: 8, size: Self.largestAnswer)
        let json = try? JSONReader.read(Data(response.body.prefix(Self.largestAnswer + 1)), limits: limits)
        let body = ErrorBody(json: json ?? .null)
        let name = body.code.map { ReportText.cleaned($0, limit: 40) }
        let known = name.flatMap(ErrorCode.init(rawValue:))
        let words = body.message.map { ": \(ReportText.cleaned($0, limit: 160))" } ?? ""
        let seen = "(\(response.status)\(name.map { " \($0)" } ?? "")\(words))"
        let (kind, message): (PhoneError.Code, String) =
            switch (response.status, known) {
            case _ where name?.hasPrefix("PAIRING_") == true: (.pairingRefused, Self.words(ofPairing: known, seen))
            case (403, .factorMissing): (.factorMissing, "this approval needs more factors \(seen)")
            case (403, .signatureInvalid):
                (.brokerRefused, "the broker refuses this device's signature \(seen); look at the request again")
            case (403, .otherDevice): (.brokerConflict, "another device runs this request \(seen)")
            case (400, _): (.brokerRefused, "the broker cannot take this request \(seen)")
            case (401, _):
                (
                    .brokerRefused,
                    "the broker refuses the phone's token (401); the phone may have been removed there: pair it "
                        + "again, or set it up again"
                )
            case (403, _):
                (
                    .brokerRefused,
                    "the broker refuses the phone's token \(seen); pair the phone again, or set it up again"
                )
            case (404, _): (.brokerConflict, "the broker does not know this request \(seen)")
            case (408, _): (.expired, "the time for approval has run out \(seen); ask for the statement again")
            case (409, _): (.brokerConflict, "the request has changed at the broker \(seen)")
            case (429, _): (.brokerRefused, "the broker is rate-limiting this phone \(seen); try again in a minute")
            case (300..<400, _): (.brokerMalformed, "the broker's address redirects \(seen); check it")
            default: (.brokerMalformed, "the broker failed \(seen); see its log")
            }
        let standing: RequestStatus? =
            switch response.status {
            case 408: .expired
            // A broker says SENT only of requests that no phone has seen.
            case 409: body.status == .sent ? nil : body.status
            default: nil
            }
        return PhoneError(
            kind, message, status: response.status, brokerCode: known, requestStatus: standing,
            decisionID: body.decisionID)
    }
}

extension SignedEnvelope {
    /// Returns whether the signature is valid, even if the envelope has other faults.
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
    /// Distinguishes requests that cannot have reached the broker from requests that may have.
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
                "the server at the broker's address has another certificate\(seen) than the one that this phone knows; nothing was "
                    + "sent. If the broker's certificate was changed on purpose: countersign phone trust reset")
        case .tls:
            self.init(
                .brokerUnreachable,
                "the broker cannot be reached: \(error.message). To trust a self-signed certificate, pin it: "
                    + "countersign phone pair -, or countersign phone setup")
        case .couldNotResolve, .couldNotConnect, .invalidRequest:
            self.init(.brokerUnreachable, "the broker cannot be reached: \(error.message)")
        case .tooLarge:
            self.init(.brokerMalformed, "the broker's answer is too large to be a list of requests; nothing was taken")
        default:
            self.init(.brokerMalformed, "the broker did not answer: \(error.message)")
        }
    }
}
