import Foundation

/// The content of a `data:` URL (RFC 2397).
package struct DataURL {
    package let bytes: [UInt8]
    package let mediaType: String

    package init?(_ text: String) {
        guard text.lowercased().hasPrefix("data:"), let comma = text.firstIndex(of: ",") else { return nil }
        let head = text[text.index(text.startIndex, offsetBy: 5)..<comma]
        let content = PercentEncoding.decode(String(text[text.index(after: comma)...]))
        if head.lowercased().hasSuffix(";base64") {
            guard let data = Data(base64Encoded: Data(content), options: .ignoreUnknownCharacters) else { return nil }
            bytes = Array(data)
        } else {
            bytes = content
        }
        mediaType = head.split(separator: ";").first.map(String.init) ?? "text/plain"
    }
}
