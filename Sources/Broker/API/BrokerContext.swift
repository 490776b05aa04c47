import Hummingbird
import NIOCore
import Signer

/// What is known of an exchange besides its request: who is at the other end of the connection.
struct BrokerContext: RequestContext {
    var coreContext: CoreRequestContextStorage
    let remoteAddress: SocketAddress?
    /// Whose token was shown, on the phone's routes.
    var device: CallingDevice?

    init(source: ApplicationRequestContextSource) {
        coreContext = CoreRequestContextStorage(source: source)
        remoteAddress = source.channel.remoteAddress
    }

    /// The `:id` of the route.
    func requestID() throws(APIError) -> RequestID {
        guard let id = parameters.get("id").flatMap({ RequestID(String($0)) }) else { throw .unknownRequest }
        return id
    }

    func caller() throws(APIError) -> CallingDevice {
        guard let device else { throw .unauthorized }
        return device
    }

    /// The other end is this very machine, as far as the connection tells.
    var isFromThisMachine: Bool {
        switch remoteAddress?.ipAddress {
        case let address? where address.hasPrefix("127."): true
        case "::1", "::ffff:127.0.0.1": true
        default: false
        }
    }
}
