import Authoring
import BankScript
import CurlClient
import Encodings
import Foundation
import HTMLEngine
import Secrets
import TestCases
import TestSupport
import Testing

@testable import AuthorDesk

/// A desk on a folder of a test's, and a client that sends what a browser would send.
private struct Stage {
    let folder: TemporaryFolder
    let server: DeskServer
    let session = CurlSession()
    var file: URL { folder.appending("mine.yaml") }
    /// The page's address, with the token and a slash at the end.
    var base: String { server.address.revealed() }
    var origin: String { String(base.split(separator: "/", maxSplits: 3).prefix(2).joined(separator: "//")) }

    static func with(
        _ text: String = MadeRecording.script("- follow: Next\n- download: PDF"),
        pages: [String] = [MadeRecording.list], _ body: (Stage) async throws -> Void
    ) async throws {
        try await with(text, MadeRecording.of(pages), body)
    }

    static func with(
        _ text: String, _ archive: HTTPArchive, parameters: [String: ParameterValue] = ["month": 1, "year": 2026],
        _ body: (Stage) async throws -> Void
    ) async throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let file = folder.appending("mine.yaml")
        try Data(text.utf8).write(to: file)
        let desk = AuthorDesk(
            ScriptOnDisk(path: file.path), recording: archive, plugged: .standard, parameters: { _ in parameters })
        let server = try await DeskServer.start(desk)
        let outcome: Result<Void, any Error>
        do {
            outcome = .success(try await body(Stage(folder: folder, server: server)))
        } catch { outcome = .failure(error) }
        await server.stop()
        try outcome.get()
    }

    func send(
        _ method: String, _ path: String, _ body: JSONValue? = nil, at base: String? = nil,
        headers: [String: String] = [:]
    ) async throws -> HTTPResponse {
        var all = ["Origin": origin, "Content-Type": "application/json"]
        all.merge(headers) { $1 }
        return try await session.send(
            HTTPRequest(
                method, (base ?? self.base) + path,
                headers: all.filter { !$0.value.isEmpty }.map { HTTPHeader($0.key, $0.value) },
                body: body.map { $0.compactBytes() }))
    }

    func ask(_ path: String, _ body: JSONValue? = nil) async throws -> (status: Int, json: JSONValue) {
        let response = try await send(body == nil ? "GET" : "POST", path, body)
        let json = try? JSONReader.read(response.body, limits: JSONLimits(size: 32 << 20))
        return (response.status, json ?? .null)
    }
}

@Suite("The routes of the author's desk", .timeLimit(.minutes(5)))
struct DeskRoutesTests {
    @Test("gives its page and files, which load nothing from elsewhere and have no style or script inside")
    func files() async throws {
        try await Stage.with { stage in
            for (path, type) in [("", "text/html"), ("desk.css", "text/css"), ("desk.js", "text/javascript")] {
                let response = try await stage.send("GET", path)
                #expect(response.status == 200 && response.header("content-type") == "\(type); charset=utf-8")
                let policy = response.header("content-security-policy") ?? ""
                #expect(policy.hasPrefix("default-src 'none'; script-src 'self'; style-src 'self'"))
                #expect(!policy.contains("unsafe") && !policy.contains("http"))
                #expect(response.header("cache-control") == "no-store")
                let text = String(decoding: response.body, as: UTF8.self)
                #expect(!text.contains("https://") && !text.contains("style=") && !text.contains("<style"))
            }
        }
    }

    @Test("its script asks a recorded page's document and elements for no member that the page's names could hide")
    func members() async throws {
        try await Stage.with { stage in
            let script = String(decoding: try await stage.send("GET", "desk.js").body, as: UTF8.self)
            let start = try #require(script.range(of: "// The recorded page."))
            let end = try #require(script.range(of: "const show = "))
            let part = script[start.lowerBound..<end.lowerBound]
            let asked = part.matches(of: /(?:contentDocument|inner|element|root|met)\??\.[a-zA-Z]+/).map(\.output)
            #expect(asked.isEmpty, "\(asked)")
            let rest = script[..<start.lowerBound] + script[end.lowerBound...]
            #expect(part.contains("contentDocument") && !rest.contains("contentDocument"))
        }
    }

