import Clocks
import CurlClient
import Encodings
import Foundation

/// A client of paperless-ngx's API, of its versions 2 and 3.
///
///     let client = PaperlessClient(PaperlessServer(url: "https://paperless.home", token: token))
///     let task = try await client.upload(document)
///     let state = try await client.state(ofTask: task)
///
/// The token goes to the server's own origin only: redirects are not followed.
package actor PaperlessClient {
    /// A task of paperless-ngx: the work on one upload.
    package enum TaskState: Sendable, Hashable {
        case running
        /// The document is filed, under this number if paperless-ngx tells it.
        case filed(Int?)
        /// paperless-ngx had the same file before, under this number if it tells it.
        case duplicate(Int?)
        case failed(String)
    }

    /// The lists of names that documents are sorted by.
    private enum Label: String {
        case correspondents, tags
        case documentTypes = "document_types"
    }

    private let server: PaperlessServer
    private let session: CurlSession
    private var labels: [String: Int] = [:]

    package init(_ server: PaperlessServer) {
        self.server = server
        session = CurlSession(.calls(trusting: server.extraCAFile, within: .seconds(120), answersUpTo: 1 << 20))
    }

    package func close() async { await session.close() }

    // MARK: Documents

    /// Uploads a document with its title, date, correspondent, type and tags. Names that paperless-ngx does not know are made.
    ///
    /// - Returns: the task that works on it.
    /// - Throws: ``PaperlessError``.
    package func upload(_ document: PaperlessUpload) async throws(PaperlessError) -> String {
        let correspondent = try await id(of: document.correspondent, in: .correspondents)
        let type = try await id(of: document.documentType, in: .documentTypes)
        var form = MultipartForm()
        form.add("title", document.title)
        form.add("created", document.created.description)
        form.add("correspondent", "\(correspondent)")
        form.add("document_type", "\(type)")
        for tag in document.tags { form.add("tags", "\(try await id(of: tag, in: .tags))") }
        form.add("document", fileName: document.fileName, mediaType: document.mediaType, document.bytes)
        form.end()
        let answer: JSONValue
        do throws(PaperlessError) {
            answer = try await call(
                "POST", "documents/post_document/", body: form.bytes, type: form.contentType, "the document")
        } catch {
            // A label that was deleted meanwhile is looked up again by the next attempt.
            labels = [:]
            throw error
        }
        guard let task = answer.stringValue, task.wholeMatch(of: /[0-9A-Za-z-]{1,64}/) != nil else {
            throw PaperlessError(.passing, "paperless-ngx answered the upload without a task")
        }
        return task
    }

    /// Returns the state of a task; nil when paperless-ngx does not know it.
    ///
    /// - Throws: ``PaperlessError``.
    package func state(ofTask task: String) async throws(PaperlessError) -> TaskState? {
        let answer = try await call("GET", "tasks/?task_id=\(task)", "the task")
        // Version 2 answers with an array, version 3 with a page of tasks in another form.
        guard let tasks = answer.arrayValue ?? answer["results"]?.arrayValue else {
            throw PaperlessError(.passing, "paperless-ngx answered the question for a task with something else")
        }
        guard let found = tasks.first(where: { $0["task_id"]?.stringValue == task }) else { return nil }
        let document =
            found["related_document"].flatMap(Self.number)
            ?? found["related_document_ids"]?.arrayValue?.first.flatMap(Self.number)
        switch found["status"]?.stringValue?.uppercased() {
        case "SUCCESS": return .filed(document)
        case "FAILURE", "REVOKED":
            let details = found["result_data"]
            if let earlier = details?["duplicate_of"], earlier != .null { return .duplicate(Self.number(earlier)) }
            let reason =
                found["result"]?.stringValue ?? details?["error_message"]?.stringValue
                ?? details?["reason"]?.stringValue ?? ""
            // “Not consuming a.pdf: It is a duplicate of b (#12).”, or of version 9 of the API “… of document #12”
            if reason.lowercased().contains("is a duplicate") {
                let number = reason.firstMatch(of: /\(#([0-9]+)\)/) ?? reason.firstMatch(of: /document #([0-9]+)$/)
                return .duplicate(document ?? number.flatMap { Int($0.1) })
            }
            return .failed("paperless-ngx: \(reason.isEmpty ? "the task failed" : String(reason.prefix(300)))")
        default: return .running
        }
    }

    /// Reads a number, which version 2 writes as text.
    private static func number(_ value: JSONValue) -> Int? { value.intValue ?? value.stringValue.flatMap { Int($0) } }

    // MARK: Labels

    private func id(of name: String, in label: Label) async throws(PaperlessError) -> Int {
        let key = "\(label.rawValue)/\(name)"
        if let known = labels[key] { return known }
        var id = try await find(name, in: label)
        if id == nil {
            let body: JSONValue = ["name": .string(name), "matching_algorithm": 0]
            do throws(PaperlessError) {
                let made = try await call(
                    "POST", "\(label.rawValue)/", body: body.compactBytes(), type: "application/json", "“\(name)”")
                id = made["id"]?.intValue
            } catch {
                // Another program may have made it meanwhile.
                id = try await find(name, in: label)
                if id == nil { throw PaperlessError(.passing, error.description) }
            }
        }
        guard let id else { throw PaperlessError(.passing, "paperless-ngx made “\(name)” without an id") }
        labels[key] = id
        return id
    }

    private func find(_ name: String, in label: Label) async throws(PaperlessError) -> Int? {
        let allowed = CharacterSet(charactersIn: "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~")
        let query = name.addingPercentEncoding(withAllowedCharacters: allowed) ?? ""
        let answer = try await call("GET", "\(label.rawValue)/?name__iexact=\(query)", "“\(name)”")
        return answer["results"]?.arrayValue?.first { item in
            item["name"]?.stringValue?.lowercased() == name.lowercased()
        }?["id"]?.intValue
    }

    // MARK: Exchanges

    /// - Parameter what: the thing that was asked for, in messages.
    private func call(
        _ method: String, _ path: String, body: [UInt8]? = nil, type: String? = nil, _ what: String
    ) async throws(PaperlessError) -> JSONValue {
        var headers = [
            // Without a version of the API: no version is known to paperless-ngx 2 and 3 alike.
            HTTPHeader("Accept", "application/json"),
            HTTPHeader("Authorization", "Token \(server.token.revealed())"),
        ]
        if let type { headers.append(HTTPHeader("Content-Type", type)) }
        let answer: HTTPResponse
        do {
            answer = try await session.send(
                HTTPRequest(method, "\(server.url)/api/\(path)", headers: headers, body: body))
        } catch {
            throw PaperlessError(.passing, "paperless-ngx was not reached: \(error)")
        }
        let said = String(decoding: answer.body.prefix(300), as: UTF8.self)
        switch answer.status {
        case 200..<300: break
        case 300..<400:
            throw PaperlessError(
                .passing,
                "paperless-ngx answered \(answer.status), a redirect, which is not followed; set PAPERLESS_URL to the "
                    + "address that it leads to")
        case 401, 403:
            throw PaperlessError(
                .passing,
                "paperless-ngx refused the token for \(what) (\(answer.status)); check PAPERLESS_TOKEN_FILE, and the "
                    + "permissions of its user")
        case 404:
            throw PaperlessError(.passing, "PAPERLESS_URL does not lead to paperless-ngx (404)")
        case 400, 413, 415, 422:
            throw PaperlessError(.refused, "paperless-ngx refused \(what) (\(answer.status)): \(said)")
        default: throw PaperlessError(.passing, "paperless-ngx answered \(answer.status) for \(what)")
        }
        guard let json = try? JSONReader.read(answer.body, limits: JSONLimits(size: 1 << 20)) else {
            throw PaperlessError(
                .passing, "PAPERLESS_URL does not lead to paperless-ngx: the answer for \(what) is not JSON")
        }
        return json
    }
}
