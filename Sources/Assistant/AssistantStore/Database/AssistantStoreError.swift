/// A failure of the assistant's database.
package struct AssistantStoreError: Error, Sendable, Hashable, CustomStringConvertible {
    package enum Code: Sendable, Hashable {
        /// The database cannot be reached, or the connection broke. A change that was under way may have been committed.
        case unavailable
        /// A statement or a lock took longer than allowed.
        case tooSlow
        case full
        case readOnly
        /// Another transaction has written the same unique value.
        case conflict
        /// Two transactions wait for each other, and this one was ended.
        case deadlock
        /// The database holds something that this program did not write.
        case damaged
        /// The value cannot be stored, such as a text with U+0000.
        case unstorable
        case other
    }

    package let code: Code
    package let message: String

    package init(_ code: Code, _ message: String) {
        self.code = code
        self.message = message
    }

    package var description: String { "the assistant's database: \(message)" }
}
