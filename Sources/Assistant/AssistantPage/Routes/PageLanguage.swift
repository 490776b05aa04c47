import HTTPTypes
import Hummingbird
import Languages

/// Answers each request in its person's language: the one that was chosen in this browser, or else the one that the browser
/// asks for.
struct PageLanguage: RouterMiddleware {
    let settings: AssistantPageSettings

    func handle(
        _ request: Request, context: PageContext, next: (Request, PageContext) async throws -> Response
    ) async throws -> Response {
        let book = PageResources.sentences
        let language =
            PageCookies(settings: settings).language(of: request)
            ?? Language.wanted(by: request.headers[.acceptLanguage], among: book.offered)
        return try await PageText.$sentences.withValue(book[language]) { try await next(request, context) }
    }
}
