import Languages

extension PageState {
    /// Reads the language that the owner has chosen.
    func recallLanguage() async throws {
        language = try await store.language().flatMap(Language.init).flatMap(Self.offered)
    }

    /// Chooses the language of the page and of its notifications.
    ///
    /// - Parameter code: of one of the page's languages; empty for the one that each browser asks for.
    func choose(language code: String) async throws {
        let chosen = Language(rawValue: code).flatMap(Self.offered)
        guard chosen != nil || code.isEmpty else { throw PageRefusal.badInput }
        try await store.setLanguage(chosen?.rawValue)
        language = chosen
        changes.send()
    }

    private static func offered(_ language: Language) -> Language? {
        PageResources.sentences.offered.contains(language) ? language : nil
    }
}
