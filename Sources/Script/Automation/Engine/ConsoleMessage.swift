/// A message that a page wrote to the browser's console: an error of its script, or what the script reports itself.
///
/// It may hold secrets: mask it before it goes anywhere.
public struct ConsoleMessage: Sendable, Hashable {
    public enum Level: String, Sendable, Hashable {
        case warning
        case error
    }

    public var level: Level
    public var text: String
    /// The address and the line of the script; nil when the browser does not tell.
    public var place: String?

    public init(level: Level, text: String, place: String? = nil) {
        self.level = level
        self.text = text
        self.place = place
    }
}
