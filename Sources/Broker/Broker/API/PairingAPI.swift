import BrokerStore
import Clocks
import DeviceTrust
import Encodings
import Foundation
import Hummingbird
import Logging

/// The routes of a pairing phone. It has no token yet: the code of a session admits it, which a person began at the
/// broker's machine, and then that person's confirmation.
struct PairingAPI: Sendable {
    let store: PairingStore
    let desk: PairingDesk
    let keys: BrokerKeys
    let sealing: Sealing
    /// Nil without TLS.
    let certificate: ServedCertificate?
    let bankID: String
    let clock: BrokerClock
    let logger: Logger

    /// The longest wait for the person's confirmation in one request.
    private static let patience: Duration = .seconds(25)
    private static let lookInterval: Duration = .milliseconds(150)

    func addRoutes(to router: some RouterMethods<BrokerContext>) {
        router.post("pairing/:session/begin") { request, context in
            try await begin(try await request.json(), try context.pairingNumber(), context)
        }
        router.post("pairing/:session/claim") { request, context in
            try await claim(try await request.json(), try context.pairingNumber(), context)
        }
        router.post("pairing/:session/finish") { request, context in
            try await finish(try await request.json(), try context.pairingNumber(), context)
        }
    }

    // MARK: Begin

    private func begin(_ message: JSONValue, _ number: Int, _ context: BrokerContext) async throws -> Response {
        try answeringTrustErrors { () throws(TrustError) in try BrokerPairing.check(begin: message) }
        let session = try await openSession(number)
        guard let code = try session.code(sealing) else { throw APIError.pairingClaimed }
        let attempt = try answeringTrustErrors {
            () throws(TrustError) in
            try BrokerPairing(
                begin: message, code: code, id: keys.identity.server.id, identity: keys.agreement,
                certificate: certificate?.fingerprint, createdAt: session.createdAt, expiresAt: session.expiresAt)
        }
        try await forgetEnded()
        await desk.add(attempt, to: session)
        return .json(attempt.offer.json)
    }

    // MARK: Claim

    private func claim(_ message: JSONValue, _ number: Int, _ context: BrokerContext) async throws -> Response {
        guard let id = BrokerPairing.attempt(of: message) else {
            throw message["attempt"] == nil
                ? APIError.missing("attempt") : APIError.invalid("attempt", "not 32 lower-case hexadecimal digits")
        }
        let session = try await openSession(number)
        guard let attempt = await desk.take(id, of: session) else {
            let now = try await store.current(session)
            throw now.state == .open ? APIError.noAttempt : Self.refusal(of: now)
        }
        let address = context.origin
        let claimed: ClaimedPairing
        switch try await store.tryCode(
            session, from: address, { () throws(TrustError) in try attempt.claim(message) })
        {
        case .right(let right): claimed = right
        case .wrong(let left):
            logger.warning("wrong pairing code", metadata: ["session": "\(number)", "tries_left": "\(left)"])
            throw APIError(
                .forbidden, .pairingWrongCode,
                left == 0 ? "the code is wrong and the pairing is over; begin a new one" : "the code is wrong")
        case .refused(let error): throw Self.refusal(error)
        case .tooLate: throw Self.refusal(of: try await store.current(session))
        }
        switch try await store.claim(session, claimed, from: address) {
        case .claimed: break
        case .knownDevice:
            throw APIError.conflict("a device of this id was paired before; it has to make another one")
        case .tooLate: throw Self.refusal(of: try await store.current(session))
        }
        await desk.claim(claimed, of: session)
        logger.notice(
            "a device knows the code of the pairing",
            metadata: ["session": "\(number)", "device": "\(claimed.hello.deviceID)"])
        return .json(claimed.answer)
    }

    private func openSession(_ number: Int) async throws -> PairingSession {
        guard let session = try await store.session(number: number) else { throw APIError.noPairing }
        guard session.state == .open else { throw Self.refusal(of: session) }
        return session
    }

    // MARK: Finish

