import Selectors

extension Condition {
    /// The value of a condition that is the same on every page; nil when it depends on the page.
    var constant: Bool? {
        switch self {
        case .equal(let left, let right) where left == right: return true
        case .equal(let left, let right) where left.names.isEmpty && right.names.isEmpty: return false
        case .shows(let locator) where ["*", "html", "body"].contains { locator.target == .css($0) }: return true
        case .not(let condition): return condition.constant.map { !$0 }
        case .all(let conditions):
            if conditions.contains(where: { $0.constant == false }) { return false }
            return conditions.allSatisfy { $0.constant == true } ? true : nil
        case .any(let conditions):
            if conditions.contains(where: { $0.constant == true }) { return true }
            return conditions.allSatisfy { $0.constant == false } ? false : nil
        default: return nil
        }
    }

    /// True if the condition is about a JSON answer.
    var asksJSON: Bool {
        switch self {
        case .json: true
        case .not(let condition): condition.asksJSON
        case .all(let conditions), .any(let conditions): conditions.contains(where: \.asksJSON)
        case .shows, .says, .titled, .path, .status, .equal: false
        }
    }
}
