import Markup

/// The reason why a page could not be reached or used.
public struct NavigationError: Error, Sendable, CustomStringConvertible {
    public enum Code: Sendable, Hashable {
        case tooManyRedirects, redirectLoop, noPage, needsJavaScript, notALink, noSuchFrame
        case invalidRequest
        /// The page came from a submitted form, which is not sent twice.
        case notRepeatable
        case noToken
        /// A redirect to another origin repeats a secret of the request's query.
        case secretInURL
        /// A redirect repeats the body of a script's request for another origin.
        case bodyElsewhere
    }

    public let code: Code
    public let message: String

    public var description: String { message }

    static func needsJavaScript(_ element: Element, _ what: String) -> NavigationError {
        NavigationError(
            code: .needsJavaScript,
            message:
                "\(element.glimpse) \(what); that needs JavaScript, which this engine does not run: \(JavaScriptWall.waysIn)"
        )
    }
}
