import Foundation

extension OTPAuthURI {
    static func parameters(_ query: Substring) throws(OTPAuthError) -> [String: String] {
        var parameters: [String: String] = [:]
        for part in query.split(separator: "&") {
            let pair = part.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            let name = try decoded(pair[0]).lowercased()
            let value = try decoded(Substring((pair.count > 1 ? pair[1] : "").replacing("+", with: " ")))
            if let other = parameters.updateValue(value, forKey: name), other != value {
                throw OTPAuthError(
                    .conflictingParameter, "the URI has two values for one parameter; remove one of them")
            }
        }
        return parameters
    }

    static func label(_ label: Substring) throws(OTPAuthError) -> (issuer: String?, account: String?) {
        if let colon = label.firstIndex(of: ":") {
            return (name(try decoded(label[..<colon])), name(try decoded(label[label.index(after: colon)...])))
        }
        let text = try decoded(label)
        guard let colon = text.firstIndex(of: ":") else { return (nil, name(text)) }
        return (name(String(text[..<colon])), name(String(text[text.index(after: colon)...])))
    }

    /// Returns the trimmed text; nil if it is empty.
    static func name(_ text: String?) -> String? {
        let trimmed = text?.trimmingCharacters(in: .whitespacesAndNewlines) ?? ""
        return trimmed.isEmpty ? nil : trimmed
    }

    static func number(
        _ parameters: [String: String], _ name: String, _ isValid: (Int) -> Bool
    ) throws(OTPAuthError) -> Int? {
        guard let text = parameters[name] else { return nil }
        guard text.utf8.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }), let number = Int(text),
            isValid(number)
        else { throw OTPAuthError(.invalidParameter, "the URI's \(name) is invalid") }
        return number
    }

    private static func decoded(_ text: Substring) throws(OTPAuthError) -> String {
        guard let decoded = String(text).removingPercentEncoding else {
            throw OTPAuthError(.invalidEncoding, "the URI has invalid percent escapes")
        }
        return decoded
    }
}
