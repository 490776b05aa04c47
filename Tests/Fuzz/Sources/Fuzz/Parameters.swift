@testable import BankScript
@testable import Clocks
@testable import Encodings

/// Reads a parameter's kind, offers it values, and fills templates with those that it accepts.
///
/// The first line of the input is the kind as a script has it, each further line a value.
func fuzzParameter(_ input: [UInt8]) {
    let (kind, rest) = firstLine(of: input)
    let yaml = """
        bank: fuzz
        name: Fuzz
        origins: [https://bank.example]
        parameters: { value: \(kind) }
        steps:
          - open: "/{{ value | urlencode }}"
          - download: PDF

        """
    guard let script = try? BankScript(yaml: yaml, file: "fuzz.yaml") else { return }
    checkWriting(script)
    _ = ScriptLint.findings(in: script)
    guard let parameter = script.parameters.first, script.parameters.count == 1 else { return }
    promise(!parameter.accepted.isEmpty, "a parameter says what it accepts")
    if let example = parameter.example {
        promise(parameter.accepts(ParameterValue(example)), "an example is accepted: \(example)")
    }
    for line in String(decoding: rest, as: UTF8.self).split(separator: "\n", omittingEmptySubsequences: false).prefix(8)
    {
        check(ParameterValue(String(line)), of: parameter)
    }
}

private func check(_ value: ParameterValue, of parameter: Parameter) {
    let isAccepted = parameter.accepts(value)
    promise(isAccepted == parameter.accepts(value), "a value is always judged in the same way")
    guard isAccepted else { return }
    let isMeant =
        switch parameter.kind {
        case .number(let range): value.number.map { range.contains($0) && "\($0)" == value.text } ?? false
        case .date(let range): CalendarDate(value.text).map { range.contains($0) && "\($0)" == value.text } ?? false
        case .choice(let choices): choices.contains(value.text)
        case .text: value.text.count <= Parameter.longestText
        }
    promise(isMeant, "an accepted value is one of its kind: “\(value)” for \(parameter.accepted)")
    for filter in TemplateFilter.allCases {
        let arguments = ["", ": 2", ": 1 month", ": 10000 years", ": yyyy-MM-dd", ": value"]
        for argument in arguments {
            let template = Template("{{ value | \(filter.rawValue)\(argument) }}")
            let filled = try? template.filled(with: ["value": value.text], locale: "de")
            promise(filled != nil || !template.names.isEmpty, "a filter says what it does not accept")
        }
    }
    let encoded = Template("{{ value | urlencode | urldecode }}")
    promise(
        (try? encoded.filled(with: ["value": value.text], locale: "en"))?.unicodeScalars.elementsEqual(
            value.text.unicodeScalars) ?? false, "what is encoded can be decoded: “\(value)”")
}
