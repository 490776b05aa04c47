import Clocks
import Foundation

/// A document as it is given to paperless-ngx.
package struct PaperlessUpload: Sendable, Hashable {
    package var bytes: [UInt8]
    /// Such as `application/pdf`.
    package var mediaType: String
    /// The ending of the file's name, without the full stop.
    package var fileExtension: String
    /// The digest of the bytes, lower-case hex.
    package var sha256: String
    package var title: String
    /// The date that paperless-ngx sorts by: the period's last day.
    package var created: CalendarDate
    package var correspondent: String
    package var documentType: String
    package var tags: [String]

    package init(
        bytes: [UInt8], mediaType: String, fileExtension: String, sha256: String, title: String,
        created: CalendarDate, correspondent: String, documentType: String, tags: [String]
    ) {
        self.bytes = bytes
        self.mediaType = mediaType
        self.fileExtension = fileExtension
        self.sha256 = sha256
        self.title = title
        self.created = created
        self.correspondent = correspondent
        self.documentType = documentType
        self.tags = tags
    }

    /// A name that no other document has, without characters that lead to another folder or hide the file.
    package var fileName: String {
        let plain = title.unicodeScalars.map { scalar -> Character in
            let isPlain =
                scalar.properties.isAlphabetic || scalar.properties.numericType != nil
                || " -_".unicodeScalars.contains(scalar)
            return isPlain ? Character(scalar) : "-"
        }
        return "\(String(plain.prefix(80))) \(sha256.prefix(12)).\(fileExtension)"
    }
}
