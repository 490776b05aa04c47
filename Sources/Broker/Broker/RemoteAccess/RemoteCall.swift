import Foundation
import Messages

/// A message of a program elsewhere whose token is good.
package struct RemoteCall: Sendable {
    /// The program, as the broker knows it.
    package let agent: AgentName
    /// The time when its token ends. No answer goes on after it.
    package let endsAt: Date
    package let body: [UInt8]
    /// The headers of the transport, by their names in lower case. One that comes twice has both values, with a comma.
    package let headers: [String: String]

    package init(agent: AgentName, endsAt: Date, body: [UInt8], headers: [String: String]) {
        (self.agent, self.endsAt, self.body, self.headers) = (agent, endsAt, body, headers)
    }
}

/// The answer to a ``RemoteCall``.
package enum RemoteAnswer: Sendable {
    /// One message of JSON, with a status of HTTP.
    case message(status: Int, [UInt8])
    /// The message wants no answer.
    case accepted
    /// Several messages of JSON, which go out as server-sent events.
    case stream(AsyncStream<[UInt8]>)
}
