/// The reason why a collection, or a part of it, is not used.
package struct CollectionError: Error, Sendable, Hashable, CustomStringConvertible {
    package enum Kind: String, Sendable, Hashable, CaseIterable {
        /// A file is not what its role's format says.
        case malformed
        /// Fewer keys than the threshold have signed, or others.
        case unsigned
        /// A version is older than one that was seen, or a file has gone that was there.
        case rollback
        /// The file has expired: someone may be showing an old state.
        case expired
        /// A file is not the one that a signed file names: another version, length or hash.
        case mismatch
        /// A file is longer than its signed length, or than the limit for its role.
        case tooLong = "too_long"
        /// The server was too slow, or could not be reached.
        case unreachable
        case notFound = "not_found"
        /// A path leads out of the collection, or means another file on another machine.
        case unsafePath = "unsafe_path"
        /// A folder or a checkout has what a collection must not have.
        case hostileFolder = "hostile_folder"
        /// A file of this machine cannot be read or written.
        case storage
    }

    package let kind: Kind
    /// Names the file, says what was seen, and what to do.
    package let message: String

    package init(_ kind: Kind, _ message: String) {
        self.kind = kind
        self.message = message
    }

    package var description: String { message }
}
