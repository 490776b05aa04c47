import BankScript
import Crypto
import CurlClient
import Encodings
import Foundation
import HTMLEngine
import Machine
import Markup
import Secrets
import Synchronization
import WebURL

/// A request that the recording cannot answer.
package struct ReplayMismatch: Error, Sendable, CustomStringConvertible {
    /// Names the request, the nearest recorded request, and their differences.
    package let message: String

    package var description: String { message }
}

/// Answers a session's requests from an HTTP Archive, without a network.
///
/// A recorded request answers when it has the same method, address and field names, and submits the same values. A
/// credential matches the field in which the recording has one. When several requests match, the first unused one
/// answers; when all are used, the last one.
public final class ReplayTransport: HTTPTransport {
    private struct State {
        var used: Set<Int> = []
        var latestPage: Int?
        var cookies: [HTTPCookie] = []
        var credentials: [String: String] = [:]
        var hidden: [String] = []
        var mismatches: [String] = []
    }

    private let entries: [HTTPArchive.Entry]
    private let exchanges: [Exchange]
    private let keys: [RecordedRequest]
    private let submitted: [SubmittedValues]
    private let passwordFields: Set<String>
    /// The names that image buttons send, by the address of their form.
    private let points: [String: Set<String>]
    private let state = Mutex(State())

    public init(_ archive: HTTPArchive) {
        entries = archive.entries.filter { $0.exchange.status > 0 }
        exchanges = entries.map(\.exchange)
        keys = exchanges.map(RecordedRequest.init)
        submitted = exchanges.map {
            SubmittedValues(url: $0.url, body: $0.requestBody, contentType: $0.requestHeader("content-type"))
        }
        let forms = exchanges.flatMap(\.forms)
        passwordFields = Set(forms.flatMap(\.fields).filter { $0.type == "password" }.map(\.name))
        points = Dictionary(forms.map { ($0.action?.withoutQuery ?? "", $0.pointNames) }) { $0.union($1) }
    }

    /// The number of recorded exchanges that were used.
    public var used: Int { state.withLock { $0.used.count } }

    /// The index of the latest page that answered, among the recorded exchanges that have an answer; nil before the first.
    package var latestPage: Int? { state.withLock { $0.latestPage } }

    /// The names of the submitted values that the recording hides, so that they could not be compared, each once.
    public var hidden: [String] { state.withLock { $0.hidden } }

    /// The messages about requests that the recording could not answer.
    public var mismatches: [String] { state.withLock { $0.mismatches } }

    public func send(_ request: HTTPRequest) async throws -> HTTPResponse {
        let exchange = exchanges[try answer(to: request)]
        guard let body = exchange.responseBody ?? (exchange.responseBytes == 0 || exchange.isRedirect ? [] : nil) else {
            throw ReplayMismatch(
                message: "the recording has the answer to \(RecordedRequest(exchange)), but not its body; save it with "
                    + "“Save all as HAR with content”")
        }
        return HTTPResponse(
            head: head(of: exchange, for: request), body: exchange.isPage ? body.withoutConstraints : body)
    }

    public func download(_ request: HTTPRequest, to file: URL, limit: Int?) async throws -> HTTPDownload {
        let index = try answer(to: request)
        let exchange = exchanges[index]
        guard exchange.responseBody != nil || !exchange.isPDF || entries[index].omitsBody else {
            throw ReplayMismatch(
                message:
                    "the recording has the answer to \(RecordedRequest(exchange)), but not the PDF itself; save it "
                    + "again with “Save all as HAR with content”")
        }
        let body = Data(exchange.responseBody ?? (exchange.isPDF ? ReplayedDocument.bytes : []))
        if let limit, body.count > limit {
            throw ReplayMismatch(message: "the recorded answer has \(body.count) bytes; the step accepts \(limit)")
        }
        try body.write(to: file, options: .withoutOverwriting)
        let digest = Base16.encode(SHA256.hash(data: body))
        return HTTPDownload(
            head: head(of: exchange, for: request), file: file, bytes: body.count, sha256: digest,
            firstBytes: Array(body.prefix(1024)), lastBytes: Array(body.suffix(1024)))
    }

    public func cookies() async -> [HTTPCookie] { state.withLock { $0.cookies } }

    public func close() async { state.withLock { $0.cookies = [] } }

    private func head(of exchange: Exchange, for request: HTTPRequest) -> HTTPResponseHead {
        HTTPResponseHead(
            status: exchange.status, url: request.url, version: exchange.version, headers: exchange.responseHeaders,
            timings: exchange.timings)
    }

    /// Returns the index of the exchange that answers.
    private func answer(to request: HTTPRequest) throws -> Int {
        do {
            return try match(request)
        } catch let mismatch as ReplayMismatch {
            state.withLock { $0.mismatches.append(mismatch.message) }
            throw mismatch
        }
    }

