import Automation
import HTMLAutomation
import HTMLEngine
import Synchronization

/// A recording of a live run without its secrets: each exchange is masked when it comes. Credentials become their names;
/// account numbers, amounts and tokens become invented ones, the same original always the same, so that a replay still
/// tells one document from another. Words stay, the names of people too: nothing tells them from the words of the pages.
package final class MaskedRecording: Sendable {
    private let credentials = RecordedCredential()
    private let mask: Mask
    private let exchanges = Mutex<[Exchange]>([])

    /// The warning for a person who may share a recording.
    package static let whatStays =
        "Secrets, account numbers and amounts in it are masked; names, addresses and the purposes of payments are not."

    package init() {
        var mask = Mask()
        mask.invention = Invention()
        mask.naming = { [credentials] in credentials.mark(of: $0) }
        self.mask = mask
    }

    /// Returns the services with providers that tell the recording which secrets are credentials.
    package func observing(_ services: HostServices) -> HostServices { credentials.observing(services) }

    /// Records an exchange. Pass this function as ``EngineConfiguration/observer``.
    package func record(_ exchange: Exchange) {
        let masked = mask.exchange(exchange)
        exchanges.withLock { $0.append(masked) }
    }

    /// Returns what a recording shows and must not, for one that a person wants to share: the value of a cookie, a token or a
    /// password; nil for one that is masked.
    package static func fault(in archive: HTTPArchive) -> String? {
        let mask = Mask()
        let passwords = Set(
            archive.exchanges.flatMap(\.forms).flatMap(\.fields).filter { $0.type == "password" }.map(\.name))
        for exchange in archive.exchanges {
            for header in exchange.requestHeaders + exchange.responseHeaders {
                guard
                    ["cookie", "set-cookie", "authorization", "proxy-authorization"].contains(header.name.lowercased()),
                    mask.header(header) != header
                else { continue }
                return "the value of a \(header.name) of \(exchange.method) \(exchange.url.withoutQuery)"
            }
            let sent = SubmittedValues(
                url: exchange.url, body: exchange.requestBody, contentType: exchange.requestHeader("content-type"))
            for value in sent.values where passwords.contains(value.name) || mask.hidesValues(named: value.name) {
                guard !value.text.isEmpty, !value.text.contains("•") else { continue }
                return "the value of the field “\(value.name)” of \(exchange.method) \(exchange.url.withoutQuery)"
            }
        }
        return nil
    }

    package var archive: HTTPArchive { HTTPArchive(exchanges.withLock { $0 }) }
}

extension HTTPArchive {
    /// The archive's bytes as JSON, without any living secret.
    public func redacted() throws -> [UInt8] { try Array(json.redacted().canonicalBytes()) }
}
