import BankScript
import Encodings
import FileKinds
import Foundation
import Machine

// Documents that come as a text inside a JSON answer.

extension ScriptExecution {
    /// Decodes the text of the latest answer that a JSONPath finds.
    ///
    /// - Parameter limit: the largest document in bytes.
    func decoded(_ path: Template, limit: Int) async throws -> [UInt8] {
        guard let json = await currentJSON else {
            throw missing(await unreadableJSON ?? "no JSON answer has come yet; ask for it with a request step before")
        }
        let path = try fill(path)
        let values = try JSONPath(path).values(in: json)
        guard let text = values.first?.stringValue, values.count == 1 else {
            throw missing(
                "\(path) finds \(values.count) values; it has to find one text", candidates: json.paths(nearestTo: path)
            )
        }
        guard let bytes = Self.bytes(inBase64: text) else { throw missing("the text at \(path) is not base64") }
        guard bytes.count <= limit else {
            throw RunFailure(
                .pdfDownloadFailed, reason: .tooLarge,
                message: "the document at \(path) has \(bytes.count) bytes; at most \(limit) are taken")
        }
        return bytes
    }

    private func missing(_ why: String, candidates: [String] = []) -> RunFailure {
        RunFailure(.pdfDownloadFailed, reason: .layoutChanged, message: why, candidates: candidates)
    }

    /// Decodes base64 (RFC 4648, sections 4 and 5) with or without line breaks and its end, alone or in a `data:` address.
    static func bytes(inBase64 text: String) -> [UInt8]? {
        var digits = text[...]
        if text.lowercased().hasPrefix("data:") {
            guard let comma = text.firstIndex(of: ","), text[..<comma].lowercased().hasSuffix(";base64") else {
                return nil
            }
            digits = text[text.index(after: comma)...]
        }
        let usual = digits.filter { !$0.isWhitespace && $0 != "=" }.replacing("-", with: "+").replacing("_", with: "/")
        let end = String(repeating: "=", count: (4 - usual.utf8.count % 4) % 4)
        guard !usual.isEmpty, let data = Data(base64Encoded: usual + end) else { return nil }
        return Array(data)
    }

    /// Writes a document that came in an answer into a file.
    func store(_ bytes: [UInt8], in file: URL) async throws -> EngineFile {
        try await BlockingWork.run { try PassingFile.write(bytes, to: file) }
        return EngineFile(
            status: 200, mediaType: nil, sha256: CheckedFile.digest(of: bytes), bytes: bytes.count,
            firstBytes: Array(bytes.prefix(1024)), lastBytes: Array(bytes.suffix(1024)))
    }
}
