/// A picture that could not be read, or a text that no QR code holds.
public struct QRCodeError: Error, Sendable, Hashable, CustomStringConvertible {
    public struct Code: Sendable, Hashable {
        private enum Kind { case unreadable, format, tooLarge, none, tooLong }
        private let kind: Kind
        private init(_ kind: Kind) { self.kind = kind }

        public static let unreadable = Code(.unreadable)
        /// Neither PNG nor JPEG, or a damaged one.
        public static let unsupportedPicture = Code(.format)
        public static let tooLarge = Code(.tooLarge)
        /// No QR code was found in the picture.
        public static let nothingFound = Code(.none)
        /// More than a QR code holds.
        public static let tooLong = Code(.tooLong)
    }

    public let code: Code
    public let message: String

    init(_ code: Code, _ message: String) {
        self.code = code
        self.message = message
    }

    public var description: String { message }
}
