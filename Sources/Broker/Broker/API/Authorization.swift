import BrokerStore
import Clocks
import Encodings
import Foundation
import Hummingbird
import Messages
import Secrets
import WebServing

/// Admits requests with an agent's token, and notes the agent in the context. It compares `BROKER_API_TOKEN` in constant
/// time, and looks the tokens of other agents up by their SHA-256: the broker stores nothing else of them.
struct AgentAuthorization: RouterMiddleware {
    let token: Secret
    let agents: AgentStore
    let limits: RateLimits

    func handle(
        _ request: Request, context: BrokerContext, next: (Request, BrokerContext) async throws -> Response
    ) async throws -> Response {
        guard let shown = BearerToken.shown(by: request), let agent = try await agent(showing: shown) else {
            try limits.refuseStranger(at: context.door)
        }
        try limits.admit(.agent(agent))
        var context = context
        context.agent = agent
        return try await next(request, context)
    }

    private func agent(showing shown: Substring) async throws -> AgentName? {
        if token.isEqual(toBytes: shown.utf8) { return .standard }
        return try await agents.agent(withToken: PairedDevice.digest(ofToken: shown.utf8))
    }
}

/// Admits requests with a device's token, and notes the device in the context. It looks a paired device's token up by
/// its SHA-256: the broker stores nothing else of it.
struct PhoneAuthorization: RouterMiddleware {
    let registry: DeviceRegistry
    let clock: BrokerClock
    let limits: RateLimits
    let connections: OpenConnections

    func handle(
        _ request: Request, context: BrokerContext, next: (Request, BrokerContext) async throws -> Response
    ) async throws -> Response {
        guard let shown = BearerToken.shown(by: request),
            let device = try await registry.device(showing: shown, at: clock.now)
        else { try limits.refuseStranger(at: context.door) }
        connections.prefer(context.channel)
        try limits.admit(.phone(device.name))
        var context = context
        context.device = device
        return try await next(request, context)
    }
}

/// `Authorization: Bearer …`
enum BearerToken {
    /// Returns the token of a request (RFC 6750, section 2.1). The scheme may be in any case.
    static func shown(by request: Request) -> Substring? {
        guard let header = request.headers[.authorization] else { return nil }
        let bytes = header.utf8
        let space = UInt8(ascii: " ")
        guard let end = bytes.firstIndex(of: space),
            bytes[..<end].elementsEqual("bearer".utf8, by: { $0 | 0x20 == $1 })
        else { return nil }
        return header[(bytes[end...].firstIndex { $0 != space } ?? header.endIndex)...]
    }
}
