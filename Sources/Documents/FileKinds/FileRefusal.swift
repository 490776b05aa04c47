import Encodings

/// Why a file was refused: a sentence that says what it is or what is wrong with it, and what to do.
public struct FileRefusal: Error, Sendable, Hashable, CustomStringConvertible {
    public enum Code: Sendable, Hashable {
        /// The file is of another kind than the caller expects, or of none that a bank's document has.
        case wrongKind
        /// The file is cut off, or breaks its format's rules.
        case damaged
        /// The file, or what it unpacks to, is beyond the limits.
        case tooLarge
        /// Something that no bank's document needs and that can do harm: entities, macros, paths out of a folder.
        case forbidden
        /// The process that reads files failed while it read this one.
        case unread
    }

    public let code: Code
    /// The sentence. Text from the file is in it only where it was cleaned.
    public let message: String

    /// - Parameter message: a sentence without a full stop that says what is wrong, and after a semicolon what to do.
    public init(_ code: Code, _ message: String) {
        self.code = code
        self.message = message
    }

    public var description: String { message }

    /// A file that is not strict JSON, with the place.
    package static func json(_ error: JSONError) -> FileRefusal {
        FileRefusal(.damaged, "the file is not JSON that every reader takes alike (RFC 7493): \(error)")
    }
}

/// Limits on the files that are accepted.
package struct FileLimits: Sendable, Hashable {
    /// The size of a file in bytes.
    package var size: Int
    /// The number of entries of a ZIP archive or a spreadsheet.
    package var entries: Int
    /// The size of all entries when unpacked, in bytes.
    package var unpacked: Int
    /// The largest ratio of unpacked to packed bytes. Sheets of numbers reach 50; DEFLATE ends at 1032.
    package var ratio: Int

    /// Defaults to 64 MiB, 10,000 entries, 256 MiB unpacked, and a ratio of 200.
    package init(size: Int = 64 << 20, entries: Int = 10_000, unpacked: Int = 256 << 20, ratio: Int = 200) {
        (self.size, self.entries, self.unpacked, self.ratio) = (size, entries, unpacked, ratio)
    }
}
