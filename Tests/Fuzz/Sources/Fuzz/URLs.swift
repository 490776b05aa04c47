@testable import WebURL

/// Resolves a reference against a base: the first line is the base, the rest the reference.
func fuzzURL(_ input: [UInt8]) {
    let (line, rest) = firstLine(of: input)
    let reference = String(decoding: rest, as: UTF8.self)
    let base = try? URLRecord(parsing: line)
    if let base { check(base) }
    guard let url = try? URLRecord(parsing: reference, base: base) else { return }
    check(url)
    let again = try? URLRecord(parsing: url.description, base: base)
    promise(again == url, "an absolute URL is itself, whatever it is resolved against: \(url) became \(again as Any)")
}

private func check(_ url: URLRecord) {
    let text = url.description
    let again = try? URLRecord(parsing: text)
    promise(again == url, "a URL that is written and read is the same: \(text) became \(again as Any)")
    promise(again?.description == text, "a URL has one spelling: \(text)")
    promise(text.unicodeScalars.allSatisfy { (0x20...0x7E).contains($0.value) }, "a URL is printable ASCII: \(text)")
    promise(url.withoutFragment.fragment == nil, "a request has no fragment")
    if let fragment = url.fragment {
        promise("\(url.withoutFragment)#\(fragment)" == text, "nothing but the fragment is left out: \(text)")
    }
    if url.isSpecial { promise(url.scheme == "file" || url.host != nil, "a URL of the web has a host: \(text)") }
    promise(!url.displayText.contains("@") || url.path.contains("@"), "userinfo is not shown: \(url.displayText)")
    checkOrigin(of: url)
}

/// Checks the origins, which decide what a script may contact.
private func checkOrigin(of url: URLRecord) {
    guard let origin = Origin(of: url) else { return }
    let text = origin.description
    promise((try? Origin(parsing: text)) == origin, "an origin that is written and read is the same: \(text)")
    let home = try? URLRecord(parsing: text)
    promise(home.flatMap(Origin.init) == origin, "an origin is its own URL's: \(text)")
    let page = try? URLRecord(parsing: "/a/b?c", base: url)
    promise(url.hasOpaquePath || page.flatMap(Origin.init) == origin, "a path stays in its origin: \(url)")
}
