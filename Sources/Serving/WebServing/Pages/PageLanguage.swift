import HTTPTypes
import Hummingbird
import Languages

/// Answers each request in its person's language: the one that they have chosen, or else the one that the browser asks for.
package struct PageLanguage<Context: RequestContext>: RouterMiddleware {
    private let sentences: TaskLocal<Sentences>
    private let book: SentenceBook
    private let chosen: @Sendable (Request) async -> Language?

    /// - Parameters:
    ///   - sentences: the sentences of the answer, for the task that answers.
    ///   - chosen: returns the language that the request's person has chosen; nil for none.
    package init(
        _ sentences: TaskLocal<Sentences>, of book: SentenceBook,
        chosen: @escaping @Sendable (Request) async -> Language?
    ) {
        self.sentences = sentences
        self.book = book
        self.chosen = chosen
    }

    package func handle(
        _ request: Request, context: Context, next: (Request, Context) async throws -> Response
    ) async throws -> Response {
        let wanted = await chosen(request)
        let language = wanted ?? Language.wanted(by: request.headers[.acceptLanguage], among: book.offered)
        return try await sentences.withValue(book[language]) { try await next(request, context) }
    }
}

extension Request {
    /// Returns the one of the files by language that the address's query names; the English one without a query.
    package func spoken<File>(_ files: [Language: File]) -> File? {
        files[uri.query.flatMap { Language(rawValue: String($0)) } ?? .english] ?? files[.english]
    }
}
