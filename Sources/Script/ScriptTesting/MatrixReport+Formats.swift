import Automation
import BankScript
import Clocks
import Encodings

// The report as text for people, and as TAP, JUnit XML and JSON for programs.

extension MatrixReport {
    /// A table with one line per row.
    public var table: String {
        let names = entries.map(\.row.name.count).max() ?? 0
        let results = entries.map(\.result.count).max() ?? 0
        let lines = entries.map { entry in
            let mark = entry.isAsExpected ? "✓" : "✗"
            let columns = "\(mark) \(entry.row.name.padded(to: names))  \(entry.result.padded(to: results))"
            let line = "\(columns)  \(entry.duration.inWords.padded(to: 7, atEnd: false))"
            guard let surprise = entry.surprise else { return line }
            return ([line, "    " + surprise] + (entry.details?.lines ?? []).map { "    " + $0 }).joined(
                separator: "\n")
        }
        let summary =
            failed.isEmpty
            ? "\(entries.count.counted("scenario")) as expected, \(duration.inWords)"
            : "\(failed.count) of \(entries.count.counted("scenario")) not as expected, \(duration.inWords)"
        return (lines + [summary, DeclaredOutcomes(of: self).text]).joined(separator: "\n")
    }

    /// The report in the Test Anything Protocol, version 13: Perl's `prove` does not read version 14.
    public var tap: String {
        var lines = ["TAP version 13", "1..\(entries.count)"]
        for (index, entry) in entries.enumerated() {
            // A number sign would begin a directive.
            let name = entry.row.name.replacing("#", with: "")
            lines.append("\(entry.isAsExpected ? "ok" : "not ok") \(index + 1) - \(name)")
            lines.append("  ---")
            lines.append("  duration_ms: \(entry.duration.roundedMilliseconds)")
            if let surprise = entry.surprise {
                lines.append("  message: \(JSONValue.string(surprise).compactText())")
                lines += ["  details: |"] + (entry.details ?? surprise).lines.map { "    " + $0 }
            }
            lines.append("  ...")
        }
        return lines.joined(separator: "\n")
    }

    /// Returns the report as JUnit XML, which build servers read.
    public func junit(suite: String) -> String {
        let seconds = Self.seconds(duration)
        var lines = [
            #"<?xml version="1.0" encoding="UTF-8"?>"#,
            #"<testsuites tests="\#(entries.count)" failures="\#(failed.count)" time="\#(seconds)">"#,
            #"<testsuite name="\#(suite.xml)" tests="\#(entries.count)" failures="\#(failed.count)" errors="0" "#
                + #"skipped="0" time="\#(seconds)">"#,
        ]
        for entry in entries {
            let head =
                #"<testcase classname="\#(entry.row.script.id.xml)" name="\#(entry.row.name.xml)" "#
                + #"time="\#(Self.seconds(entry.duration))""#
            guard let surprise = entry.surprise else {
                lines.append(head + "/>")
                continue
            }
            lines += [
                head + ">", #"<failure message="\#(surprise.xml)">\#((entry.details ?? surprise).xml)</failure>"#,
                "</testcase>",
            ]
        }
        return (lines + ["</testsuite>", "</testsuites>", ""]).joined(separator: "\n")
    }

    public var json: JSONValue {
        .object([
            "passed": .bool(failed.isEmpty), "milliseconds": .number(Double(duration.roundedMilliseconds)),
            "rows": .array(entries.map(\.json)), "outcomes": .array(DeclaredOutcomes(of: self).outcomes.map(\.json)),
        ])
    }

    private static func seconds(_ duration: Duration) -> String {
        let whole = duration.roundedMilliseconds
        return "\(whole / 1000).\(String(whole % 1000 + 1000).dropFirst())"
    }
}

extension DeclaredOutcomes.Outcome {
    fileprivate var json: JSONValue {
        var members: [String: JSONValue] = [
            "words": .string(words), "interruption": .bool(isInterruption), "exercised": .bool(isMet),
        ]
        members["line"] = line.map { .number(Double($0)) }
        return .object(members)
    }
}

extension MatrixReport.Entry {
    fileprivate var json: JSONValue {
        var members: [String: JSONValue] = [
            "name": .string(row.name), "passed": .bool(isAsExpected),
            "expected": .string("\(row.expected)"), "result": .string(result),
            "milliseconds": .number(Double(duration.roundedMilliseconds)),
        ]
        members["scenario"] = row.scenario.map { .string($0.rawValue) }
        members["surprise"] = surprise.map(JSONValue.string)
        switch outcome {
        case .statement(let statement): members["sha256"] = .string(statement.sha256)
        case .failure(let failure):
            members["error_code"] = .string(failure.code.rawValue)
            members["reason"] = failure.reason.map { .string($0.rawValue) }
            members["message"] = .string(failure.message)
            members["bank_says"] = failure.bankWords.map(JSONValue.string)
            members["line"] = (failure.place?.mark?.line).map { .number(Double($0)) }
        case .broken: break
        }
        return .object(members)
    }
}

extension Duration {
    fileprivate var roundedMilliseconds: Int { Int((seconds * 1000).rounded()) }
}

extension String {
    fileprivate var lines: [String] { split(separator: "\n", omittingEmptySubsequences: false).map(String.init) }

    fileprivate func padded(to width: Int, atEnd: Bool = true) -> String {
        let space = String(repeating: " ", count: max(0, width - count))
        return atEnd ? self + space : space + self
    }

    /// The text escaped for XML, without the characters that XML 1.0 (section 2.2) does not allow.
    fileprivate var xml: String {
        var result = ""
        for scalar in unicodeScalars {
            switch scalar {
            case "&": result += "&amp;"
            case "<": result += "&lt;"
            case ">": result += "&gt;"
            case "\"": result += "&quot;"
            case "\n", "\t": result.unicodeScalars.append(scalar)
            case "\u{20}"..."\u{D7FF}", "\u{E000}"..."\u{FFFD}", "\u{10000}"..."\u{10FFFF}":
                result.unicodeScalars.append(scalar)
            default: break
            }
        }
        return result
    }
}
