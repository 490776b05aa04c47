import CImages
import Encodings
import Machine
import Secrets

/// The search for codes in a picture as the work of a process without rights: a picture in, texts out.
package enum PictureTask: ConfinedTask {
    package static let name = "picture"

    /// Loads libzbar with the converters of the texts in codes.
    package static func prepare() { countersign_zbar_load() }

    package static func perform(_ order: JSONValue, on bytes: [UInt8]) -> ConfinedAnswer {
        do throws(QRCodeError) {
            let texts = try QRCodeReader.texts(in: GreyPicture(bytes))
            return ConfinedAnswer([:], pieces: texts.map { $0.withUnsafeBytes { Array($0) } })
        } catch {
            let name = codes.first { $0.code == error.code }?.name ?? "unreadable"
            return ConfinedAnswer(["code": .string(name), "message": .string(error.message)])
        }
    }

    private static let codes: [(name: String, code: QRCodeError.Code)] = [
        ("unreadable", .unreadable), ("format", .unsupportedPicture), ("tooLarge", .tooLarge), ("none", .nothingFound),
        ("noReader", .noReader),
    ]

    /// Returns the error in an answer; nil when it has texts.
    static func error(_ facts: JSONValue) -> QRCodeError? {
        guard let name = facts["code"]?.stringValue, let message = facts["message"]?.stringValue else { return nil }
        return QRCodeError(codes.first { $0.name == name }?.code ?? .unreadable, message)
    }
}
