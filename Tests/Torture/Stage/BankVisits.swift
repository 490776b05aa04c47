import Synchronization

/// The requests that the bank has had.
final class BankVisits: Sendable {
    private let state = Mutex((documents: [String](), signIns: 0))

    /// The paths of documents, in the order in which they were fetched.
    var all: [String] { state.withLock { $0.documents } }
    var signIns: Int { state.withLock { $0.signIns } }

    func note(_ method: String, _ path: String) {
        state.withLock { state in
            if method == "POST", path == "/login" { state.signIns += 1 }
            if method == "GET", path.hasPrefix("/statements/") { state.documents.append(path) }
        }
    }
}
