import Languages
import Synchronization
import Testing

@testable import Notifications

@Suite("The language of messages to the owner")
struct OwnerLanguageTests {
    @Test("is the broker's setting, else the page's, else Telegram's, else English")
    func order() async {
        let language = OwnerLanguage()
        #expect(language.current == .english)
        await language.learn("es-419", from: .telegram)
        #expect(language.current == .spanish)
        await language.learn("de", from: .page)
        await language.learn("fr", from: .telegram)
        #expect(language.current == .german)
        await language.learn(nil, from: .page)
        #expect(language.current == .french)
        let fixed = OwnerLanguage(.english, told: [.page: .german])
        #expect(fixed.current == .english)
    }

    @Test("a language without messages counts as none", arguments: ["pt-br", "", "deu", "é", "-"])
    func unknown(code: String) async {
        let language = OwnerLanguage(told: [.telegram: .german])
        await language.learn(code, from: .telegram)
        #expect(language.current == .english)
    }

    @Test("is kept when it changes, and only then")
    func kept() async {
        let kept = Mutex<[String]>([])
        let language = OwnerLanguage(told: [.page: .german]) { source, language in
            kept.withLock { $0.append("\(source) \(language?.rawValue ?? "-")") }
        }
        for code in ["de", "de-AT", "fr", "fr", nil, nil] { await language.learn(code, from: .page) }
        #expect(kept.withLock { $0 } == ["page fr", "page -"])
    }

    @Test("of the next message is what the page tells by then; a database that fails leaves the last that is known")
    func renewed() async {
        struct Away: Error {}
        let page = Mutex<Result<Language?, Away>>(.success(.french))
        let read: @Sendable () async throws -> Language? = { try page.withLock { $0 }.get() }
        let language = OwnerLanguage(told: [.page: .german, .telegram: .spanish], readPage: read)
        func next() async -> Language {
            _ = await language.text
            return language.current
        }
        #expect(await next() == .french)
        page.withLock { $0 = .failure(Away()) }
        #expect(await next() == .french)
        page.withLock { $0 = .success(nil) }
        #expect(await next() == .spanish)
    }
}
