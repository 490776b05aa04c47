import HTMLEngine
import Markup
import Secrets

/// An action of a person in the browser's window, with the page as it was before it reacted.
public struct VisitorAction: Sendable {
    public enum Kind: Sendable {
        case click
        /// A text was typed into a field.
        case type(Secret)
        /// An option was chosen from a list, by its text.
        case choose(String)
        case check(Bool)
        /// Enter sent a form that has no button.
        case submit
        /// A document began to arrive, by the action before.
        case download
    }

    /// A frame in the page around it.
    public struct Frame: Sendable, Hashable {
        /// The `id` and `name` attributes; empty where the frame has no such attribute.
        public var id: String
        public var name: String
        /// Its position among the frames of its page, from 0.
        public var position: Int
    }

    public var kind: Kind
    /// Nil for a download.
    public var page: Page?
    public var element: Element?
    /// The frames around the page, the outermost first.
    public var frames: [Frame] = []
    /// True when the frames of the action before have gone since.
    public var hasLeftFrames = false
}
