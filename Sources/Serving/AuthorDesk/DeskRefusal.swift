/// The reason why the desk does not do what its page asks for.
package struct DeskRefusal: Error, Sendable, Hashable, CustomStringConvertible {
    package enum Code: String, Sendable, Hashable {
        /// The page sent something that the desk does not understand.
        case badRequest = "bad_request"
        case notFound = "not_found"
        /// A replay runs already.
        case busy
        /// Another program has changed or removed the file since the page read it.
        case changedOnDisk = "changed_on_disk"
        case tooLarge = "too_large"
        case unreadable
        case saveFailed = "save_failed"
        /// The script cannot be replayed as it is.
        case notReplayable = "not_replayable"
    }

    package let code: Code
    /// Tells the author what is wrong and what to do.
    package let message: String

    package init(_ code: Code, _ message: String) {
        self.code = code
        self.message = message
    }

    package var description: String { message }
}
