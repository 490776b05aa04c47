import AssistantStore
import Foundation
import Hummingbird
import NIOCore
import WebServing

/// The context of an exchange besides its request: the peer of the connection and the signed-in user.
struct AssistantContext: RequestContext {
    var coreContext: CoreRequestContextStorage
    let channel: any Channel
    /// The caller's address, or network of one machine, for the limits. Behind a proxy it is what the proxy says.
    var origin: String
    /// The session whose access token came with the request.
    var session: StoredSession?

    init(source: ApplicationRequestContextSource) {
        coreContext = CoreRequestContextStorage(source: source)
        channel = source.channel
        origin = OpenConnections.origin(of: source.channel.remoteAddress)
    }

    func signedIn() throws(AssistantError) -> StoredSession {
        guard let session else { throw .unauthorized }
        return session
    }
}
