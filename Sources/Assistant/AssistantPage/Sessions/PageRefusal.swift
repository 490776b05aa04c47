/// The reason why a page's request is refused.
enum PageRefusal: Error {
    case signInFirst
    case staleForm
    case badInput
    case notFound
}
