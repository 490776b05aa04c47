import Phone
import PhoneStore

/// The https origin under which a proxy on this machine serves the page, such as `https://phone.example`.
package struct ProxyOrigin: Sendable, Hashable {
    package let hostName: String
    /// 443, unless the origin names another port.
    package let port: Int

    /// - Throws: ``PhoneError`` when the text is not an https origin in lower case.
    package init(_ text: String) throws(PhoneError) {
        guard let match = text.wholeMatch(of: /https:\/\/([^\/:@?#]+)(?::([1-9][0-9]{0,4}))?\/?/),
            let port = Int(match.2 ?? "443"), port <= 65_535
        else {
            throw PhoneError(
                .invalidSetting,
                "“\(text)” is not the address of a page, such as https://phone.example or "
                    + "https://phone.example:8443; give what browsers show, without a path")
        }
        hostName = String(match.1)
        self.port = port
    }
}
