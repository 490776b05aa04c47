/// Why a page was not reached or could not be used.
public struct NavigationError: Error, Sendable, CustomStringConvertible {
    public enum Code: Sendable, Hashable {
        case tooManyRedirects, redirectLoop, noPage, needsJavaScript, notALink, notAButton, noSuchFrame, invalidURL
        case invalidRequest
    }

    public let code: Code
    public let message: String

    public var description: String { message }
}
