@testable import Automation
@testable import BankScript
@testable import Encodings

/// Searches an answer as `search` with `json` does.
///
/// The first line of the input is the path, with `{{ value }}` for a parameter, the second the path of the cursor, the third
/// the parameter's value, and the rest the answer.
func fuzzJSONSearch(_ input: [UInt8]) {
    let (path, afterPath) = firstLine(of: input)
    let (cursor, afterCursor) = firstLine(of: Array(afterPath))
    let (value, rest) = firstLine(of: Array(afterCursor))
    let poll = RequestStep(method: "GET", reference: Template("/list?from={{ cursor | urlencode }}"))
    let search = Search(json: Template(path), next: poll, cursor: cursor, atMost: 3)
    let script = BankScript(
        id: "fuzz", name: "Fuzz", origins: ["https://bank.example"], parameters: [Parameter("value", text: ".*")],
        steps: search.steps + Download("PDF").steps)
    _ = ScriptLint.findings(in: script)
    checkWriting(script)
    guard let filled = try? Template(path).filled(with: ["value": value], locale: "en"),
        let answer = try? JSONReader.read(rest)
    else { return }
    let nearest = answer.paths(nearestTo: filled)
    promise(nearest.count <= 6, "at most six paths are suggested")
    for words in nearest {
        let suggested = words.prefix { $0 != " " }
        promise(suggested.hasPrefix("$"), "a suggestion is a path: \(words)")
    }
    guard let query = try? JSONPath(filled), let items = try? query.values(in: answer) else { return }
    if let item = items.first, let place = try? JSONPath(cursor) { _ = try? place.values(in: item) }
    if let next = try? JSONPath(cursor).values(in: answer).first, let text = next.stringValue {
        let address = try? poll.reference.filled(with: ["cursor": text], locale: "en")
        promise(address?.allSatisfy { $0.isASCII } ?? false, "a cursor is encoded in an address")
    }
}
