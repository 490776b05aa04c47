import HTMLEngine
import WebURL

/// The destination of a request to the proxy, if the policy allows it.
struct ProxyDestination: Sendable {
    enum Reading: Sendable {
        case allowed(ProxyDestination)
        case refused(EgressError)
        case malformed
    }

    let host: String
    let port: Int
    /// True for `CONNECT`: the bytes pass as they are.
    let isTunnel: Bool
    /// The head to send, for a plain request; nil for a tunnel.
    let head: [UInt8]?

    /// Reads a request's head, with its empty line.
    static func read(_ bytes: [UInt8], _ policy: EgressPolicy) -> Reading {
        let text = String(decoding: bytes, as: UTF8.self)
        var lines = text.split(separator: "\r\n", omittingEmptySubsequences: true)
        guard let first = lines.first, lines.allSatisfy(isOneLine), lines.dropFirst().allSatisfy(isField) else {
            return .malformed
        }
        let words = first.split(separator: " ")
        guard words.count == 3, words[2].hasPrefix("HTTP/1.") else { return .malformed }
        let isTunnel = words[0] == "CONNECT"
        guard let url = try? URLRecord(parsing: isTunnel ? "https://\(words[1])/" : String(words[1])) else {
            return .malformed
        }
        do {
            try policy.check(url)
        } catch {
            // A WebSocket without TLS comes through a tunnel too, where plain HTTP is allowed at all.
            guard isTunnel, policy.allowsLoopbackHTTP, let plain = try? URLRecord(parsing: "http://\(words[1])/"),
                (try? policy.check(plain)) != nil
            else { return .refused(error) }
        }
        guard let origin = Origin(of: url) else { return .malformed }
        let host = origin.host.description.trimmingBrackets
        guard !isTunnel else {
            return .allowed(.init(host: host, port: Int(origin.port), isTunnel: true, head: nil))
        }
        guard url.scheme == "http" else { return .malformed }
        lines[0] = "\(words[0]) \(url.path)\(url.query.map { "?\($0)" } ?? "") \(words[2])"
        // One connection carries one request, so that no later one avoids the policy.
        lines.removeAll { line in
            let name = line.prefix { $0 != ":" }.lowercased()
            return name == "connection" || name == "proxy-connection" || name == "keep-alive"
        }
        let head = lines.joined(separator: "\r\n") + "\r\nConnection: close\r\n\r\n"
        return .allowed(.init(host: host, port: Int(origin.port), isTunnel: false, head: Array(head.utf8)))
    }

    /// Some servers end a line at a bare line feed, and would read another head than this proxy (RFC 9112, section 2.2).
    private static func isOneLine(_ line: Substring) -> Bool {
        !line.utf8.contains { $0 == 0x0D || $0 == 0x0A || $0 == 0 }
    }

    /// A field has a name without white space (RFC 9112, section 5.1), and does not go on in another line (section 5.2).
    private static func isField(_ line: Substring) -> Bool {
        let name = line.utf8.prefix { $0 != UInt8(ascii: ":") }
        return !name.isEmpty && name.endIndex != line.endIndex && name.allSatisfy { $0 > 0x20 && $0 < 0x7F }
    }
}

extension String {
    /// The address inside an IPv6 host's brackets.
    fileprivate var trimmingBrackets: String {
        hasPrefix("[") && hasSuffix("]") ? String(dropFirst().dropLast()) : self
    }
}
