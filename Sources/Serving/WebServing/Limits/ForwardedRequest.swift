import Foundation
import HTTPTypes
import NIOCore

/// A proxy's word about the request that it passes on.
///
/// A server reads these headers only when it was told that a proxy is there, and only from this machine's own addresses.
/// Headers from any other address are ignored.
package struct ForwardedRequest {
    /// The address of the browser's machine.
    package let client: String

    /// The request cannot be judged; the description says which setting of the proxy is missing.
    package struct Refusal: Error, CustomStringConvertible {
        package let description: String
    }

    /// - Parameter peer: the address at the other end of the connection.
    package init(_ headers: HTTPFields, from peer: String) throws(Refusal) {
        guard Self.isLoopback(peer) else {
            throw Refusal(description: "This page is reached through its proxy only, which runs on the same machine.")
        }
        // A proxy appends its own word to what came from the browser, so the last one counts.
        guard Self.last(headers, .xForwardedProto)?.lowercased() == "https" else {
            throw Refusal(
                description: "The proxy does not say that the browser came over https: it must send X-Forwarded-Proto.")
        }
        guard let client = Self.last(headers, .xForwardedFor), (try? SocketAddress(ipAddress: client, port: 0)) != nil
        else {
            throw Refusal(
                description: "The proxy does not say who the browser is: it must send its address in X-Forwarded-For.")
        }
        self.client = client
    }

    private static func last(_ headers: HTTPFields, _ name: HTTPField.Name) -> String? {
        headers[values: name].last?.split(separator: ",").last.map { $0.trimmingCharacters(in: .whitespaces) }
    }

    private static func isLoopback(_ address: String) -> Bool {
        address == "::1" || address.hasPrefix("127.") || address.hasPrefix("::ffff:127.")
    }
}

extension HTTPField.Name {
    package static let xForwardedFor = Self("X-Forwarded-For")!
    package static let xForwardedProto = Self("X-Forwarded-Proto")!
}
