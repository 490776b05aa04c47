@testable import Encodings

/// Reads JSON, and writes it in canonical form (RFC 8785).
func fuzzJSON(_ input: [UInt8]) {
    let value: JSONValue
    do {
        value = try JSONReader.read(input)
    } catch {
        promise((0...input.count).contains(error.offset), "an error is at a place of the text")
        promise(error.line >= 1 && error.column >= 1 && error.column <= input.count + 1, "lines begin with 1")
        return
    }
    let canonical: [UInt8]
    let again: JSONValue
    do {
        canonical = try value.canonicalBytes()
        again = try JSONReader.read(canonical, limits: JSONLimits(size: .max))
    } catch {
        fatalError("broken: what was read can be written, and read again: \(error)")
    }
    promise(same(again, value), "the canonical form says the same")
    promise((try? again.canonicalBytes()) == canonical, "the canonical form of the canonical form is itself")
}

/// Queries a document with a JSONPath (RFC 9535): the first line is the query, the rest the document.
func fuzzJSONPath(_ input: [UInt8]) {
    let (line, rest) = firstLine(of: input)
    let path: JSONPath
    do {
        path = try JSONPath(line)
    } catch {
        promise((0...line.utf8.count).contains(error.offset), "an error is at a place of the query: \(error)")
        promise(!error.message.isEmpty, "an error says what it is")
        return
    }
    let document = (try? JSONReader.read(rest)) ?? ["a": [1, "two", ["b": nil]], "b": "x"]
    guard let values = try? path.values(in: document) else { return }
    let parts = Set(everything(in: document))
    promise(values.allSatisfy(parts.contains), "what is found is of the document")
    promise((try? path.values(in: document)) == values, "a query always gives the same list")
    // The query keeps its text, and that text parses to the same query.
    promise((try? JSONPath(path.text).values(in: document)) == values, "a query is its text")
    if path.segments.allSatisfy(\.isSingular) { promise(values.count <= 1, "a singular query finds one node at most") }
}

/// Compares scalar by scalar, unlike Swift's comparison of strings.
private func same(_ left: JSONValue, _ right: JSONValue) -> Bool {
    switch (left, right) {
    case (.string(let left), .string(let right)): left.utf8.elementsEqual(right.utf8)
    case (.number(let left), .number(let right)): left == right
    case (.array(let left), .array(let right)): left.count == right.count && zip(left, right).allSatisfy(same)
    case (.object(let left), .object(let right)):
        left.count == right.count && left.allSatisfy { name, value in right[name].map { same($0, value) } ?? false }
    default: left == right
    }
}

private func everything(in value: JSONValue) -> [JSONValue] {
    var found = [value]
    var next = 0
    while next < found.count {
        switch found[next] {
        case .array(let items): found += items
        case .object(let members): found += members.values
        default: break
        }
        next += 1
    }
    return found
}
