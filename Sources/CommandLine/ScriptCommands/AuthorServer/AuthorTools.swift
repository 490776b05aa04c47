import Authoring
import Automation
import BankScript
import CountersignPlugins
import Encodings
import Foundation
import HTMLAutomation
import ScriptTesting
import Terminal

/// The tools for authors: lint, explain, replay, propose, matrix. None writes a file of the author's, and none reaches a network
/// but the mock banks' on loopback.
struct AuthorTools: Sendable {
    let folder: AuthorFolder

    /// The most bytes of a recording.
    private static let largestRecording = 256 << 20
    /// The longest replay: a script that waits for a person would wait for ever.
    private static let replayLimit: Duration = .seconds(60)
    /// The most rows of a matrix, and how many run at a time.
    private static let mostRows = 200
    private static let simultaneousRows = 4
    private static let scriptKinds = ["yaml", "yml"]

    /// Calls a tool. Every failure but an unknown name becomes a result that the assistant can read.
    ///
    /// - Throws: ``RPCError`` for an unknown tool.
    func call(
        _ name: String, _ arguments: JSONValue, _ progress: @escaping @Sendable (Int, String) async -> Void
    ) async throws(RPCError) -> [String: JSONValue] {
        guard let tool = Self.descriptions.first(where: { $0.name == name }) else {
            throw .invalidParams("unknown tool “\(name.inLine(limit: 80))”")
        }
        do throws(ToolFailure) {
            let fields = try ToolArguments(arguments)
            try fields.refuseOthers(than: tool.argumentNames, of: name)
            let answer: [String: JSONValue]
            switch name {
            case "lint": answer = try lint(fields)
            case "explain": answer = try explain(fields)
            case "replay": answer = try await replay(fields)
            case "propose": answer = try await propose(fields)
            default: answer = try await matrix(fields, progress)
            }
            let json = JSONValue.object(answer)
            return [
                "content": [["type": "text", "text": .string(json.compactText())]], "structuredContent": json,
            ]
        } catch {
            return error.result
        }
    }

    // MARK: Tools

    private func lint(_ fields: ToolArguments) throws(ToolFailure) -> [String: JSONValue] {
        let file = try file(fields)
        do {
            let script = try BankScript(yaml: file.text, file: file.path, steps: Plugins.current.names.steps)
            let findings = ScriptLint.findings(in: script, plugged: Plugins.current.names).map {
                $0.located(in: file.text)
            }
            return [
                "is_valid": .bool(!findings.contains { $0.severity == .error }), "digest": .string(script.digest.hex),
                "findings": .array(findings.map(Self.json)),
            ]
        } catch {
            return ["is_valid": false, "findings": [Self.json(Finding(error))]]
        }
    }

    private static func json(_ finding: Finding) -> JSONValue {
        var members: [String: JSONValue] = [
            "rule": .string(finding.rule), "severity": .string(finding.severity.rawValue),
            "message_untrusted": .string(finding.message),
        ]
        if let hint = finding.hint { members["hint_untrusted"] = .string(hint) }
        if let line = finding.mark?.line { members["line"] = .number(Double(line)) }
        if let column = finding.mark?.column { members["column"] = .number(Double(column)) }
        return .object(members)
    }

    private func explain(_ fields: ToolArguments) throws(ToolFailure) -> [String: JSONValue] {
        let script = try script(try file(fields))
        let disclosure = ScriptDisclosure(script)
        return [
            "digest": .string(script.digest.hex), "steps": .number(Double(script.steps.count)),
            "does_untrusted": Self.texts(disclosure.lines), "warnings_untrusted": Self.texts(disclosure.warnings),
            "sends_untrusted": .array(
                disclosure.outflows.map { outflow in
                    var members: [String: JSONValue] = [
                        "item": .string(outflow.item), "origin": .string(outflow.origin), "way": .string(outflow.way),
                    ]
                    if let address = outflow.address { members["address"] = .string(address) }
                    return .object(members)
                }),
        ]
    }

    private func replay(_ fields: ToolArguments) async throws(ToolFailure) -> [String: JSONValue] {
        let file = try file(fields)
        let archive = try recording(fields, "recording")
        let script = try replayable(try script(file)).served(asIn: archive)
        let recording = ReplayTransport(archive)
        let values = try parameters(fields, "parameters", of: script)
        let answers = ReplayAnswers()
        let services = HostServices(
            credentials: answers, person: answers, downloads: FolderSink(FileManager.default.temporaryDirectory))
        let runner = ScriptRunner(services: services, limit: Self.replayLimit) { script in
            try HTMLNavigationEngine(for: script, configuration: EngineConfiguration(transport: recording))
        }
        var answer: [String: JSONValue] = [:]
        switch await runner.result(of: script, parameters: values) {
        case .success(let document):
            try? FileManager.default.removeItem(at: document.file)
            answer["matches"] = true
            answer["kind"] = .string(document.kind.rawValue)
            answer["not_compared_untrusted"] = Self.texts(recording.hidden)
        case .failure(let failure):
            answer["matches"] = false
            answer["error_code"] = .string(failure.code.rawValue)
            if let reason = failure.reason { answer["reason"] = .string(reason.rawValue) }
            if let place = failure.place {
                answer["step"] = .number(Double(place.number))
                if let line = place.mark?.line { answer["line"] = .number(Double(line)) }
            }
            answer["report_untrusted"] = .string(failure.report(source: file.text))
        }
        answer["exchanges_used"] = .number(Double(recording.used))
        return answer
    }

