import BrokerStore
import Encodings
import Hummingbird
import Messages
import NIOCore
import Secrets
import Signer

/// The route with which a client checks that this is its broker before it sends its token over plain HTTP; see
/// ``TokenProof``.
struct TokenProofAPI: Sendable {
    let agentToken: Secret
    let agents: AgentStore
    let registry: DeviceRegistry
    let limits: RateLimits

    /// The most bytes of a question. Both members together have fewer than 200.
    private static let largestQuestion = 1 << 10

    func addRoute(to router: some RouterMethods<BrokerContext>) {
        router.post("proof") { request, context in
            let check: TokenCheck
            do {
                check = try await request.decoded(atMost: Self.largestQuestion, TokenCheck.init(json:))
            } catch let error as APIError {
                try limits.countMalformedProof(at: context.door)
                throw error
            }
            return try await prove(check, context)
        }
    }

    private func prove(_ check: TokenCheck, _ context: BrokerContext) async throws -> Response {
        guard let token = try await proofs().first(where: { $0.tokenID == check.tokenID }) else {
            try limits.refuseStranger(at: context.door)
        }
        let address = Self.written(context.channel.localAddress)
        let client = Self.written(context.channel.remoteAddress)
        let proof = token.proof(of: check.nonce, at: address, for: client)
        return .json(TokenCheckAnswer(address: address, client: client, proof: proof).json)
    }

    /// The tokens that are valid now. There are few of them, so that each is tried in turn.
    private func proofs() async throws -> [TokenProof] {
        var proofs = [TokenProof(token: agentToken)]
        if let standard = try await registry.standardInUse { proofs.append(TokenProof(token: standard.token)) }
        let digests = try await agents.tokenDigests() + registry.devices.tokenDigests()
        return proofs + digests.compactMap { TokenProof(digest: $0) }
    }
}

extension TokenProofAPI {
    /// Writes an end of a connection as the client does.
    private static func written(_ end: SocketAddress?) -> String {
        guard let end, let address = end.ipAddress else { return "" }
        // A socket for both families writes IPv4 so (RFC 4291, section 2.5.5.2).
        let mapped = "::ffff:"
        let plain =
            address.hasPrefix(mapped) && address.contains(".") ? String(address.dropFirst(mapped.count)) : address
        return plain.contains(":") ? "[\(plain)]:\(end.port ?? 0)" : "\(plain):\(end.port ?? 0)"
    }
}
