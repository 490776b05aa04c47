import Authoring
import CurlClient
import Foundation
import HTMLEngine

/// Exchanges of an imagined visit, in order.
package struct ImaginedVisit {
    package private(set) var exchanges: [Exchange] = []
    package var origin = "https://www.bank.example"

    package init() {}

    package mutating func get(_ path: String, _ html: String, from: String? = nil, destination: String? = nil) {
        add("GET", path, nil, "text/html; charset=utf-8", Array(html.utf8), from)
        guard let destination else { return }
        exchanges[exchanges.count - 1].requestHeaders.append(HTTPHeader("Sec-Fetch-Dest", destination))
    }

    package mutating func post(_ path: String, _ form: String, _ html: String) {
        add("POST", path, form, "text/html; charset=utf-8", Array(html.utf8), nil)
    }

    package mutating func pdf(
        _ path: String, post form: String? = nil, from: String? = nil, headers: [(String, String)] = []
    ) {
        add(form == nil ? "GET" : "POST", path, form, "application/pdf", nil, from)
        exchanges[exchanges.count - 1].requestHeaders += headers.map { HTTPHeader($0.0, $0.1) }
    }

    package mutating func json(_ path: String, _ sent: String, answer: String, headers: [(String, String)] = []) {
        add("POST", path, sent, "application/json", Array(answer.utf8), nil)
        exchanges[exchanges.count - 1].requestHeaders += headers.map { HTTPHeader($0.0, $0.1) }
    }

    /// Adds a header to the latest answer.
    package mutating func answerHeader(_ name: String, _ value: String) {
        exchanges[exchanges.count - 1].responseHeaders.append(HTTPHeader(name, value))
    }

    /// A document that a page's script fetched, in any type.
    package mutating func fetched(
        _ path: String, sent: String? = nil, type: String, _ body: String, headers: [(String, String)] = []
    ) {
        add(sent == nil ? "GET" : "POST", path, sent, type, Array(body.utf8), nil)
        exchanges[exchanges.count - 1].requestHeaders +=
            headers.map { HTTPHeader($0.0, $0.1) } + [HTTPHeader("Sec-Fetch-Dest", "empty")]
    }

    package mutating func json(get path: String, answer: String, headers: [(String, String)] = []) {
        add("GET", path, nil, "application/json", Array(answer.utf8), nil)
        exchanges[exchanges.count - 1].requestHeaders += headers.map { HTTPHeader($0.0, $0.1) }
    }

    private mutating func add(
        _ method: String, _ path: String, _ form: String?, _ type: String, _ body: [UInt8]?, _ from: String?
    ) {
        var headers: [HTTPHeader] = []
        let sent = form?.hasPrefix("{") == true ? "application/json" : "application/x-www-form-urlencoded"
        if form != nil { headers.append(HTTPHeader("Content-Type", sent)) }
        if let from { headers.append(HTTPHeader("Referer", origin + from)) }
        exchanges.append(
            Exchange(
                startedAt: Date(timeIntervalSince1970: 1_700_000_000 + Double(exchanges.count)), method: method,
                url: path.hasPrefix("http") ? path : origin + path, requestHeaders: headers,
                requestBody: form.map { Array($0.utf8) }, status: 200, version: "1.1",
                responseHeaders: [HTTPHeader("Content-Type", type)], responseBody: body,
                responseBytes: body?.count ?? 9000,
                timings: HTTPTimings(connected: .zero, firstByte: .zero, total: .milliseconds(1))))
    }

    package var archive: HTTPArchive { HTTPArchive(exchanges) }
}