    private func match(_ request: HTTPRequest) throws -> Int {
        let type = request.headers.last { $0.name.lowercased() == "content-type" }?.value
        let asked = RecordedRequest(method: request.method, url: request.url, body: request.body, contentType: type)
        let values = SubmittedValues(url: request.url, body: request.body, contentType: type)
        let alike = keys.indices.filter { keys[$0].isAlike(asked) }
        guard !alike.isEmpty else { throw mismatch(asked) }
        let host = (try? URLRecord(parsing: request.url))?.host?.description ?? ""
        let points = points[request.url.prefix { $0 != "#" }.description.withoutQuery] ?? []
        return try state.withLock { state in
            let compared = alike.map { index in
                var known = state.credentials
                let result = values.compared(
                    with: submitted[index], passwordFields: passwordFields, points: points, known: &known)
                return (index: index, result: result, known: known)
            }
            let same = compared.filter(\.result.differences.isEmpty)
            guard let last = same.last else {
                let nearest = compared.min { $0.result.differences.count < $1.result.differences.count }
                throw ReplayMismatch(
                    message: "the recording has no such request; in the nearest one "
                        + "\(nearest?.result.differences.joined(separator: "; ") ?? ""). Asked: \(asked)")
            }
            let found = same.first { !state.used.contains($0.index) } ?? last
            state.used.insert(found.index)
            if exchanges[found.index].isPage { state.latestPage = found.index }
            state.credentials = found.known
            for name in found.result.hidden where !state.hidden.contains(name) { state.hidden.append(name) }
            for cookie in exchanges[found.index].cookies(from: host) {
                state.cookies.removeAll { $0.name == cookie.name }
                state.cookies.append(cookie)
            }
            return found.index
        }
    }

    private func mismatch(_ asked: RecordedRequest) -> ReplayMismatch {
        guard let nearest = keys.min(by: { asked.distance(to: $0) < asked.distance(to: $1) }) else {
            return ReplayMismatch(message: "the recording is empty")
        }
        let differences = asked.differences(from: nearest).joined(separator: "; ")
        return ReplayMismatch(
            message: "the recording has no such request; in the nearest one \(differences). "
                + "Asked: \(asked). Nearest: \(nearest)")
    }
}

extension [UInt8] {
    /// A page whose fields accept every text: an invented credential has another length and form than the bank's.
    fileprivate var withoutConstraints: [UInt8] {
        // Every byte is a character of this encoding, so that the rest of the page stays as it is.
        guard let page = String(bytes: self, encoding: .isoLatin1) else { return self }
        let pattern = /(<(?i:input|textarea)\b[^>]*?)\s(?i:maxlength|minlength|pattern)=(?:"[^"]*"|'[^']*'|[^\s>]*)/
        var text = page
        while true {
            let next = text.replacing(pattern) { $0.1 }
            if next == text { break }
            text = next
        }
        return text.data(using: .isoLatin1).map { [UInt8]($0) } ?? self
    }
}

extension Exchange {
    /// The page's forms.
    var forms: [FormOutline] {
        guard isPage, let responseBody,
            let document = try? Document.parse(responseBody, contentType: header("content-type"), url: url)
        else { return [] }
        return PageOutline(document).forms
    }

    package var isRedirect: Bool { [301, 302, 303, 307, 308].contains(status) && header("location") != nil }

    /// True for a PDF, by its bytes or, without a body, by its headers.
    package var isPDF: Bool {
        if let body = responseBody, !body.isEmpty {
            return PDFFrame(first: Array(body.prefix(2048)), last: []).hasHeader
        }
        let name = header("content-disposition")?.lowercased() ?? ""
        return mediaType == "application/pdf" || name.contains(".pdf")
    }

    package var isPage: Bool { mediaType == "text/html" || mediaType == "application/xhtml+xml" }

    /// The names and values of the cookies that the answer set.
    package var setCookies: [(name: String, value: String)] {
        responseHeaders.filter { $0.name.lowercased() == "set-cookie" }
            .flatMap { $0.value.split(separator: "\n") }
            .compactMap { line in
                let pair = line.prefix { $0 != ";" }.split(
                    separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
                guard pair.count == 2 else { return nil }
                return (pair[0].trimmingCharacters(in: .whitespaces), pair[1].trimmingCharacters(in: .whitespaces))
            }
    }

    fileprivate func cookies(from host: String) -> [HTTPCookie] {
        setCookies.map { HTTPCookie(name: $0.name, value: $0.value, domain: host) }
    }
}

extension FormOutline {
    /// The names under which the form's image buttons send the point of the click.
    fileprivate var pointNames: Set<String> { Set(buttons.flatMap(\.pointNames)) }
}

extension HTTPArchive {
    /// The origins that a script would name for this recording, in the order of their first use.
    public var origins: [String] { ScriptOrigins.all(of: exchanges.map(\.url)) }
}
