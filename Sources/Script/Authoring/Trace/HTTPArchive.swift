import CurlClient
import Encodings
import Foundation
import HTMLAutomation
import HTMLEngine
import Messages

/// Exchanges in the HTTP Archive format of browsers' developer tools, version 1.2
/// (http://www.softwareishard.com/blog/har-12-spec/).
public struct HTTPArchive: Sendable {
    /// A group of exchanges: a page in a browser, a step in a trace.
    struct Page: Sendable {
        var id: String
        var title: String
        var startedAt: Date
    }

    package struct Entry: Sendable {
        package var exchange: Exchange
        var page: String?
        /// The browser's type of the resource, e.g. `document`, `image`, `script`; nil when the archive does not name it.
        var resourceType: String?
        /// Countersign made the recording, and left the body out on purpose.
        var omitsBody = true

        /// True when a person navigated there. Pictures, styles and scripts of a page do not count.
        var isNavigation: Bool {
            // Unlike the type, this header tells a page from a frame in it.
            if let destination = exchange.requestHeader("sec-fetch-dest")?.lowercased() {
                return destination == "document"
            }
            if let resourceType { return resourceType == "document" }
            let path = exchange.url.withoutQuery.lowercased()
            if [".ico", ".png", ".svg", ".js", ".css", ".map"].contains(where: path.hasSuffix) { return false }
            guard let accepted = exchange.requestHeader("accept") else { return true }
            return accepted.contains("text/html") || accepted.hasPrefix("*/*")
        }
    }

    var pages: [Page]
    package var entries: [Entry]

    init(pages: [Page] = [], entries: [Entry]) {
        self.pages = pages
        self.entries = entries
    }

    /// The exchanges in the order in which they began.
    public var exchanges: [Exchange] { entries.map(\.exchange) }

    package var navigations: [Exchange] { entries.filter(\.isNavigation).map(\.exchange) }

    /// The navigations, and the exchanges that loaded frames.
    package var navigationsAndFrames: [Exchange] {
        entries.filter { $0.isNavigation || $0.exchange.isForFrame }.map(\.exchange)
    }

    public init(_ exchanges: [Exchange]) {
        self.init(entries: exchanges.map { Entry(exchange: $0, page: nil) })
    }

    /// The comment in place of a body that is not kept.
    static let omitted = "left out of the recording"
}

extension Exchange {
    /// True when a browser made the request for a frame of a page (Fetch Metadata, section 2.1).
    package var isForFrame: Bool {
        ["iframe", "frame"].contains(requestHeader("sec-fetch-dest")?.lowercased())
    }
}

extension HTTPArchive {
    /// The archive as JSON, to write to a file.
    public var json: JSONValue {
        [
            "log": [
                "version": "1.2", "creator": ["name": "Countersign", "version": .string(ProductVersion.current)],
                "pages": .array(pages.map(\.json)), "entries": .array(entries.map(\.json)),
            ]
        ]
    }
}

extension HTTPArchive.Page {
    fileprivate var json: JSONValue {
        [
            "id": .string(id), "title": .string(title), "startedDateTime": .string(startedAt.archived),
            "pageTimings": [:],
        ]
    }
}

extension HTTPArchive.Entry {
    fileprivate var json: JSONValue {
        var members: [String: JSONValue] = [
            "startedDateTime": .string(exchange.startedAt.archived), "time": exchange.timings.total.archived,
            "request": exchange.requestJSON, "response": exchange.responseJSON, "cache": [:],
            "timings": exchange.timings.json,
        ]
        if let page { members["pageref"] = .string(page) }
        return .object(members)
    }
}

extension HTTPTimings {
    fileprivate var json: JSONValue {
        [
            "connect": connected.archived, "send": 0, "wait": max(.zero, firstByte - connected).archived,
            "receive": max(.zero, total - firstByte).archived,
        ]
    }
}

extension Exchange {
    private var protocolName: String { "HTTP/" + version }

    fileprivate var requestJSON: JSONValue {
        let query = url.split(separator: "?", maxSplits: 1).dropFirst().first.map(String.init) ?? ""
        var members: [String: JSONValue] = [
            "method": .string(method), "url": .string(url), "httpVersion": .string(protocolName),
            "cookies": Self.cookies(requestHeader("cookie")), "headers": Self.list(requestHeaders),
            "queryString": Self.list(FormFields(urlEncoded: query)), "headersSize": -1,
            "bodySize": .number(Double(requestBody?.count ?? 0)),
        ]
        if let requestBody {
            let text = String(decoding: requestBody, as: UTF8.self)
            let type = requestHeader("content-type") ?? ""
            var data: [String: JSONValue] = ["mimeType": .string(type), "text": .string(text), "params": []]
            if type.hasPrefix("application/x-www-form-urlencoded") {
                data["params"] = Self.list(FormFields(urlEncoded: text))
            }
            members["postData"] = .object(data)
        }
        return .object(members)
    }

    fileprivate var responseJSON: JSONValue {
        var content: [String: JSONValue] = [
            "size": .number(Double(responseBytes)), "mimeType": .string(header("content-type") ?? ""),
        ]
        if let responseBody {
            if let text = String(validating: responseBody, as: UTF8.self) {
                content["text"] = .string(text)
            } else {
                content["text"] = .string(Data(responseBody).base64EncodedString())
                content["encoding"] = "base64"
            }
        } else if responseBytes > 0 {
            content["comment"] = .string(HTTPArchive.omitted)
        }
        return [
            "status": .number(Double(status)), "statusText": "", "httpVersion": .string(protocolName),
            "cookies": Self.cookies(header("set-cookie")?.split(separator: ";").first.map(String.init)),
            "headers": Self.list(responseHeaders), "content": .object(content),
            "redirectURL": .string(header("location") ?? ""), "headersSize": -1,
            "bodySize": .number(Double(responseBytes)),
        ]
    }

    private static func list(_ headers: [HTTPHeader]) -> JSONValue {
        .array(headers.map { ["name": .string($0.name), "value": .string($0.value)] })
    }

    private static func list(_ fields: FormFields) -> JSONValue {
        .array(fields.fields.map { ["name": .string($0.name), "value": .string($0.value)] })
    }

    private static func cookies(_ header: String?) -> JSONValue {
        let pairs = (header ?? "").split(separator: ";").map { pair in
            pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map {
                $0.trimmingCharacters(in: .whitespaces)
            }
        }
        return .array(pairs.map { ["name": .string($0[0]), "value": .string($0.count > 1 ? $0[1] : "")] })
    }
}

extension Date {
    /// ISO 8601 with milliseconds, in UTC.
    var archived: String { formatted(Date.ISO8601FormatStyle(includingFractionalSeconds: true)) }
}

extension Duration {
    /// Milliseconds, to a thousandth.
    fileprivate var archived: JSONValue { .number((seconds * 1_000_000).rounded() / 1000) }
}

extension String {
    /// A URL without its query and fragment.
    package var withoutQuery: String { String(prefix { $0 != "?" && $0 != "#" }) }
}
