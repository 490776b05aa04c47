import CurlClient
import Foundation
import Synchronization
import WebURL

/// A place that a credential or a one-time code is sent to. Two recordings of one bank have the same places.
struct CredentialFlow: Sendable, Hashable, CustomStringConvertible {
    /// `username`, `password`, `code` and so on.
    let credential: String
    /// The field's name in the form's data.
    let field: String
    let place: Destination

    var description: String { "the \(credential) in the field “\(field)” of \(place)" }
}

/// The address of a form or a link without what changes from visit to visit.
struct Destination: Sendable, Hashable, CustomStringConvertible {
    /// The place of the origin in the script's list: recordings of a mock bank have other ports. Nil for another origin.
    let originIndex: Int?
    let origin: String
    let method: String
    /// The path's segments; a token among them is a dot.
    let path: [String]
    /// The names of the query's fields, sorted.
    let query: [String]

    init(method: String, url: String, origins: [String]) {
        let request = RecordedRequest(method: method, url: url, body: nil, contentType: nil)
        self.method = request.method
        origin = request.origin
        path = request.path
        query = Set(request.query.map(\.name)).sorted()
        let named = origins.map { ((try? Origin(parsing: $0))?.description ?? $0).lowercased() }
        originIndex = named.firstIndex(of: (try? Origin(parsing: request.origin))?.description ?? request.origin)
    }

    static func == (left: Destination, right: Destination) -> Bool {
        guard left.method == right.method, left.path == right.path else { return false }
        if left.originIndex != nil || right.originIndex != nil { return left.originIndex == right.originIndex }
        return left.origin == right.origin
    }

    func hash(into hasher: inout Hasher) {
        hasher.combine(method)
        hasher.combine(path)
    }

    var description: String { "\(method) \(origin)/\(path.joined(separator: "/"))" }
}

/// A replay's transport that notes where each invented credential would go, before the recording answers.
final class FlowTransport: HTTPTransport {
    private let recording: ReplayTransport
    private let origins: [String]
    private let found = Mutex<Set<CredentialFlow>>([])

    init(_ recording: ReplayTransport, origins: [String]) {
        self.recording = recording
        self.origins = origins
    }

    var flows: Set<CredentialFlow> { found.withLock { $0 } }

    func send(_ request: HTTPRequest) async throws -> HTTPResponse {
        note(request)
        return try await recording.send(request)
    }

    func download(_ request: HTTPRequest, to file: URL, limit: Int?) async throws -> HTTPDownload {
        note(request)
        return try await recording.download(request, to: file, limit: limit)
    }

    func cookies() async -> [HTTPCookie] { await recording.cookies() }

    func close() async { await recording.close() }

    private func note(_ request: HTTPRequest) {
        let type = request.headers.last { $0.name.lowercased() == "content-type" }?.value
        let place = Destination(method: request.method, url: request.url, origins: origins)
        for value in SubmittedValues(url: request.url, body: request.body, contentType: type).values {
            guard let credential = ReplayAnswers.name(of: value.text) else { continue }
            let flow = CredentialFlow(credential: credential, field: value.name, place: place)
            found.withLock { _ = $0.insert(flow) }
        }
    }
}
