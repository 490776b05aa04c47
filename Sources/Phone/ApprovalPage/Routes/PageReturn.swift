/// The place to which a person returns after they have unlocked the page.
struct PageReturn: Sendable {
    /// A path below the browser's folder.
    let path: String

    static let inbox = PageReturn(path: "/")

    private init(path: String) { self.path = path }

    /// - Parameter text: from an address or a form; anything but one of the page's places counts as the inbox.
    init(_ text: String?) {
        let places = /\/(history|documents|banks(\/add)?|settings|audit|passkeys|ask|devices|clients|household)?/
        let isPlace = text?.wholeMatch(of: places) != nil
        self.init(path: isPlace ? text ?? "/" : "/")
    }
}
