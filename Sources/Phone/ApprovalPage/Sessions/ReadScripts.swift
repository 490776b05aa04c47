import BankScript

/// The scripts that browsers have read and not accepted yet. A digest names exactly the text that was shown.
struct ReadScripts: Sendable {
    /// The most that are kept, of all browsers together: a script may have a mebibyte.
    static let most = 8

    private var kept: [(session: [UInt8], script: ReadScript)] = []

    /// Keeps a script for the session that has read it. The oldest ones make room.
    mutating func keep(_ script: ReadScript, for session: PageSession) {
        kept.removeAll { $0.session == session.id && $0.script.script.digest == script.script.digest }
        kept.append((session.id, script))
        if kept.count > Self.most { kept.removeFirst(kept.count - Self.most) }
    }

    /// Returns the script that a session has read.
    ///
    /// - Parameter digest: in hexadecimal digits, all of them.
    func script(_ digest: String, of session: PageSession) -> ReadScript? {
        kept.first { $0.session == session.id && $0.script.script.digest.hex == digest }?.script
    }

    /// Forgets the scripts of a bank that was added.
    mutating func forget(ofBank id: String) { kept.removeAll { $0.script.script.id == id } }
}