    private func finish(_ message: JSONValue, _ number: Int, _ context: BrokerContext) async throws -> Response {
        guard let id = BrokerPairing.attempt(of: message) else {
            throw message["attempt"] == nil
                ? APIError.missing("attempt") : APIError.invalid("attempt", "not 32 lower-case hexadecimal digits")
        }
        guard var session = try await store.session(number: number) else { throw APIError.noPairing }
        guard let claimed = await desk.claimed(of: session), session.attempt == id.description else {
            throw session.isOver && session.state == .dead ? Self.refusal(of: session) : APIError.noAttempt
        }
        do {
            try claimed.checkFinish(message)
        } catch {
            try await store.noteRefusal(number, error, from: context.origin)
            throw Self.refusal(error)
        }
        let end = ContinuousClock.now + Self.patience
        while session.state == .claimed, ContinuousClock.now < end, await !desk.isOver {
            try await Task.sleep(for: Self.lookInterval)
            session = try await store.current(session)
        }
        if session.state == .confirmed {
            if try await store.finish(session, claimed, sealing) {
                logger.notice("device paired", metadata: ["device": "\(claimed.hello.deviceID)"])
            }
            session = try await store.current(session)
        }
        switch session.state {
        case .claimed, .confirmed, .open: return .json(PairingOutcome.claimed.json, status: .accepted)
        case .done: return .json(PairingOutcome.done(claimed.hello.deviceID, bankIDs: [bankID]).json)
        case .dead: throw Self.refusal(of: session)
        }
    }

    // MARK: Refusals

    private func answeringTrustErrors<Value>(_ body: () throws(TrustError) -> Value) throws(APIError) -> Value {
        do { return try body() } catch { throw Self.refusal(error) }
    }

    private static func refusal(_ error: TrustError) -> APIError {
        switch error.code {
        case .malformed, .unknownVersion: APIError(.badRequest, .invalidField, error.message)
        case .otherSession: .noAttempt
        default: APIError(.forbidden, .pairingRefused, error.message)
        }
    }

    private static func refusal(of session: PairingSession) -> APIError {
        switch (session.state, session.reason) {
        case (.dead, .denied): APIError(.forbidden, .pairingDenied, "the person at the broker said no")
        case (.dead, .expired): APIError(.gone, .pairingOver, "this pairing has expired; begin a new one")
        case (.dead, _): APIError(.gone, .pairingOver, "this pairing is over; begin a new one")
        case (.done, _):
            APIError(.gone, .pairingOver, "a device has been paired with this code; begin a new pairing for another")
        case (.claimed, _), (.confirmed, _), (.open, _): .pairingClaimed
        }
    }

    private func forgetEnded() async throws {
        var kept: Set<Int64> = []
        for id in await desk.known where try await store.isRecent(row: id) { kept.insert(id) }
        await desk.forget(but: kept)
    }
}

extension APIError {
    fileprivate static let noPairing = APIError(
        .notFound, .pairingNotFound, "no pairing has that number; run countersign pair at the broker")
    fileprivate static let noAttempt = APIError(
        .conflict, .pairingAttemptUnknown, "this attempt is unknown or already used; begin again")
    fileprivate static let pairingClaimed = APIError(
        .conflict, .pairingClaimed, "another device was faster; begin a new pairing for this one")
}

extension BrokerContext {
    /// The `:session` of the route.
    fileprivate func pairingNumber() throws(APIError) -> Int {
        guard let text = parameters.get("session"), text.wholeMatch(of: /[1-9][0-9]{0,3}/) != nil,
            let number = Int(text)
        else { throw .noPairing }
        return number
    }
}

/// Limits the rate of all pairing requests together.
struct PairingLimit: RouterMiddleware {
    let limits: RateLimits

    func handle(
        _ request: Request, context: BrokerContext, next: (Request, BrokerContext) async throws -> Response
    ) async throws -> Response {
        try limits.admitPairing(at: context.door)
        return try await next(request, context)
    }
}
