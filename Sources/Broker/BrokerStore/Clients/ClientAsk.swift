import Clocks
import Foundation
import GRDB
import Messages
import WebURL

/// A program's wish to become an agent, as it came to the authorization endpoint (RFC 6749, section 4.1.1), checked.
package struct ClientAsk: Sendable, Hashable {
    package let id: RequestID
    /// The program's own name for itself; nil when it says none.
    package let name: String?
    package let clientID: String
    package let redirectURI: String
    /// The SHA-256 of the verifier, in base64url (RFC 7636, section 4.2).
    package let challenge: String
    package let state: String?
    /// The server that the tokens are for (RFC 8707).
    package let resource: String
    package let expiresAt: Timestamp

    package init(
        id: RequestID = RequestID(), name: String?, clientID: String, redirectURI: String, challenge: String,
        state: String?, resource: String, expiresAt: Timestamp
    ) {
        (self.id, self.name, self.clientID, self.redirectURI) = (id, name, clientID, redirectURI)
        (self.challenge, self.state, self.resource, self.expiresAt) = (challenge, state, resource, expiresAt)
    }

    init(_ row: Row) throws {
        guard let id = RequestID(row["id"] as String), let expires = Timestamp(row["expires_at"] as String) else {
            throw DatabaseError(resultCode: .SQLITE_CORRUPT, message: "a program's row cannot be read")
        }
        self.init(
            id: id, name: row["client_name"], clientID: row["client_id"], redirectURI: row["redirect_uri"],
            challenge: row["challenge"], state: row["state"], resource: row["resource"], expiresAt: expires)
    }

    /// The form in which a question's record has the identifier: its host, or for every other one, which holds what a
    /// stranger says, the beginning of its SHA-256. The log keeps records for ever, and strangers write these.
    var recordedClient: String {
        if clientID.hasPrefix("https://"), let host = (try? URLRecord(parsing: clientID))?.host?.description,
            host.utf8.count <= 253, host.wholeMatch(of: /[a-z0-9._\-]+/) != nil
        {
            return host
        }
        return "sha256:\(TokenDigest(of: clientID.utf8).hex.prefix(16))"
    }

    package var waiting: WaitingClient {
        WaitingClient(id: id, name: name, clientID: clientID, returnsTo: redirectURI, expiresAt: expiresAt)
    }
}

/// The SHA-256 of a code, a token or a number, in Base16: the only form in which the database has it.
package struct TokenDigest: Sendable, Hashable {
    let hex: String

    package init(of bytes: some Collection<UInt8>) { hex = PairedDevice.digest(ofToken: bytes) }
}

/// The two tokens that a program gets, by their digests.
package struct TokenPair: Sendable, Hashable {
    package let access: TokenDigest
    package let refresh: TokenDigest
    package let accessEndsAt: Timestamp
    package let refreshEndsAt: Timestamp

    package init(access: TokenDigest, refresh: TokenDigest, accessEndsAt: Timestamp, refreshEndsAt: Timestamp) {
        (self.access, self.refresh, self.accessEndsAt, self.refreshEndsAt) =
            (access, refresh, accessEndsAt, refreshEndsAt)
    }
}