    @Test(
        "refuses another name of this machine",
        arguments: ["localhost", "bank.example", "127.0.0.1", "127.0.0.1:1", "[::1]"])
    func host(name: String) async throws {
        try await Stage.with { stage in
            let response = try await stage.send("GET", "opening", headers: ["Host": name])
            #expect(response.status == 421)
        }
    }

    @Test("has nothing without its token", arguments: ["", "/", "/opening", "/x/opening", "/%2e%2e/opening"])
    func token(path: String) async throws {
        try await Stage.with { stage in
            let response = try await stage.send("GET", path, at: stage.origin)
            #expect(response.status == 404)
            #expect(!String(decoding: response.body, as: UTF8.self).contains("bank: mine"))
            let wrong = stage.base.dropLast(2) + "_/"
            #expect(try await stage.send("GET", "opening", at: String(wrong)).status == 404)
            #expect(
                try await stage.send("POST", "save", ["text": "x", "version": "y"], at: String(wrong)).status == 404)
        }
    }

    @Test(
        "refuses other methods, and posts that do not come from its page",
        arguments: [
            ("PUT", "save", [:], 404), ("DELETE", "", [:], 404), ("POST", "opening", [:], 404),
            ("GET", "save", [:], 404), ("OPTIONS", "check", [:], 404),
            ("POST", "check", ["Origin": ""], 403), ("POST", "check", ["Origin": "https://bank.example"], 403),
            ("POST", "check", ["Origin": "null"], 403), ("POST", "check", ["Sec-Fetch-Site": "cross-site"], 403),
            ("POST", "check", ["Content-Type": "text/plain"], 400),
        ] as [(String, String, [String: String], Int)])
    func methods(method: String, path: String, headers: [String: String], status: Int) async throws {
        try await Stage.with { stage in
            let before = try Data(contentsOf: stage.file)
            let response = try await stage.send(method, path, ["text": "x", "version": "y"], headers: headers)
            #expect(response.status == status)
            #expect(try Data(contentsOf: stage.file) == before)
        }
    }

    @Test(
        "says what is wrong with a request",
        arguments: [
            ("check", [:], 400, "bad_request"), ("check", ["text": 1], 400, "bad_request"),
            ("check", [], 400, "bad_request"),
            ("save", ["text": "x"], 400, "bad_request"), ("candidates", ["page": 0], 400, "bad_request"),
            ("candidates", ["page": 7, "element": 0], 404, "not_found"),
            ("candidates", ["page": 0, "element": 100_000], 404, "not_found"),
            ("candidates", ["page": -1, "element": -1], 404, "not_found"),
            ("replay", ["text": "steps: ["], 409, "not_replayable"), ("accept", [:], 404, "not_found"),
        ] as [(String, JSONValue, Int, String)])
    func wrong(path: String, body: JSONValue, status: Int, code: String) async throws {
        try await Stage.with { stage in
            let answer = try await stage.ask(path, body)
            #expect(answer.status == status && answer.json["error_code"]?.stringValue == code, "\(answer)")
            #expect(answer.json["error_message"]?.stringValue?.isEmpty == false)
        }
    }

    @Test("refuses a script that is larger than a script may be")
    func large() async throws {
        try await Stage.with { stage in
            let text = String(repeating: "a", count: (1 << 20) + 1)
            let answer = try await stage.ask("check", ["text": .string(text)])
            #expect(answer.status == 413 && answer.json["error_code"] == "too_large")
        }
    }

    @Test("gives a hostile text back as data")
    func hostileText() async throws {
        let text = "</textarea><script>alert(1)</script>\u{202E}\n"
        try await Stage.with(text) { stage in
            let opening = try await stage.ask("opening")
            #expect(opening.json["text"]?.stringValue == text)
            let checked = try await stage.ask("check", ["text": .string(text), "page": 0])
            #expect(checked.status == 200 && checked.json["is_script"] == false)
            let page = try await stage.send("GET", "")
            #expect(!String(decoding: page.body, as: UTF8.self).contains("alert(1)"))
        }
    }

    @Test("shows a hostile page without its scripts, addresses and values")
    func hostilePage() async throws {
        let html = """
            <!doctype html><base href="https://evil.example/"><meta http-equiv="refresh" content="0;url=https://evil.example">
            <title></title><script>alert(1)</script><body onload="alert(1)">
            <p data-countersign-number="3" onclick="alert(1)">Text</p><a href="javascript:alert(1)">Link</a>
            <img src="https://evil.example/i.png" onerror="alert(1)"><iframe src="https://evil.example"></iframe>
            <style>@import "https://evil.example/s.css"; p { background: url(https://evil.example/p.png) }</style>
            <form action="https://evil.example"><input name="x" value="account 12345678"><button>Send</button></form>
            <svg><script>alert(1)</script></svg><object data="https://evil.example"></object>
            """
        try await Stage.with(pages: [html]) { stage in
            let response = try await stage.send("GET", "page/0")
            let text = String(decoding: response.body, as: UTF8.self)
            for part in [
                "<script", "onload", "onclick", "onerror", "src=", "@import", "url(", "<iframe", "12345678", "<base",
            ] {
                #expect(!text.contains(part), "\(part) in \(text)")
            }
            #expect(!text.contains(" href=") && !text.contains(" action="))
            let policy = response.header("content-security-policy") ?? ""
            #expect(policy.hasPrefix("default-src 'none'; style-src 'unsafe-inline';"))
            #expect(policy.hasSuffix("sandbox allow-same-origin"))
            // The page's own number is dropped: each number stands once.
            let numbers = text.matches(of: /data-countersign-number="(\d+)"/).map { String($0.1) }
            #expect(Set(numbers).count == numbers.count && !numbers.isEmpty)
            #expect(try await stage.send("GET", "page/1").status == 404)
            #expect(try await stage.send("GET", "page/x").status == 404)
        }
    }

    @Test("checks a text against a page of 10,000 elements, and lists what it has")
    func manyElements() async throws {
        let rows = (0..<2500).map { "<tr><td>Row \($0)</td><td><a href=\"/\($0)\">PDF</a></td></tr>" }.joined()
        try await Stage.with(pages: ["<!doctype html><title>Long</title><table>\(rows)</table>"]) { stage in
            let opening = try await stage.ask("opening")
            #expect(opening.json["pages"]?.arrayValue?.first?["elements"]?.intValue ?? 0 >= 10_000)
            let text = MadeRecording.script("- expect: { shows: { row: Row 2499 } }\n- download: PDF")
            let checked = try await stage.ask("check", ["text": .string(text), "page": 0, "line": 5])
            let marks = checked.json["marks"]?.arrayValue ?? []
            #expect(marks.map { $0["found"]?.intValue } == [1, 2500])
            #expect(marks.last?["elements"]?.arrayValue?.count == 500)
            #expect(checked.json["explained"]?.arrayValue?.isEmpty == false)
            #expect(try await stage.ask("elements/0").json["elements"]?.arrayValue?.isEmpty == false)
            let last = try #require(marks.first?["elements"]?.arrayValue?.first)
            let candidates = try await stage.ask("candidates", ["page": 0, "element": last])
            #expect(candidates.json["candidates"]?.arrayValue?.isEmpty == false)
            #expect(try await stage.send("GET", "page/0").status == 200)
        }
    }

    @Test("saves what the page asks to save, and nothing when the file has changed, or is gone")
    func saving() async throws {
        try await Stage.with { stage in
            let opening = try await stage.ask("opening")
            let version = try #require(opening.json["version"])
            let mine = MadeRecording.script("- follow: Next\n- follow: Next\n- download: PDF")
            for path in ["check", "replay"] { _ = try await stage.ask(path, ["text": .string(mine), "page": 0]) }
            #expect(try await stage.ask("version").json["version"] == version, "only save writes")
            let saved = try await stage.ask("save", ["text": .string(mine), "version": version])
            #expect(saved.status == 200)
            #expect(try Data(contentsOf: stage.file) == Data(mine.utf8))
            try Data("theirs".utf8).write(to: stage.file)
            let second = try await stage.ask("save", ["text": "x", "version": saved.json["version"] ?? .null])
            #expect(second.status == 409 && second.json["error_code"] == "changed_on_disk")
            #expect(try Data(contentsOf: stage.file) == Data("theirs".utf8))
            try FileManager.default.removeItem(at: stage.file)
            #expect(try await stage.ask("version").json["version"] == "missing")
            let third = try await stage.ask("save", ["text": "x", "version": saved.json["version"] ?? .null])
            #expect(third.json["error_code"] == "changed_on_disk")
            #expect(try await stage.ask("save", ["text": "x", "version": "missing"]).status == 200)
            #expect(stage.folder.names == ["mine.yaml"])
        }
    }

    @Test("replays a text against the recording, and gives each step's outcome, its page, and the trace")
    func replay() async throws {
        let made = try await AuthorsFolder.make()
        defer { made.folder.remove() }
        let text = String(
            decoding: try Data(contentsOf: made.folder.appending("meridian-savings.yaml")), as: UTF8.self)
        for (name, matches) in [("worked.har", true), ("failed.har", false)] {
            let archive = try HTTPArchive(reading: try Data(contentsOf: made.folder.appending(name)))
            try await Stage.with(text, archive) { stage in
                #expect(try await stage.send("GET", "trace").status == 404)
                let answer = try await stage.ask("replay", ["text": .string(text)])
                #expect(answer.json["matches"] == .bool(matches), "\(answer.json)")
                let steps = answer.json["steps"]?.arrayValue ?? []
                let last = try #require(steps.last { $0["is_finally"] == false })
                #expect(last["outcome"]?.stringValue == (matches ? "done" : "failed"))
                let line = try #require(steps.first { $0["words"]?.stringValue?.contains("Statements") == true })
                let page = try #require(line["page"]?.intValue)
                // The page on which the step began is the one whose link it followed.
                let check = try await stage.ask("check", ["text": .string(text), "page": .number(Double(page))])
                let mark = check.json["marks"]?.arrayValue?.first { $0["line"] == line["line"] }
                #expect(mark?["found"]?.intValue == (matches ? 1 : 0), "\(check.json)")
                let trace = try await stage.send("GET", "trace")
                #expect(trace.status == 200 && trace.header("content-security-policy")?.contains("sha256-") == true)
                #expect((answer.json["report"] == nil) == matches)
            }
        }
    }

    @Test("answers nothing after its end")
    func ended() async throws {
        var address = ""
        try await Stage.with { address = $0.base }
        await #expect(throws: (any Error).self) {
            _ = try await CurlSession().send(HTTPRequest("GET", address, headers: [], body: nil))
        }
    }

    @Test("says that its port is taken")
    func taken() async throws {
        try await Stage.with { stage in
            let port = try #require(Int(stage.origin.split(separator: ":").last ?? ""))
            let desk = AuthorDesk(
                ScriptOnDisk(path: stage.file.path), recording: MadeRecording.of([]), plugged: .standard,
                parameters: { _ in [:] })
            await #expect(throws: DeskServerError.self) { _ = try await DeskServer.start(desk, port: port) }
        }
    }
}
