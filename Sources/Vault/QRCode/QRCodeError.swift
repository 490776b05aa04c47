/// A picture that could not be read, or a text that does not fit into a QR code.
package struct QRCodeError: Error, Sendable, Hashable, CustomStringConvertible {
    package struct Code: Sendable, Hashable {
        private enum Kind { case unreadable, format, tooLarge, none, tooLong, noReader }
        private let kind: Kind
        private init(_ kind: Kind) { self.kind = kind }

        package static let unreadable = Code(.unreadable)
        /// The picture is damaged, or neither PNG nor JPEG.
        package static let unsupportedPicture = Code(.format)
        package static let tooLarge = Code(.tooLarge)
        /// The picture contains no QR code.
        package static let nothingFound = Code(.none)
        /// The text does not fit into a QR code.
        package static let tooLong = Code(.tooLong)
        /// libzbar cannot be loaded.
        package static let noReader = Code(.noReader)
    }

    package let code: Code
    package let message: String

    init(_ code: Code, _ message: String) {
        self.code = code
        self.message = message
    }

    package var description: String { message }
}
