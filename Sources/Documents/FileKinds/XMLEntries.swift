import Encodings
import Markup

/// An answer in XML whose entries are to become transactions.
package enum XMLEntries {
    /// Returns the answer as the paths of a script see it; nil for another text than XML.
    package static func json(_ bytes: [UInt8]) -> JSONValue? { XMLAnswer.json(bytes, contentType: nil) }
}
