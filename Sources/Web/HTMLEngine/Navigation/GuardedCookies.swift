import CurlClient
import Foundation
import Secrets
import Synchronization

/// Takes the values of some cookies as secrets when an answer sets them, before any part of the exchange is shown or kept, until
/// the value is released.
public final class GuardedCookies: Sendable {
    private let names: Set<String>
    private let values = Mutex<[Secret]>([])

    public init(_ names: [String]) {
        self.names = Set(names)
    }

    /// Looks for the cookies among an answer's headers.
    public func see(_ headers: [HTTPHeader]) {
        guard !names.isEmpty else { return }
        for header in headers where header.isNamed("set-cookie") {
            // Some tell of several fields of one name as of one, on lines of their own.
            for line in header.value.split(separator: "\n") {
                let pair = line.prefix { $0 != ";" }.split(separator: "=", maxSplits: 1)
                guard pair.count == 2, names.contains(pair[0].trimmingCharacters(in: .whitespaces)) else { continue }
                let value = pair[1].trimmingCharacters(in: .whitespaces)
                guard !value.isEmpty else { continue }
                values.withLock { known in
                    let secret = Secret(value)
                    if !known.contains(where: { $0.isEqual(to: secret) }) { known.append(secret) }
                }
            }
        }
    }
}
