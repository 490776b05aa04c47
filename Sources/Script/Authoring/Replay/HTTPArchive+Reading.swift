import CurlClient
import Encodings
import Foundation
import HTMLAutomation
import HTMLEngine

/// The reason why a file cannot be read as an HTTP Archive.
public struct HTTPArchiveError: Error, Sendable, CustomStringConvertible {
    public let message: String

    public init(message: String) {
        self.message = message
    }

    public var description: String { message }
}

extension HTTPArchive {
    /// Allows 256 MiB: the archive of a session with large pages is that big.
    private static let limits = JSONLimits(size: 256 << 20)

    /// Reads an archive that a browser's developer tools saved (“Save all as HAR with content”) or a trace wrote.
    ///
    /// - Throws: ``HTTPArchiveError``.
    public init(reading bytes: some Sequence<UInt8>) throws(HTTPArchiveError) {
        let json: JSONValue
        do {
            json = try JSONReader.read(bytes, limits: Self.limits)
        } catch {
            throw HTTPArchiveError(
                message:
                    "the file is not JSON: \(error); save it again with the browser's “Save all as HAR with content”")
        }
        guard let entries = json["log"]?["entries"]?.arrayValue else {
            throw HTTPArchiveError(message: "the file is JSON, but not an HTTP Archive: it has no log.entries")
        }
        var read: [Entry] = []
        for (index, entry) in entries.enumerated() {
            guard let exchange = Exchange(archived: entry) else {
                throw HTTPArchiveError(message: "entry \(index + 1) of the archive has no request with method and url")
            }
            read.append(
                Entry(
                    exchange: exchange, page: entry["pageref"]?.stringValue,
                    resourceType: entry["_resourceType"]?.stringValue?.lowercased(),
                    omitsBody: entry["response"]?["content"]?["comment"]?.stringValue == Self.omitted))
        }
        // Browsers write entries in the order in which they ended, not in the order of requests.
        let sorted = read.enumerated().sorted {
            $0.element.exchange.startedAt == $1.element.exchange.startedAt
                ? $0.offset < $1.offset : $0.element.exchange.startedAt < $1.element.exchange.startedAt
        }
        self.init(entries: sorted.map(\.element))
    }
}

extension [HTTPHeader] {
    /// Changes the charset of a text body's type to UTF-8.
    var labelledUTF8: [HTTPHeader] {
        map { header in
            guard header.name.lowercased() == "content-type" else { return header }
            let type = header.value.prefix { $0 != ";" }
            return type.hasPrefix("text/") || type.contains("html") || type.contains("xml")
                ? HTTPHeader(header.name, type + "; charset=utf-8") : header
        }
    }
}

extension Exchange {
    fileprivate init?(archived entry: JSONValue) {
        guard let request = entry["request"], let method = request["method"]?.stringValue,
            let url = request["url"]?.stringValue
        else { return nil }
        let response = entry["response"] ?? .null
        let content = response["content"] ?? .null
        let body = Self.body(of: content)
        var headers = Self.headers(response["headers"])
        if !headers.contains(where: { $0.name.lowercased() == "content-type" }),
            let type = content["mimeType"]?.stringValue, !type.isEmpty, type != "x-unknown"
        {
            headers.append(HTTPHeader("content-type", type))
        }
        if let target = response["redirectURL"]?.stringValue, !target.isEmpty,
            !headers.contains(where: { $0.name.lowercased() == "location" })
        {
            headers.append(HTTPHeader("location", target))
        }
        // The archive's writer has decoded a body that is not base64: the archive holds it as UTF-8.
        if body != nil, content["encoding"] == nil { headers = headers.labelledUTF8 }
        let size = content["size"]?.intValue ?? 0
        let total = Duration.milliseconds(Int64(max(0, entry["time"]?.numberValue ?? 0)))
        self.init(
            startedAt: Self.date(entry["startedDateTime"]?.stringValue ?? ""), method: method.uppercased(), url: url,
            requestHeaders: Self.headers(request["headers"]), requestBody: Self.posted(request["postData"]),
            status: response["status"]?.intValue ?? 0, version: "1.1", responseHeaders: headers, responseBody: body,
            responseBytes: body?.count ?? max(0, size),
            timings: HTTPTimings(connected: .zero, firstByte: .zero, total: total))
    }

    private static func headers(_ list: JSONValue?) -> [HTTPHeader] {
        (list?.arrayValue ?? []).compactMap { header in
            guard let name = header["name"]?.stringValue, let value = header["value"]?.stringValue,
                !name.hasPrefix(":")
            else { return nil }
            return HTTPHeader(name, value)
        }
    }

    private static func body(of content: JSONValue) -> [UInt8]? {
        guard let text = content["text"]?.stringValue else { return nil }
        guard content["encoding"]?.stringValue == "base64" else { return Array(text.utf8) }
        return Data(base64Encoded: text, options: .ignoreUnknownCharacters).map(Array.init)
    }

    private static func posted(_ data: JSONValue?) -> [UInt8]? {
        guard let data else { return nil }
        if let text = data["text"]?.stringValue, !text.isEmpty { return Array(text.utf8) }
        let fields = (data["params"]?.arrayValue ?? []).compactMap { parameter in
            parameter["name"]?.stringValue.map { name in
                FormFields.Field(name: name, value: parameter["value"]?.stringValue ?? "")
            }
        }
        return fields.isEmpty ? nil : Array(FormFields(fields).urlEncoded.utf8)
    }

    private static func date(_ text: String) -> Date {
        let exact = Date.ISO8601FormatStyle(includingFractionalSeconds: true)
        return (try? exact.parse(text)) ?? (try? Date.ISO8601FormatStyle().parse(text))
            ?? Date(timeIntervalSince1970: 0)
    }
}
