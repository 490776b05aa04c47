@testable import BankScript

/// Fills in a template with values of every kind, through each filter that it names.
func fuzzTemplate(_ input: [UInt8]) {
    let template = Template(String(decoding: input, as: UTF8.self))
    let values = ["day": "2024-02-29", "text": "a b/ü%41", "month": "12", "year": "2026", "empty": ""]
    do {
        let filled = try template.filled(with: values, locale: "de")
        let again = try template.filled(with: values, locale: "de")
        promise(filled == again, "a template is filled in the same way each time")
        promise(!template.names.contains { values[$0] == nil }, "an unknown name is an error")
    } catch {
        let isHere = (error as? TemplateError).map { !$0.message.isEmpty && $0.column > 0 } ?? false
        promise(isHere, "an error says where and what: \(error)")
    }
}
