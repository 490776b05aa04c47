import BrokerClient
import Foundation
import Inbox
import Messages
import PhoneStore
import Secrets
import Storage
import Synchronization

/// The connection to the broker, whose credentials a rotation replaces while the phone is at work.
final class BrokerConnection: Sendable {
    private struct State {
        var settings: PhoneConnection
        /// The pair in use: the next one as soon as there is one, until the broker refuses it.
        var credentials: BrokerCredentials
        var client: PhoneBrokerClient
        var isRotationRequested = false
        var mark: ChangeMark?
    }

    private let services: PhoneServices
    private let audit: AuditLog
    private let chosenPublisher: (any StatementPublisher)?
    private let state: Mutex<State>

    /// - Parameter publisher: delivers statements; nil for the inbox that the settings name.
    init(
        _ settings: PhoneConnection, services: PhoneServices, audit: AuditLog, publisher: (any StatementPublisher)?
    ) {
        self.services = services
        self.audit = audit
        chosenPublisher = publisher
        let credentials = settings.next ?? settings.credentials
        state = Mutex(
            State(
                settings: settings, credentials: credentials,
                client: Self.client(settings, credentials, services, audit)))
    }

    private static func client(
        _ settings: PhoneConnection, _ credentials: BrokerCredentials, _ services: PhoneServices, _ audit: AuditLog
    ) -> PhoneBrokerClient {
        let broker = settings.brokerURL.absoluteString
        return PhoneBrokerClient(
            baseURL: settings.brokerURL, token: credentials.token,
            configuration: settings.trust.applied(to: services.brokerHTTP),
            unknownProof: settings.trustsUnprovenBroker
                ? .trusted {
                    let event = AuditEvent(
                        .brokerUnproven, severity: .warning, details: ["broker": .string(broker)],
                        time: services.clock.now)
                    _ = try? await audit.record(event)
                } : .refused)
    }

    var settings: PhoneConnection { state.withLock(\.settings) }
    var credentials: BrokerCredentials { state.withLock(\.credentials) }
    private var client: PhoneBrokerClient { state.withLock(\.client) }

    var isPaired: Bool { settings.pairing != nil }

    /// True if the broker has asked this phone to agree on new credentials.
    var isRotationRequested: Bool {
        get { state.withLock(\.isRotationRequested) }
        set { state.withLock { $0.isRotationRequested = newValue } }
    }

    /// The mark of the last list; nil from a broker without `/phone/changes`.
    var mark: ChangeMark? {
        get { state.withLock(\.mark) }
        set { state.withLock { $0.mark = newValue } }
    }

    var review: EnvelopeReview {
        EnvelopeReview(
            secret: credentials.sharedSecret, scripts: services.scripts, servesTestBank: services.servesTestBank)
    }

    var publisher: any StatementPublisher {
        if let chosenPublisher { return chosenPublisher }
        let folder = settings.inbox
        let standard: any WithdrawingPublisher = InboxStatementPublisher(
            folder: folder, secret: credentials.sharedSecret)
        return services.inboxes.reduce(standard) { $1.publisher(around: $0, folder: folder) }
    }

    // MARK: Calls

    /// Makes one call to the broker.
    ///
    /// During a rotation the call is made with the next credentials, and once more with the current ones when the
    /// broker does not know the next: whichever side stopped in between, one of the two pairs is valid.
    func call<Answer: Sendable>(
        _ exchange: @Sendable (PhoneBrokerClient) async throws(PhoneError) -> Answer
    ) async throws(PhoneError) -> Answer {
        let used = credentials.token
        do {
            return try await exchange(client)
        } catch  where error.code == .pinMismatch {
            await record(mismatch: error)
            throw error
        } catch  where error.status == 401 {
            // A rotation may have ended while the call was on its way.
            guard credentials.token !== used || fallBack(from: used) else { throw error }
            return try await exchange(client)
        }
    }

    /// Returns why the broker did not accept a call; nil when it did.
    func refusal(
        of exchange: @Sendable (PhoneBrokerClient) async throws(PhoneError) -> Void
    ) async -> PhoneError? {
        do throws(PhoneError) {
            try await call(exchange)
            return nil
        } catch {
            return error
        }
    }

    /// Waits until the broker has something new for this phone, without the token and on another connection
    /// than ``call(_:)``.
    ///
    /// - Parameters:
    ///   - mark: that of the list that this phone has.
    ///   - wait: the longest wait in seconds, from 0 to 30.
    func change(after mark: ChangeMark, wait: Int) async throws(PhoneError) {
        let settings = settings
        let client = PhoneBrokerClient(
            baseURL: settings.brokerURL, token: nil, configuration: settings.trust.applied(to: services.brokerHTTP),
            patience: .seconds(wait + 5))
        do {
            try await client.change(after: mark, wait: wait)
            await client.close()
        } catch {
            await client.close()
            if error.code == .pinMismatch { await record(mismatch: error) }
            throw error
        }
    }

    private func record(mismatch: PhoneError) async {
        _ = try? await audit.record(
            AuditEvent(
                .pinMismatch, severity: .critical,
                details: [
                    "broker": .string(settings.brokerURL.absoluteString), "message": .string(mismatch.message),
                ], time: services.clock.now))
    }

    // MARK: Changes

    /// Continues with other settings, and with their next credentials if they have any.
    func use(_ settings: PhoneConnection) {
        state.withLock { state in
            state.settings = settings
            state.credentials = settings.next ?? settings.credentials
            state.client = Self.client(settings, state.credentials, services, audit)
        }
    }

    /// Goes back to the current credentials when the broker refuses the next ones.
    ///
    /// - Parameter refused: the token that was refused.
    /// - Returns: false when the refused token is not the next one, so that nothing else is left to try.
    private func fallBack(from refused: Secret) -> Bool {
        state.withLock { state in
            guard let next = state.settings.next, state.credentials.token === next.token, refused === next.token
            else { return false }
            state.credentials = state.settings.credentials
            state.client = Self.client(state.settings, state.credentials, services, audit)
            return true
        }
    }
}
