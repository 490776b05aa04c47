import Foundation

/// The parts of a form with files (RFC 7578), as a server reads them.
struct FormParts {
    struct Part {
        let name: String
        let fileName: String?
        let mediaType: String?
        let content: [UInt8]
    }

    private(set) var parts: [Part] = []

    /// Returns nil for a body that is not such a form.
    init?(_ type: String, _ body: [UInt8]) {
        guard type.hasPrefix("multipart/form-data"), let match = type.firstMatch(of: /boundary="?([^";]+)"?/) else {
            return nil
        }
        let data = Data(body)
        let delimiter = Data("--\(match.1)".utf8)
        var marks: [Range<Data.Index>] = []
        var start = data.startIndex
        while let found = data.range(of: delimiter, in: start..<data.endIndex) {
            marks.append(found)
            start = found.upperBound
        }
        guard marks.count > 1, data[marks[marks.count - 1].upperBound...].starts(with: Data("--".utf8)) else {
            return nil
        }
        for (mark, next) in zip(marks, marks.dropFirst()) {
            // After the mark and before the next stands a line break each.
            guard next.lowerBound - mark.upperBound >= 4,
                let blank = data.range(of: Data("\r\n\r\n".utf8), in: mark.upperBound..<next.lowerBound)
            else { return nil }
            let head = String(decoding: data[mark.upperBound..<blank.lowerBound], as: UTF8.self)
            guard let name = head.firstMatch(of: /[; ]name="([^"]*)"/) else { return nil }
            parts.append(
                Part(
                    name: String(name.1), fileName: head.firstMatch(of: /filename="([^"]*)"/).map { String($0.1) },
                    mediaType: head.firstMatch(of: /(?i)Content-Type: *([^\r\n]+)/).map { String($0.1) },
                    content: Array(data[blank.upperBound..<(next.lowerBound - 2)])))
        }
    }
}
