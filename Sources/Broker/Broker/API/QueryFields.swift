import Hummingbird
import HummingbirdCore

/// Reads the parameters of a query one by one, with an error that names the parameter. A repeated parameter is an
/// error.
struct QueryFields {
    private let parameters: FlatDictionary<Substring, Substring>

    init(_ request: Request) {
        guard let query = request.uri.query, query.utf8.contains(UInt8(ascii: "+")) else {
            parameters = request.uri.queryParameters
            return
        }
        // Many programs write a space as forms do (URL Standard, section 5.1).
        parameters = URI("/?" + query.replacing("+", with: "%20")).queryParameters
    }

    func text(_ name: String) throws(APIError) -> String? {
        let values = parameters.filter { $0.key == name }
        guard values.count < 2 else { throw .invalid(name, "given more than once") }
        return values.first.map { String($0.value) }
    }

    func whole(_ name: String, in range: ClosedRange<Int>) throws(APIError) -> Int? {
        guard let text = try text(name) else { return nil }
        guard text.wholeMatch(of: /0|[1-9][0-9]{0,8}/) != nil, let number = Int(text), range.contains(number) else {
            throw .invalid(name, "not an integer from \(range.lowerBound) to \(range.upperBound)")
        }
        return number
    }
}
