/// The result of an approved request.
package enum RunOutcome: Sendable, Hashable {
    /// The statement is in the inbox under this name.
    case completed(filename: String)
    /// So many of the documents are in the inbox.
    case delivered(documents: Int, of: Int)
    case failed(code: String, message: String)
    /// Nothing has run yet: more devices have to approve, and the last approval starts the run on its device.
    case waiting(approvals: Int, needed: Int)
}

extension RunOutcome {
    /// Returns for example `1 of 2 approvals; waiting for another device`.
    package static func waitingWords(_ approvals: Int, of needed: Int) -> String {
        "\(approvals) of \(needed) approvals; waiting for another device"
    }
}
