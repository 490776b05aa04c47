import AssistantStore
import Foundation
import Hummingbird
import NIOCore
import WebServing

/// The context of an exchange besides its request: the peer of the connection and the signed-in user.
struct AssistantContext: RequestContext {
    var coreContext: CoreRequestContextStorage
    let channel: any Channel
    /// The session whose access token came with the request.
    var session: StoredSession?

    init(source: ApplicationRequestContextSource) {
        coreContext = CoreRequestContextStorage(source: source)
        channel = source.channel
    }

    /// The address, or network of one machine, for the limits.
    var origin: String { OpenConnections.origin(of: channel.remoteAddress) }

    func signedIn() throws(AssistantError) -> StoredSession {
        guard let session else { throw .unauthorized }
        return session
    }
}
