import Foundation
import Messages
import Signer

/// What the broker says of a delivery whose signature and digest are right.
public enum DeliveryVerdict: Sendable, Hashable {
    case accepted
    /// The request is completed already, with this very manifest.
    case duplicate
    /// It cannot be accepted: the request is unknown, in another state, or the nonce was used.
    case refused(String)
}

/// A delivery that was refused. It changed no state.
public struct DeliveryRejection: Sendable, Hashable {
    /// The manifest's name.
    public let name: String
    /// Nil when the manifest could not be believed.
    public let requestID: RequestID?
    public let reason: String
}

/// The broker's side of an inbox: the one that knows which requests wait for a delivery.
public protocol DeliveryLedger: Sendable {
    /// What would be said of a delivery with this manifest, before its PDF is stored. Changes nothing.
    func verdict(on manifest: VerifiedManifest) async throws -> DeliveryVerdict

    /// Records a verified delivery and completes its request, durably, or refuses it.
    ///
    /// - Parameter storedPDF: the broker's own copy, whose bytes were hashed.
    func accept(_ manifest: VerifiedManifest, storedPDF: URL) async throws -> DeliveryVerdict

    /// Is told once of each refused delivery.
    func rejected(_ rejection: DeliveryRejection) async
}
