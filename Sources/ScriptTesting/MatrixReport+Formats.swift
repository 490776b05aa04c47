import Automation
import BankScript
import Clocks
import JSON

// The report for people, and for the programs that read test results.

extension MatrixReport {
    /// A line for each row, in columns.
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
            ? "\(entries.count) scenarios as expected, \(duration.inWords)"
            : "\(failed.count) of \(entries.count) scenarios not as expected, \(duration.inWords)"
        return (lines + [summary]).joined(separator: "\n")
    }

    /// Version 13 of the Test Anything Protocol: Perl's own reader, `prove`, refuses to read 14.
    public var tap: String {
        var lines = ["TAP version 13", "1..\(entries.count)"]
        for (index, entry) in entries.enumerated() {
            // What follows a number sign is a directive.
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

    /// JUnit's XML, as build servers read it.
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
            "rows": .array(entries.map(\.json)),
        ])
    }

    private static func seconds(_ duration: Duration) -> String {
        let whole = duration.roundedMilliseconds
        return "\(whole / 1000).\(String(whole % 1000 + 1000).dropFirst())"
    }
}

extension MatrixReport.Entry {
    fileprivate var json: JSONValue {
        var members: [String: JSONValue] = [
            "name": .string(row.name), "scenario": .string(row.scenario.rawValue), "passed": .bool(isAsExpected),
            "expected": .string("\(row.expected)"), "result": .string(result),
            "milliseconds": .number(Double(duration.roundedMilliseconds)),
        ]
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

    /// Escaped for an attribute or a text; what XML 1.0 (section 2.2) does not allow is left out.
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
