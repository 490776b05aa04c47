import Foundation

@testable import Encodings
@testable import FileKinds
@testable import HTMLEngine

/// Reads JSON as banks send it. A text that is JSON to the strict reader says the same to the lenient one.
func fuzzForeignJSON(_ input: [UInt8]) {
    let lenient = ForeignJSON.outcome(input, contentType: "application/json")
    promise(lenient.json == nil || lenient.unreadable == nil, "an answer is read, or it is said why not")
    guard String(validating: input, as: UTF8.self) != nil,
        let strict = try? JSONReader.read(input, limits: JSONLimits(depth: 64))
    else { return }
    guard let json = lenient.json else { fatalError("broken: what is JSON is read: \(lenient.unreadable ?? "")") }
    promise(numbersAsTexts(json) == numbersAsTexts(strict), "both readers say the same")
}

/// Numbers that a double cannot hold exactly are texts to the lenient reader.
private func numbersAsTexts(_ value: JSONValue) -> JSONValue {
    switch value {
    case .number, .string:
        let text = value.stringValue ?? value.compactText()
        return .string(Double(text).map { "\($0)" } ?? text)
    case .array(let items): return .array(items.map(numbersAsTexts))
    case .object(let members): return .object(members.mapValues(numbersAsTexts))
    default: return value
    }
}

/// Proposes the columns of a table. A proposal can be declared, and the table be read with it or refused.
func fuzzColumns(_ input: [UInt8]) {
    guard let proposed = try? ProposedColumns(for: input) else { return }
    guard let columns = try? CSVColumns(proposed.declaration) else {
        fatalError("broken: a proposal can be declared: \(proposed.declaration)")
    }
    var options = ReadingOptions()
    (options.account, options.currency, options.columns) = ("12345678", "EUR", columns)
    guard let first = try? TransactionFile.read(input, as: .csv, options: options) else { return }
    promise((try? TransactionFile.read(input, as: .csv, options: options)) == first, "a table always says the same")
}