    private func propose(_ fields: ToolArguments) async throws(ToolFailure) -> [String: JSONValue] {
        let file = try file(fields)
        let script = try replayable(try script(file))
        let values = try parameters(fields, "parameters", of: script)
        let mend = ScriptMend(
            script, old: try recording(fields, "old"), new: try recording(fields, "new"),
            oldParameters: try parameters(fields, "old_parameters", of: script, otherwise: values),
            newParameters: values)
        let mended: MendedScript
        do {
            mended = try await mend.propose()
        } catch {
            return [
                "outcome": "refused", "refusal": .string(error.kind.rawValue),
                "why_untrusted": .string(error.message), "candidates_untrusted": Self.texts(error.candidates),
            ]
        }
        guard !mended.changes.isEmpty else { return ["outcome": "nothing_to_change"] }
        let text = MendedText(mended, of: script, source: file.text)
        var answer: [String: JSONValue] = [
            "outcome": "proposed", "digest": .string(mended.script.digest.hex),
            "changes": .array(
                mended.changes.map { change in
                    [
                        "kind": .string(change.kind.rawValue), "score": .number(change.score),
                        "is_confirmed": .bool(change.isConfirmed), "step_untrusted": .string(change.step),
                        "change_untrusted": .string(change.words), "reason_untrusted": .string(change.reason),
                    ]
                }),
            "difference_untrusted": Self.texts(LineDifference(from: file.text, to: text.text).lines),
            "script_untrusted": .string(text.text), "loses_comments": .bool(text.isRewritten),
            // A mend that sends more, or to other places, is refused.
            "sends_the_same": true,
        ]
        if let step = mended.endsAt { answer["ends_at_untrusted"] = .string(step) }
        return answer
    }

    private func matrix(
        _ fields: ToolArguments, _ progress: @escaping @Sendable (Int, String) async -> Void
    ) async throws(ToolFailure) -> [String: JSONValue] {
        let file = try file(fields)
        let path = try fields.text("matrix") ?? Self.matrix(of: file.path)
        let text = try self.file(path)
        let matrix = try rows(of: text, subject: ScriptMatrix.Subject(try script(file), source: file.text))
        guard matrix.rows.count <= Self.mostRows else {
            throw ToolFailure(
                "the matrix has more than \(Self.mostRows) rows; run it in a terminal: countersign script test FILE")
        }
        guard !matrix.rows.contains(where: { $0.recording == nil && $0.script.engine == .browser }) else {
            throw ToolFailure(
                "a row needs Chromium, which this server does not start; the person can run: countersign script test FILE"
            )
        }
        let (entries, told) = AsyncStream<MatrixReport.Entry>.makeStream()
        async let telling: Void = {
            var count = 0
            for await entry in entries {
                count += 1
                await progress(
                    count,
                    "\(count) of \(matrix.rows.count.counted("row")), the last one "
                        + (entry.isAsExpected ? "as expected" : "not"))
            }
        }()
        let report: MatrixReport
        do {
            report = try await MatrixRunner(simultaneous: Self.simultaneousRows).run(matrix) { told.yield($0) }
        } catch {
            told.finish()
            throw ToolFailure("the matrix could not be run", detail: "\(error)".inLine(limit: 300))
        }
        told.finish()
        await telling
        return [
            "rows": .number(Double(report.entries.count)), "not_as_expected": .number(Double(report.failed.count)),
            "results": .array(report.entries.map(Self.json)),
            "not_exercised_untrusted": .string(DeclaredOutcomes(of: report).text),
        ]
    }

    private static func json(_ entry: MatrixReport.Entry) -> JSONValue {
        var members: [String: JSONValue] = [
            "name_untrusted": .string(entry.row.name), "is_as_expected": .bool(entry.isAsExpected),
            "result": .string(entry.result), "milliseconds": .number((entry.duration / .milliseconds(1)).rounded()),
        ]
        if let surprise = entry.surprise { members["surprise_untrusted"] = .string(surprise) }
        if !entry.isAsExpected, let details = entry.details { members["report_untrusted"] = .string(details) }
        return .object(members)
    }

    // MARK: Arguments

    private func file(_ fields: ToolArguments) throws(ToolFailure) -> ScriptFile {
        guard let path = try fields.text("script") else {
            throw ToolFailure("“script” is needed: a YAML file, relative to the folder")
        }
        return try file(path)
    }

