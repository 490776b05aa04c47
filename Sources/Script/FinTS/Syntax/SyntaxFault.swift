/// The reason why bytes are not a FinTS message.
package struct SyntaxFault: Error, Sendable, Hashable, CustomStringConvertible {
    /// The byte at which the fault was seen, from 0.
    package let offset: Int
    package let problem: String

    package init(_ problem: String, at offset: Int) {
        self.problem = problem
        self.offset = offset
    }

    package var description: String { "\(problem), at byte \(offset)" }
}
