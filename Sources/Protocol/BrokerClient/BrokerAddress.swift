import Foundation
import Machine
import WebURL

/// A broker's address: `http:` or `https:` and a host, or `unix:` and the path of a socket that a program of the same user
/// serves.
package enum BrokerAddress: Sendable, Hashable, CustomStringConvertible {
    /// Without a slash at its end.
    case web(String)
    case socket(ServedSocket)

    package static let socketPrefix = "unix:"

    /// - Parameter text: percent-encoded, as every URL.
    /// - Throws: ``BrokerAddressError``, which says how an address is written.
    package init(parsing text: String) throws(BrokerAddressError) {
        guard let url = try? URLRecord(parsing: text) else { throw .notAnAddress(text) }
        switch url.scheme {
        case "http", "https":
            self = .web(Self.trimmed(text))
        case "unix":
            guard Self.isSocket(text), url.query == nil, url.fragment == nil else { throw .notAPath(text) }
            self.init(trusting: text)
            guard case .socket(let socket) = self, socket.hasRoom else { throw .tooLong(text) }
        default: throw .notAnAddress(text)
        }
    }

    /// Takes an address that was checked before, or that a call will show to be none.
    package init(trusting text: String) {
        guard Self.isSocket(text) else {
            self = .web(Self.trimmed(text))
            return
        }
        let path = String(text.dropFirst(Self.socketPrefix.count))
        self = .socket(ServedSocket(URL(filePath: path.removingPercentEncoding ?? path)))
    }

    package init(socket file: URL) { self = .socket(ServedSocket(file)) }

    package var description: String {
        switch self {
        case .web(let url): url
        case .socket(let socket): Self.socketPrefix + socket.file.path(percentEncoded: true)
        }
    }

    /// True for `unix:` and a path from the root. Of `unix://host/path`, the host would be lost.
    private static func isSocket(_ text: String) -> Bool {
        text.hasPrefix(socketPrefix + "/") && !text.hasPrefix(socketPrefix + "//")
    }

    private static func trimmed(_ url: String) -> String { url.hasSuffix("/") ? String(url.dropLast()) : url }
}

/// A text that is not the address of a broker.
package enum BrokerAddressError: Error, Sendable, Hashable, CustomStringConvertible {
    case notAnAddress(String)
    /// `unix:` without the path of a socket.
    case notAPath(String)
    /// A path that is too long for a socket.
    case tooLong(String)

    package var description: String {
        switch self {
        case .notAnAddress(let text):
            "“\(text)” is not the address of a broker; "
                + (text.contains("://")
                    ? "write one such as http://127.0.0.1:8765" : "did you mean http://\(text)?")
        case .notAPath(let text):
            "“\(text)” is not the address of a broker; the path of its socket begins at the root, such as "
                + "unix:/run/countersign/broker.sock"
        case .tooLong(let text):
            "“\(text)” has too long a path for a socket; ask the broker at a shorter one (BROKER_SOCKET), or at its http "
                + "address"
        }
    }
}
