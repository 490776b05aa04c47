import Foundation
import Hummingbird

/// The names under which programs may reach the routes that need no token.
///
/// DNS rebinding: an attacker's web site changes its DNS record to this machine's address. The browser then lets the site's
/// scripts read these routes, because the host name is still the same. Such a request carries the attacker's host name, so
/// only known names are answered. A request that names an IP address did not come from a rebound name.
struct KnownHosts: RouterMiddleware {
    private let names: Set<String>

    init(_ configuration: BrokerConfiguration) {
        let machine = ProcessInfo.processInfo.hostName.lowercased()
        var names: Set<String> = ["localhost", configuration.host.lowercased(), machine, "\(machine).local"]
        if let endpoint = configuration.endpoint.flatMap({ URL(string: $0)?.host }) {
            names.insert(endpoint.lowercased())
        }
        self.names = names
    }

    func handle(
        _ request: Request, context: BrokerContext, next: (Request, BrokerContext) async throws -> Response
    ) async throws -> Response {
        guard let host = request.head.authority, isKnown(host) else {
            throw APIError(
                .misdirectedRequest, .badRequest,
                "this broker does not go by the name in “Host”; use its address, or set BROKER_ENDPOINT")
        }
        return try await next(request, context)
    }

    /// - Parameter host: name or address, with or without a port.
    private func isKnown(_ host: String) -> Bool {
        if host.hasPrefix("[") { return host.contains("]") }
        let name = host.split(separator: ":", omittingEmptySubsequences: false)[0].lowercased()
        return names.contains(name) || isIPv4(name)
    }

    private func isIPv4(_ name: String) -> Bool {
        var address = in_addr()
        return inet_pton(AF_INET, name, &address) == 1
    }
}
