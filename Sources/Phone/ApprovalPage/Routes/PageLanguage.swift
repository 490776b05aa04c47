import HTTPTypes
import Hummingbird
import Languages

/// Answers each request in its person's language: the one that the phone's owner has chosen, or else the one that the browser
/// asks for.
struct PageLanguage: RouterMiddleware {
    let state: PageState

    func handle(
        _ request: Request, context: PageContext, next: (Request, PageContext) async throws -> Response
    ) async throws -> Response {
        let book = PageResources.sentences
        let language =
            await state.language ?? Language.wanted(by: request.headers[.acceptLanguage], among: book.offered)
        return try await PageText.$sentences.withValue(book[language]) { try await next(request, context) }
    }
}
