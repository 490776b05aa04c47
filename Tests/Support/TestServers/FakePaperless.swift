import Encodings
import Foundation
import Hummingbird
import NIOCore

/// A paperless-ngx on loopback: its lists, its uploads with their tasks, and faults on demand.
///
/// It answers as paperless-ngx 2 or 3 does; another suite checks that with pypaperless.
package actor FakePaperless {
    package static let token = "f4c1a9d2e7b83056f4c1a9d2e7b83056-of-the-fake-paperless"

    package struct Document: Sendable, Hashable {
        package let id: Int
        package let title: String
        package let created: String
        package let correspondent: String?
        package let documentType: String?
        package let tags: [String]
        package let fileName: String
        package let mediaType: String
        package let content: [UInt8]
    }

    package enum Fault: Sendable, Hashable {
        /// Answered with this status before anything is done.
        case status(Int)
        /// The connection ends without an answer, and nothing is done.
        case lost
        /// The upload is taken, and the connection ends without an answer.
        case takenAndLost
        /// A redirect to this address.
        case redirect(String)
    }

    private struct Work {
        let task: String
        var looks: Int
        var outcome: Outcome
    }

    private enum Outcome {
        case filed(Int)
        case duplicate(Int)
        case failed(String)
    }

    /// 2 or 3: the shape of answers about tasks.
    private let version: Int
    package private(set) var documents: [Document] = []
    /// The requests so far, such as `POST /api/documents/post_document/`.
    package private(set) var calls: [String] = []
    /// The values of `Authorization` that came.
    package private(set) var tokens: Set<String> = []
    private var labels: [String: [String]] = ["correspondents": [], "document_types": [], "tags": []]
    private var work: [Work] = []
    private var faults: [Fault] = []
    private var looksUntilDone = 1
    private var refusals: [String] = []

    package init(version: Int = 2) { self.version = version }

    // MARK: For tests

    /// Makes the next uploads fail.
    package func failUploads(_ faults: Fault...) { self.faults += faults }

    /// Makes the next tasks fail with this reason.
    package func failTasks(_ reasons: String...) { refusals += reasons }

    /// Makes tasks run for so many looks.
    package func keepTasksRunning(for looks: Int) { looksUntilDone = looks }

    /// Makes tasks end at their next look.
    package func finishTasks() { looksUntilDone = 0 }

    /// Forgets every task, as after a restart with an empty queue.
    package func forgetTasks() { work = [] }

    package var uploads: Int { calls.count { $0 == "POST /api/documents/post_document/" } }

    // MARK: Answers

    package struct Answer: Sendable {
        package let status: Int
        package var body: [UInt8] = []
        package var location: String?

        static func json(_ value: JSONValue, status: Int = 200) -> Answer {
            Answer(status: status, body: value.compactBytes())
        }
    }

    /// - Returns: nil when the connection must end without an answer.
    package func answer(
        _ method: String, _ path: String, query: [String: String], authorization: String, accept: String = "",
        type: String, body: [UInt8]
    ) -> Answer? {
        // A version of the API that it does not have is refused: version 3 has 9 and 10.
        if let asked = accept.firstMatch(of: /version=([0-9]+)/).flatMap({ Int($0.1) }),
            !(version == 2 ? 1...9 : 9...10).contains(asked)
        {
            return .json(["detail": "Invalid version in \"Accept\" header."], status: 406)
        }
        calls.append("\(method) \(path)")
        tokens.insert(authorization)
        guard authorization == "Token \(Self.token)" else {
            return .json(["detail": "Invalid token."], status: 401)
        }
        let parts = path.split(separator: "/").map(String.init)
        switch (method, parts.dropFirst().first, parts.count) {
        case ("GET", nil, 1): return index
        case ("POST", "documents", 3) where parts[2] == "post_document": return take(type, body)
        case ("GET", "documents", 3...): return document(parts)
        case ("GET", "documents", 2): return page(documents.map(json))
        case ("GET", "tasks", 2): return tasks(query["task_id"])
        case ("GET", let list?, 2) where labels[list] != nil: return entries(of: list, named: query["name__iexact"])
        case ("GET", let list?, 3) where labels[list] != nil: return entry(of: list, parts[2])
        case ("POST", let list?, 2) where labels[list] != nil: return make(list, body)
        default: return .json(["detail": "Not found."], status: 404)
        }
    }

    private var index: Answer {
        let names = ["correspondents", "document_types", "tags", "documents", "tasks"]
        return .json(
            .object(Dictionary(uniqueKeysWithValues: names.map { ($0, JSONValue.string("/api/\($0)/")) })))
    }

    private func page(_ items: [JSONValue]) -> Answer {
        .json([
            "count": .number(Double(items.count)), "next": nil, "previous": nil,
            "all": .array(items.compactMap { $0["id"] }), "results": .array(items),
        ])
    }

    // MARK: Lists of names

    private func json(_ name: String, _ id: Int, in list: String) -> JSONValue {
        var members: [String: JSONValue] = [
            "id": .number(Double(id)), "slug": .string(name.lowercased().replacing(" ", with: "-")),
            "name": .string(name), "match": "", "matching_algorithm": 0, "is_insensitive": true,
            "document_count": 0, "owner": 1, "user_can_change": true,
        ]
        if list == "tags" {
            members.merge(["color": "#a6cee3", "text_color": "#000000", "is_inbox_tag": false]) { $1 }
        }
        return .object(members)
    }

    private func entries(of list: String, named name: String?) -> Answer {
        let all = labels[list] ?? []
        return page(
            all.enumerated().filter { name == nil || $0.element.lowercased() == name?.lowercased() }
                .map { json($0.element, $0.offset + 1, in: list) })
    }

    private func entry(of list: String, _ id: String) -> Answer {
        guard let number = Int(id), let names = labels[list], names.indices.contains(number - 1) else {
            return .json(["detail": "Not found."], status: 404)
        }
        return .json(json(names[number - 1], number, in: list))
    }

    private func make(_ list: String, _ body: [UInt8]) -> Answer {
        guard let name = (try? JSONReader.read(body))?["name"]?.stringValue, !name.isEmpty, name.count <= 128 else {
            return .json(["name": ["This field is required."]], status: 400)
        }
        guard labels[list]?.contains(where: { $0.lowercased() == name.lowercased() }) == false else {
            return .json(["error": "Object violates owner / name unique constraint"], status: 400)
        }
        labels[list, default: []].append(name)
        return .json(json(name, labels[list]?.count ?? 0, in: list), status: 201)
    }

    private func name(_ id: String?, in list: String) -> String? {
        guard let number = id.flatMap({ Int($0) }), let names = labels[list], names.indices.contains(number - 1) else {
            return nil
        }
        return names[number - 1]
    }

    // MARK: Uploads

    private func take(_ type: String, _ body: [UInt8]) -> Answer? {
        var fault: Fault?
        if !faults.isEmpty { fault = faults.removeFirst() }
        switch fault {
        case .status(let status): return .json(["detail": "a fault of the test"], status: status)
        case .lost: return nil
        case .redirect(let url): return Answer(status: 302, location: url)
        case .takenAndLost, nil: break
        }
        guard let form = FormParts(type, body), let file = form.parts.first(where: { $0.name == "document" }),
            let fileName = file.fileName
        else { return .json(["document": ["No file was submitted."]], status: 400) }
        func value(_ name: String) -> String? {
            form.parts.first { $0.name == name }.map { String(decoding: $0.content, as: UTF8.self) }
        }
        guard !file.content.isEmpty else { return .json(["document": ["The submitted file is empty."]], status: 400) }
        let task = UUID().uuidString.lowercased()
        let outcome: Outcome
        if let known = documents.first(where: { $0.content == file.content }) {
            outcome = .duplicate(known.id)
        } else if !refusals.isEmpty {
            outcome = .failed(refusals.removeFirst())
        } else {
            let tags = form.parts.filter { $0.name == "tags" }.map { String(decoding: $0.content, as: UTF8.self) }
            documents.append(
                Document(
                    id: documents.count + 1, title: value("title") ?? fileName, created: value("created") ?? "",
                    correspondent: name(value("correspondent"), in: "correspondents"),
                    documentType: name(value("document_type"), in: "document_types"),
                    tags: tags.compactMap { name($0, in: "tags") }, fileName: fileName,
                    mediaType: file.mediaType ?? "", content: file.content))
            outcome = .filed(documents.count)
        }
        work.append(Work(task: task, looks: 0, outcome: outcome))
        return fault == .takenAndLost ? nil : .json(.string(task))
    }

    private func tasks(_ id: String?) -> Answer {
        var items: [JSONValue] = []
        for index in work.indices where id == nil || work[index].task == id {
            work[index].looks += 1
            items.append(json(work[index], number: index + 1))
        }
        return version == 2 ? .json(.array(items)) : page(items)
    }

    private func json(_ work: Work, number: Int) -> JSONValue {
        var status = "SUCCESS"
        var result: String?
        var document: Int?
        switch work.outcome {
        case _ where work.looks < looksUntilDone: status = "STARTED"
        case .filed(let id):
            document = id
            result = "Success. New document id \(id) created"
        case .duplicate(let id):
            status = "FAILURE"
            result = "Not consuming a.pdf: It is a duplicate of a document (#\(id))."
        case .failed(let reason):
            status = "FAILURE"
            result = reason
        }
        guard version == 2 else { return json3(work, number: number, status.lowercased()) }
        return [
            "id": .number(Double(number)), "task_id": .string(work.task), "task_file_name": "a.pdf",
            "date_created": "2026-01-31T09:00:00Z", "date_done": nil, "type": "file", "status": .string(status),
            "result": result.map { .string($0) } ?? .null, "acknowledged": false,
            "related_document": document.map { .string("\($0)") } ?? .null,
        ]
    }

    /// A task as version 10 of the API has it, of paperless-ngx 3. It rejects a duplicate only where its owner wants that.
    private func json3(_ work: Work, number: Int, _ status: String) -> JSONValue {
        var result: [String: JSONValue] = [:]
        var documents: [JSONValue] = []
        switch work.outcome {
        case _ where status == "started": break
        case .filed(let id):
            documents = [.number(Double(id))]
            result = ["document_id": .number(Double(id))]
        case .duplicate(let id):
            documents = [.number(Double(id))]
            result = ["duplicate_of": .number(Double(id)), "duplicate_in_trash": false]
        case .failed(let reason): result = ["error_type": "ConsumerError", "error_message": .string(reason)]
        }
        return [
            "id": .number(Double(number)), "task_id": .string(work.task), "task_type": "consume_file",
            "task_type_display": "Consume File", "trigger_source": "api_upload", "status": .string(status),
            "status_display": .string(status.capitalized), "date_created": "2026-01-31T09:00:00Z", "date_done": nil,
            "input_data": ["filename": "a.pdf"], "result_data": .object(result),
            "related_document_ids": .array(documents), "acknowledged": false, "owner": 1,
        ]
    }

    // MARK: Documents

    private func document(_ parts: [String]) -> Answer {
        guard let number = Int(parts[2]), documents.indices.contains(number - 1) else {
            return .json(["detail": "Not found."], status: 404)
        }
        let document = documents[number - 1]
        return parts.count > 3 && parts[3] == "download"
            ? Answer(status: 200, body: document.content) : .json(json(document))
    }

    private func json(_ document: Document) -> JSONValue {
        func id(_ name: String?, in list: String) -> JSONValue {
            name.flatMap { labels[list]?.firstIndex(of: $0) }.map { .number(Double($0 + 1)) } ?? .null
        }
        return [
            "id": .number(Double(document.id)), "title": .string(document.title),
            "correspondent": id(document.correspondent, in: "correspondents"),
            "document_type": id(document.documentType, in: "document_types"), "storage_path": nil, "content": "",
            "tags": .array(document.tags.map { id($0, in: "tags") }),
            "created": .string("\(document.created.prefix(10))T00:00:00Z"),
            "created_date": .string(String(document.created.prefix(10))), "modified": "2026-01-31T09:00:00Z",
            "added": "2026-01-31T09:00:00Z", "archive_serial_number": nil,
            "original_file_name": .string(document.fileName), "archived_file_name": nil, "owner": 1,
            "user_can_change": true, "is_shared_by_requester": false, "notes": [], "custom_fields": [],
        ]
    }
}
