import Foundation
import Secrets
import Synchronization

/// Keeps what a bank's interface gave in exchange for a credential, sealed, each bank's apart.
public protocol GrantStore: Sendable {
    /// Returns what was kept for a bank; nil for nothing.
    func kept(forBank bankID: String) async throws -> Secret?

    /// Keeps a value for a bank in place of the one before, at once or not at all; nil forgets it.
    func keep(_ value: Secret?, forBank bankID: String) async throws

    /// Keeps other runs and programs from renewing what is kept for the bank, until the value is released.
    func lock(forBank bankID: String) async throws -> any Sendable
}

extension Secret {
    /// True for what a ``GrantStore`` keeps of a bank that has given something; false for a step alone that was begun.
    package var holdsGrant: Bool { KeptExchange(self)?.grant != nil }
}

extension HostServices {
    /// Returns whether a bank's grant is still the one that a run was given. A step that was only begun since changes no grant.
    func isCurrent(_ grant: Secret?, atBank bankID: String) async -> Bool {
        guard let grant, let grants else { return true }
        guard let kept = try? await grants.kept(forBank: bankID), var now = KeptExchange(kept),
            var given = KeptExchange(grant)
        else { return false }
        (now.pending, given.pending) = (nil, nil)
        return now.sealed.isEqual(to: given.sealed)
    }
}

/// Keeps what was given for the life of a program, such as a test.
package final class MemoryGrants: GrantStore {
    private let kept = Mutex<[String: Secret]>([:])

    package init() {}

    package func kept(forBank bankID: String) async throws -> Secret? { kept.withLock { $0[bankID] } }

    package func keep(_ value: Secret?, forBank bankID: String) async throws { kept.withLock { $0[bankID] = value } }

    /// Other programs do not share a memory.
    package func lock(forBank bankID: String) async throws -> any Sendable { bankID }
}

/// The browser of the bank's customer, in which they say yes to an exchange.
public protocol OwnersBrowser: Sendable {
    /// Opens a page, and waits for the address that it leads back to.
    ///
    /// - Parameter page: the page to open, with what it needs in its query.
    /// - Returns: the query that the browser brought back.
    func visit(_ page: OwnersPage) async throws -> Secret

    /// The address to bring a browser back to, where the script names none.
    ///
    /// - Parameter wanted: the one that the script names.
    func redirect(_ wanted: String?) async throws -> String

    /// Shows a code, and the page on which it is typed. Returns at once.
    func show(_ code: OwnersCode) async throws
}

/// A page on which the owner says yes.
public struct OwnersPage: Sendable {
    public var address: String
    /// The address to which it leads back.
    public var redirect: String
    /// The random text that the browser has to bring back as `state`.
    public var state: Secret
    public var bankName: String
    public var deadline: Date
}

/// A code that the owner types on another device (RFC 8628, section 3.3).
public struct OwnersCode: Sendable, Hashable {
    public var code: String
    public var page: String
    /// The page with the code in its address; nil where the bank gives none.
    public var wholePage: String?
    public var bankName: String
    public var deadline: Date
}
