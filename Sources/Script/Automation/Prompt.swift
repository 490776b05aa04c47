import Foundation

/// A question to the person.
public struct Prompt: Sendable {
    public enum Kind: Sendable {
        /// A code to type. The picture, if any, stands beside the question.
        case code(picture: Picture?)
        /// One of these texts to pick.
        case choice([String])
        /// The person approves in the bank's own app, and types nothing here.
        case confirmElsewhere
    }

    public struct Picture: Sendable {
        public var bytes: [UInt8]
        public var mediaType: String
        /// The bars that the picture shows; nil for another picture. A page shows its drawing, a terminal draws them itself.
        public var flicker: FlickerPicture?

        public init(bytes: [UInt8], mediaType: String) {
            self.bytes = bytes
            self.mediaType = mediaType
        }

        public init(_ flicker: FlickerPicture) {
            bytes = flicker.drawing
            mediaType = "image/svg+xml"
            self.flicker = flicker
        }
    }

    public var kind: Kind
    public var bankName: String
    /// The bank's or the script's own words, sanitised.
    public var question: String
    public var deadline: Date

    public init(kind: Kind, bankName: String, question: String, deadline: Date) {
        self.kind = kind
        self.bankName = bankName
        self.question = question
        self.deadline = deadline
    }
}
