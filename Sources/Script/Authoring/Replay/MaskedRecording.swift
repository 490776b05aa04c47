import Automation
import HTMLAutomation
import HTMLEngine
import Synchronization

/// A recording of a live run that may be kept and shared: each exchange is masked when it comes. Credentials become their
/// names; account numbers, amounts and tokens become invented ones, the same original always the same, so that a replay
/// still tells one document from another.
public final class MaskedRecording: Sendable {
    private let credentials = RecordedCredential()
    private let mask: Mask
    private let exchanges = Mutex<[Exchange]>([])

    public init() {
        var mask = Mask()
        mask.invention = Invention()
        mask.naming = { [credentials] in credentials.mark(of: $0) }
        self.mask = mask
    }

    /// Returns the services with providers that tell the recording which secrets are credentials.
    public func observing(_ services: HostServices) -> HostServices { credentials.observing(services) }

    /// Records an exchange. Pass this function as ``EngineConfiguration/observer``.
    public func record(_ exchange: Exchange) {
        let masked = mask.exchange(exchange)
        exchanges.withLock { $0.append(masked) }
    }

    public var archive: HTTPArchive { HTTPArchive(exchanges.withLock { $0 }) }
}

extension HTTPArchive {
    /// The archive's bytes as JSON, without any living secret.
    public func redacted() throws -> [UInt8] { try Array(json.redacted().canonicalBytes()) }
}
