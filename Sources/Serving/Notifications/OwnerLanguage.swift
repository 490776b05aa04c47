import Languages
import Synchronization

/// The language in which the broker writes to its owner: a setting of the broker, or else what the owner's own programs have
/// told. Without any it is English.
package final class OwnerLanguage: Sendable {
    /// A teller of the owner's language. The first of them that has told one counts.
    package enum Source: String, Sendable, CaseIterable {
        /// The setting of the approval page.
        case page
        /// The owner's Telegram, in a message to the bot (Bot API, `User.language_code`).
        case telegram
    }

    private let fixed: Language?
    private let told: Mutex<[Source: Language]>
    private let keep: @Sendable (Source, Language?) async -> Void
    private let readPage: (@Sendable () async throws -> Language?)?

    /// - Parameters:
    ///   - fixed: the broker's setting, which comes before all others; nil for none.
    ///   - told: what was told before.
    ///   - keep: stores what is told from now on, so that it holds over a restart; nil for a source that tells no language
    ///     any more.
    ///   - readPage: returns what the approval page has told by now. Another process can change it: it removes a phone.
    package init(
        _ fixed: Language? = nil, told: [Source: Language] = [:],
        keep: @escaping @Sendable (Source, Language?) async -> Void = { _, _ in },
        readPage: (@Sendable () async throws -> Language?)? = nil
    ) {
        self.fixed = fixed
        self.told = Mutex(told)
        self.keep = keep
        self.readPage = readPage
    }

    package var current: Language {
        fixed ?? told.withLock { told in Source.allCases.compactMap { told[$0] }.first } ?? .english
    }

    /// The sentences of the next message.
    ///
    /// Where it cannot be read what was told by now, the last that is known counts: no message waits for that.
    package var text: OwnerText {
        get async {
            if fixed == nil, let readPage, let page = try? await readPage() as Language?? {
                told.withLock { $0[.page] = page }
            }
            return OwnerText(current)
        }
    }

    /// Takes what a source tells.
    ///
    /// - Parameter code: a language of BCP 47, of which the first part counts; nil for none. One without messages counts as
    ///   none.
    package func learn(_ code: String?, from source: Source) async {
        let language = Self.language(of: code)
        let isNew = told.withLock { told in
            defer { told[source] = language }
            return told[source] != language
        }
        if isNew { await keep(source, language) }
    }

    /// Returns the language of a code of BCP 47, such as `de` for `de-AT`, if there are messages in it.
    package static func language(of code: String?) -> Language? {
        let first = code?.prefix { $0.isLetter }.lowercased()
        return OwnerText.book.offered.first { $0.rawValue == first }
    }
}
