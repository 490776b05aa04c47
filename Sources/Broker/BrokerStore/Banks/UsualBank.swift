/// The bank of a request that names none.
package enum UsualBank: Sendable, Hashable {
    case bank(String)
    /// There are several, and the request must name one of them. They are in order.
    case oneOf([String])
}
