import Clocks
import Encodings
import Foundation
import Machine

/// The place where a passphrase is typed. Each has its own counter of wrong ones, so that a stranger who reaches the
/// approval page cannot delay the owner at the terminal.
package enum PassphraseSource: String, Sendable, Hashable, CaseIterable {
    /// A command of the machine's own user.
    case terminal
    /// The approval page, by a browser that has signed in.
    case page
    /// The approval page's form for signing in.
    case signIn = "sign-in"

    /// The longest delay after wrong passphrases in a row, in seconds.
    var longestDelay: Double { self == .terminal ? 86_400 : 300 }

    /// The ending of the file that holds the counter, beside the vault.
    var fileExtension: String { self == .terminal ? "attempts" : "attempts-\(rawValue)" }
}

/// A counter of wrong passphrases in a row, in a file beside the vault, which delays attempts after ten of them.
///
/// An attempt is counted before it is made and forgiven when it succeeds, so that killing the process in between
/// gains no guess. The delay is measured on a clock that cannot be set; after a restart only the time since that restart
/// counts, which is never more than the time that has really passed. (An attacker with a copy of the vault file can guess
/// elsewhere, at the cost of scrypt: the delay protects the terminal and the page.)
struct PassphraseAttempts: Sendable {
    /// The number of wrong passphrases in a row that cause no delay.
    static let free = 10
    /// The first delay, doubled with each further wrong passphrase, up to the source's longest.
    static let firstDelay = 30.0

    let file: URL
    let source: PassphraseSource
    let clock: any BootClock

    init(vault: URL, source: PassphraseSource, clock: any BootClock) {
        file = vault.appendingPathExtension(source.fileExtension)
        self.source = source
        self.clock = clock
    }

    private struct Record {
        var wrong: Int
        var boot: String?
        var uptime: Double
    }

    /// Returns the time until the next attempt is allowed.
    func wait() throws(VaultError) -> Duration {
        guard let record = try read() else { return .zero }
        return .seconds(max(0, Self.delay(after: record.wrong, at: source) - elapsed(since: record)))
    }

    /// Begins an attempt: counts it as wrong, unless it has to wait.
    ///
    /// - Throws: `delayed`.
    func begin() throws {
        let wait = try wait()
        guard wait <= .zero else {
            throw VaultError(
                .delayed, "too many wrong passphrases; the next is tried in \(max(1, wait.components.seconds)) seconds",
                wait: wait)
        }
        try charge()
    }

    /// Counts an attempt as wrong, before it is made.
    func charge() throws {
        let wrong = (try read()?.wrong ?? 0) + 1
        let record: JSONValue = [
            "version": 1, "wrong_in_a_row": .number(Double(wrong)), "boot": clock.boot.map(JSONValue.string) ?? .null,
            "uptime": .number(clock.uptime),
        ]
        try AtomicFile.replaceUnderLock(record.canonicalBytes(), to: file)
    }

    /// Resets the counter after a correct passphrase.
    func forgive() throws {
        guard unlink(file.path) == 0 || errno == ENOENT else {
            throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO)
        }
    }

    static func delay(after wrong: Int, at source: PassphraseSource) -> Double {
        wrong < free ? 0 : min(source.longestDelay, firstDelay * pow(2, Double(min(wrong - free, 30))))
    }

    private func elapsed(since record: Record) -> Double {
        let isSameBoot = record.boot == clock.boot && clock.uptime >= record.uptime
        return isSameBoot ? clock.uptime - record.uptime : clock.uptime
    }

    private func read() throws(VaultError) -> Record? {
        guard FileManager.default.fileExists(atPath: file.path) else { return nil }
        guard let data = try? OpenedFile(file, links: .followed).bytes(atMost: 4096),
            let value = try? JSONReader.read(data),
            let wrong = value["wrong_in_a_row"]?.intValue, wrong >= 0, let uptime = value["uptime"]?.numberValue
        else {
            // An unreadable record must not grant ten free guesses.
            return Record(wrong: Self.free, boot: nil, uptime: 0)
        }
        return Record(wrong: wrong, boot: value["boot"]?.stringValue, uptime: uptime)
    }
}
