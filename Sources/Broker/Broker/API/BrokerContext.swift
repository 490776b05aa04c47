import Hummingbird
import Messages
import NIOCore

/// The context of an exchange besides its request: the peer of the connection and the calling device.
struct BrokerContext: RequestContext {
    var coreContext: CoreRequestContextStorage
    /// The connection.
    let channel: any Channel
    /// The device whose token came with the request, on the phone's routes.
    var device: CallingDevice?
    /// The agent whose token came with the request, on the agents' routes.
    var agent: AgentName?

    init(source: ApplicationRequestContextSource) {
        coreContext = CoreRequestContextStorage(source: source)
        channel = source.channel
    }

    var remoteAddress: SocketAddress? { channel.remoteAddress }

    /// The `:id` of the route.
    func requestID() throws(APIError) -> RequestID {
        guard let id = parameters.get("id").flatMap({ RequestID(String($0)) }) else { throw .unknownRequest }
        return id
    }

    func caller() throws(APIError) -> CallingDevice {
        guard let device else { throw .unauthorized }
        return device
    }

    func callingAgent() throws(APIError) -> AgentName {
        guard let agent else { throw .unauthorized }
        return agent
    }

    /// The way by which the call came.
    var door: RateLimits.Door {
        if case .unixDomainSocket = channel.localAddress { .socket } else { .network }
    }

    /// The place where the call came from, for records.
    var origin: String { door == .socket ? "the broker's socket" : remoteAddress?.ipAddress ?? "unknown" }

    /// True when the peer is on this machine, as far as the connection tells.
    var isFromThisMachine: Bool {
        guard door == .network else { return true }
        return switch remoteAddress?.ipAddress {
        case let address? where address.hasPrefix("127."): true
        case "::1", "::ffff:127.0.0.1": true
        default: false
        }
    }
}