    private func file(_ path: String) throws(ToolFailure) -> ScriptFile {
        let bytes = try folder.bytes(path, endingIn: Self.scriptKinds, atMost: ScriptFolder.largest)
        do {
            return try ScriptFile(fetched: bytes, path: path)
        } catch {
            throw ToolFailure("\(error)")
        }
    }

    /// Returns the script if lint finds no errors in it.
    private func script(_ file: ScriptFile) throws(ToolFailure) -> BankScript {
        let script: BankScript
        do {
            script = try BankScript(yaml: file.text, file: file.path, steps: Plugins.current.names.steps)
        } catch {
            throw ToolFailure("the script has a syntax error in line \(error.mark.line); lint says which")
        }
        let errors = ScriptLint.findings(in: script, plugged: Plugins.current.names).filter { $0.severity == .error }
        guard let first = errors.first else { return script }
        let words = errors.count == 1 ? "an error: \(first.rule)" : "\(errors.count) errors, such as \(first.rule)"
        throw ToolFailure("lint finds \(words); call lint for the places")
    }

    private func replayable(_ script: BankScript) throws(ToolFailure) -> BankScript {
        guard script.documentSource == nil, !script.printsPage else {
            throw ToolFailure("the script has no pages that could be replayed")
        }
        return script
    }

    private func recording(_ fields: ToolArguments, _ name: String) throws(ToolFailure) -> HTTPArchive {
        guard let path = try fields.text(name) else {
            throw ToolFailure("“\(name)” is needed: a recording, a .har file relative to the folder")
        }
        return try recording(path)
    }

    private func recording(_ path: String) throws(ToolFailure) -> HTTPArchive {
        let bytes = try folder.bytes(path, endingIn: ["har"], atMost: Self.largestRecording)
        let archive: HTTPArchive
        do {
            archive = try HTTPArchive(reading: bytes)
        } catch {
            throw ToolFailure("the recording cannot be read", detail: "\(error)".inLine(limit: 300))
        }
        guard archive.exchanges.contains(where: { $0.responseBody?.isEmpty == false }) else {
            throw ToolFailure(
                "the recording has no answer's body, so it cannot be replayed: record the visit with content")
        }
        return archive
    }

    /// Returns the parameters of an argument.
    ///
    /// - Parameter others: what a missing argument stands for; nil if the script then has to need none.
    private func parameters(
        _ fields: ToolArguments, _ name: String, of script: BankScript,
        otherwise others: [String: ParameterValue]? = nil
    ) throws(ToolFailure) -> [String: ParameterValue] {
        guard let value = fields.value(name) else {
            if let others { return others }
            return try parameters([], of: script)
        }
        guard let members = value.objectValue else {
            throw ToolFailure("“\(name)” must be an object such as {\"month\": 1}")
        }
        var texts: [String] = []
        for (key, value) in members.sorted(by: { $0.key < $1.key }) {
            guard let text = value.stringValue ?? value.intValue.map(String.init) else {
                throw ToolFailure("a parameter must be a text or a whole number")
            }
            texts.append("\(key)=\(text)")
        }
        return try parameters(texts, of: script)
    }

    private func parameters(
        _ texts: [String], of script: BankScript
    ) throws(ToolFailure) -> [String: ParameterValue] {
        do {
            return try ScriptParameters.parse(texts, for: script)
        } catch {
            throw ToolFailure("the parameters do not fit the script", detail: "\(error)".inLine(limit: 300))
        }
    }

    private static func matrix(of script: String) -> String {
        guard let dot = script.lastIndex(of: ".") else { return script + ".test.yaml" }
        return script[..<dot] + ".test.yaml"
    }

    /// Reads a matrix. The files that its rows name have to be in the folder as well.
    private func rows(
        of file: ScriptFile, subject: ScriptMatrix.Subject
    ) throws(ToolFailure) -> ScriptMatrix {
        do {
            return try ScriptMatrix(
                yaml: file.text, file: file.path, of: subject,
                recording: { try recording(AuthorFolder.path($0, beside: file.path)) },
                load: { path in
                    let other = try self.file(AuthorFolder.path(path, beside: file.path))
                    return ScriptMatrix.Subject(try script(other), source: other.text)
                })
        } catch let failure as ToolFailure {
            // It quotes the matrix, which a stranger may have written.
            throw ToolFailure("a file that the matrix names cannot be used", detail: failure.message)
        } catch let error as ScriptSyntaxError {
            throw ToolFailure(
                "the matrix has an error in line \(error.mark.line)", detail: error.message.inLine(limit: 300))
        } catch {
            throw ToolFailure("the matrix cannot be read", detail: "\(error)".inLine(limit: 300))
        }
    }

    private static func texts(_ texts: [String]) -> JSONValue { .array(texts.map(JSONValue.string)) }
}
