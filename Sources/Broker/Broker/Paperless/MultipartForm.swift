import Foundation

/// A form with a file (RFC 7578).
struct MultipartForm {
    let boundary: String
    private(set) var bytes: [UInt8] = []

    init(boundary: String = "countersign-" + UUID().uuidString.lowercased()) {
        self.boundary = boundary
    }

    var contentType: String { "multipart/form-data; boundary=\(boundary)" }

    mutating func add(_ name: String, _ value: String) {
        add("--\(boundary)\r\nContent-Disposition: form-data; name=\"\(name)\"\r\n\r\n\(value)\r\n")
    }

    /// - Parameter fileName: without quotation marks and line breaks.
    mutating func add(_ name: String, fileName: String, mediaType: String, _ content: [UInt8]) {
        add(
            "--\(boundary)\r\nContent-Disposition: form-data; name=\"\(name)\"; filename=\"\(fileName)\"\r\n"
                + "Content-Type: \(mediaType)\r\n\r\n")
        bytes.append(contentsOf: content)
        add("\r\n")
    }

    mutating func end() { add("--\(boundary)--\r\n") }

    private mutating func add(_ text: String) { bytes.append(contentsOf: text.utf8) }
}
