/// A picture that could not be read, or a text that does not fit into a QR code.
public struct QRCodeError: Error, Sendable, Hashable, CustomStringConvertible {
    public struct Code: Sendable, Hashable {
        private enum Kind { case unreadable, format, tooLarge, none, tooLong, noReader }
        private let kind: Kind
        private init(_ kind: Kind) { self.kind = kind }

        public static let unreadable = Code(.unreadable)
        /// The picture is damaged, or neither PNG nor JPEG.
        public static let unsupportedPicture = Code(.format)
        public static let tooLarge = Code(.tooLarge)
        /// The picture contains no QR code.
        public static let nothingFound = Code(.none)
        /// The text does not fit into a QR code.
        public static let tooLong = Code(.tooLong)
        /// libzbar cannot be loaded.
        public static let noReader = Code(.noReader)
    }

    public let code: Code
    public let message: String

    init(_ code: Code, _ message: String) {
        self.code = code
        self.message = message
    }

    public var description: String { message }
}
