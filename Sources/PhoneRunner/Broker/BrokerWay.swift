import Foundation
import Secrets
import Synchronization

/// What the phone speaks to its broker with, which a rotation exchanges while the phone is at work.
final class BrokerWay: Sendable {
    private struct State {
        var connection: PhoneConnection
        /// The pair that is in use: the next one as soon as there is one, until the broker refuses it.
        var credentials: BrokerCredentials
        var broker: PhoneBrokerClient
        var isAskedToRotate = false
    }

    private let services: PhoneServices
    private let given: (any StatementPublisher)?
    private let state: Mutex<State>

    init(_ connection: PhoneConnection, services: PhoneServices, publisher: (any StatementPublisher)?) {
        self.services = services
        given = publisher
        let credentials = connection.next ?? connection.credentials
        state = Mutex(
            State(
                connection: connection, credentials: credentials,
                broker: Self.client(connection, credentials, services)))
    }

    private static func client(
        _ connection: PhoneConnection, _ credentials: BrokerCredentials, _ services: PhoneServices
    ) -> PhoneBrokerClient {
        PhoneBrokerClient(
            baseURL: connection.brokerURL, token: credentials.token,
            configuration: connection.trust.applied(to: services.brokerHTTP))
    }

    var connection: PhoneConnection { state.withLock(\.connection) }
    var credentials: BrokerCredentials { state.withLock(\.credentials) }
    var broker: PhoneBrokerClient { state.withLock(\.broker) }

    var isAskedToRotate: Bool {
        get { state.withLock(\.isAskedToRotate) }
        set { state.withLock { $0.isAskedToRotate = newValue } }
    }

    var review: EnvelopeReview { EnvelopeReview(secret: credentials.sharedSecret, scripts: services.scripts) }

    var publisher: any StatementPublisher {
        given ?? InboxStatementPublisher(folder: connection.inbox, secret: credentials.sharedSecret)
    }

    /// Goes on with another connection, by its next credentials where it has some.
    func use(_ connection: PhoneConnection) {
        state.withLock { state in
            state.connection = connection
            state.credentials = connection.next ?? connection.credentials
            state.broker = Self.client(connection, state.credentials, services)
        }
    }

    /// Takes the other pair when the broker refuses the one in use.
    ///
    /// - Parameter refused: the client whose token was refused.
    /// - Returns: false when there is none that was not refused yet.
    func useCurrent(insteadOf refused: Secret) -> Bool {
        state.withLock { state in
            guard let next = state.connection.next, state.credentials.token === next.token, refused === next.token
            else { return false }
            state.credentials = state.connection.credentials
            state.broker = Self.client(state.connection, state.credentials, services)
            return true
        }
    }
}
