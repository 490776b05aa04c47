import Automation
import Encodings
import Foundation
import HTTPTypes
import Hummingbird
import NIOCore
import Secrets
import WebServing

/// The answers to the requests of the desk's page. Each address begins with the token.
struct DeskRoutes: Sendable {
    let desk: AuthorDesk
    let token: Secret
    let bound: BoundPort

    static let host = "127.0.0.1"

    private static let policy =
        "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; frame-src 'self'; base-uri 'none'; "
        + "form-action 'none'; frame-ancestors 'none'"
    /// The policy of a recorded page: nothing runs, nothing is loaded, nothing is sent. It keeps the desk's origin, so that the
    /// desk's own script can outline its elements.
    private static let policyOfRecordedPage =
        "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'; frame-ancestors 'self'; "
        + "sandbox allow-same-origin"

    /// The most bytes of a request: a script of which each character is escaped.
    private static let largestBody = 8 * ScriptFolder.largest

    func answer(to request: Request) async -> Response {
        var (response, policy) = await answerAndPolicy(to: request)
        response.protect(by: policy, isStrict: false)
        return response
    }

    private func answerAndPolicy(to request: Request) async -> (Response, policy: String) {
        let authority = "\(Self.host):\(bound.port.withLock { $0 })"
        // Another name for this machine is how DNS rebinding begins.
        guard request.head.authority?.lowercased() == authority else {
            return (.sentence(.misdirectedRequest, "This page is not reached under that name."), Self.policy)
        }
        if let refusal = request.refusalUnless(from: "http://\(authority)") { return (refusal, Self.policy) }
        let parts = request.uri.path.split(separator: "/", omittingEmptySubsequences: false).dropFirst()
        guard let first = parts.first, token.isEqual(toBytes: first.utf8) else {
            return (
                .sentence(.notFound, "There is nothing here. Open the address that the terminal shows."), Self.policy
            )
        }
        let place = parts.dropFirst().map(String.init)
        do throws(DeskRefusal) {
            return try await answer(to: request, at: place)
        } catch {
            let body: JSONValue = ["error_code": .string(error.code.rawValue), "error_message": .string(error.message)]
            return (.json(body, status: error.code.status), Self.policy)
        }
    }

    private func answer(
        to request: Request, at place: [String]
    ) async throws(DeskRefusal) -> (Response, policy: String) {
        switch (request.method, place.first, place.count) {
        case (.get, "", 1): return (.file(PackageResources.desk_html, "text/html"), Self.policy)
        case (.get, "desk.css", 1): return (.file(PackageResources.desk_css, "text/css"), Self.policy)
        case (.get, "desk.js", 1): return (.file(PackageResources.desk_js, "text/javascript"), Self.policy)
        case (.get, "opening", 1): return (.json(try await desk.opening()), Self.policy)
        case (.get, "version", 1): return (.json(try await desk.version()), Self.policy)
        case (.get, "trace", 1):
            guard let trace = await desk.trace() else {
                return (.sentence(.notFound, "A replay makes the trace. Replay the script first."), Self.policy)
            }
            return (.page(trace.html), trace.policy + "; frame-ancestors 'none'")
        case (.get, "page", 2):
            guard let html = Int(place[1]).flatMap(desk.html(ofPage:)) else {
                throw DeskRefusal(.notFound, "the recording does not have this page; load the desk again")
            }
            return (.page(html), Self.policyOfRecordedPage)
        case (.get, "elements", 2):
            guard let number = Int(place[1]) else { throw Self.misunderstood }
            return (.json(try desk.elements(ofPage: number)), Self.policy)
        case (.post, let name?, 1):
            return (.json(try await posted(to: name, await body(of: request))), Self.policy)
        default: return (.sentence(.notFound, "There is nothing here."), Self.policy)
        }
    }

    private func posted(to name: String, _ body: JSONValue) async throws(DeskRefusal) -> JSONValue {
        switch name {
        case "check":
            return desk.check(
                try Self.text("text", of: body), onPage: body["page"]?.intValue, explainingLine: body["line"]?.intValue)
        case "candidates":
            guard let page = body["page"]?.intValue, let element = body["element"]?.intValue else {
                throw Self.misunderstood
            }
            return try desk.candidates(for: element, onPage: page)
        case "replay": return try await desk.replay(try Self.text("text", of: body))
        case "save":
            return try await desk.save(
                try Self.text("text", of: body), replacing: try Self.text("version", of: body))
        default: throw DeskRefusal(.notFound, "the desk cannot do this")
        }
    }

    private func body(of request: Request) async throws(DeskRefusal) -> JSONValue {
        guard request.headers[.contentType]?.hasPrefix("application/json") == true else { throw Self.misunderstood }
        guard let buffer = try? await request.body.collect(upTo: Self.largestBody) else {
            throw DeskRefusal(.tooLarge, "a script has at most \(ScriptFolder.largest >> 20) MiB")
        }
        guard let json = try? JSONReader.read(buffer.readableBytesView, limits: JSONLimits(size: Self.largestBody))
        else {
            throw Self.misunderstood
        }
        return json
    }

    private static func text(_ name: String, of body: JSONValue) throws(DeskRefusal) -> String {
        guard let text = body[name]?.stringValue else { throw misunderstood }
        guard text.utf8.count <= ScriptFolder.largest else {
            throw DeskRefusal(.tooLarge, "a script has at most \(ScriptFolder.largest >> 20) MiB")
        }
        return text
    }

    private static var misunderstood: DeskRefusal {
        DeskRefusal(.badRequest, "the desk does not understand this request; load its page again")
    }
}

extension Response {
    fileprivate static func json(_ value: JSONValue, status: HTTPResponse.Status = .ok) -> Response {
        Response(
            status: status, headers: [.contentType: "application/json"],
            body: .init(byteBuffer: ByteBuffer(bytes: value.compactBytes())))
    }

    fileprivate static func page(_ html: String) -> Response {
        Response(
            status: .ok, headers: [.contentType: "text/html; charset=utf-8"],
            body: .init(byteBuffer: ByteBuffer(string: html)))
    }

    fileprivate static func file(_ bytes: [UInt8], _ type: String) -> Response {
        Response(
            status: .ok, headers: [.contentType: "\(type); charset=utf-8"],
            body: .init(byteBuffer: ByteBuffer(bytes: bytes)))
    }
}

extension DeskRefusal.Code {
    fileprivate var status: HTTPResponse.Status {
        switch self {
        case .badRequest: .badRequest
        case .notFound: .notFound
        case .busy, .changedOnDisk, .notReplayable: .conflict
        case .tooLarge: .contentTooLarge
        case .unreadable, .saveFailed: .internalServerError
        }
    }
}
