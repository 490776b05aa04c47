/// The reason why a page's request is refused.
enum PageRefusal: Error {
    case signInFirst
    case staleForm
    case badInput
    /// The phone is unlocked, but the key of the copies is not at hand.
    case locked
    case notFound
}
