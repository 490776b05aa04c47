/// The basic URL parser (URL Standard, section 4.4). Each state has a method.
struct URLParser {
    enum State {
        case schemeStart, scheme, noScheme, specialRelativeOrAuthority, pathOrAuthority, relative, relativeSlash
        case specialAuthoritySlashes, specialAuthorityIgnoreSlashes, authority, host, port, file, fileSlash, fileHost
        case pathStart, path, opaquePath, query, fragment
    }

    let text: String
    let input: [Unicode.Scalar]
    let base: URLRecord?
    let encoding: QueryEncoding
    var url = URLParts()
    var state = State.schemeStart
    var pointer = 0
    var buffer: [Unicode.Scalar] = []
    var atSignSeen = false
    var insideBrackets = false
    var passwordTokenSeen = false
    var segments: [String] = []

    init(_ text: String, base: URLRecord?, encoding: QueryEncoding) {
        self.text = text
        self.base = base
        self.encoding = encoding
        var scalars: [Unicode.Scalar] = []
        scalars.reserveCapacity(text.utf8.count)
        for scalar in text.unicodeScalars where scalar != "\t" && scalar != "\n" && scalar != "\r" {
            if scalar.value > 0x20 || !scalars.isEmpty { scalars.append(scalar) }
        }
        while let last = scalars.last, last.value <= 0x20 { scalars.removeLast() }
        input = scalars
    }

    /// The scalar under the pointer; nil at the end ("EOF code point").
    var current: Unicode.Scalar? { pointer >= 0 && pointer < input.count ? input[pointer] : nil }

    var next: Unicode.Scalar? { pointer + 1 < input.count ? input[pointer + 1] : nil }

    /// True if the current scalar is a slash, or a backslash of a special URL.
    var isSlash: Bool { current.map(isSlash) ?? false }

    func isSlash(_ scalar: Unicode.Scalar) -> Bool { scalar == "/" || scalar == "\\" && url.isSpecial }

    var endsAuthority: Bool { current == nil || current == "?" || current == "#" || isSlash }

    mutating func parse() throws(URLParsingError) -> URLParts {
        segments.reserveCapacity(4)
        while true {
            try step()
            if pointer >= input.count { break }
            pointer += 1
        }
        if !url.hasOpaquePath { url.path = .segments(segments) }
        return url
    }

    func failure(_ code: URLParsingError.Code) -> URLParsingError { URLParsingError(code, text) }

    private mutating func step() throws(URLParsingError) {
        switch state {
        case .schemeStart, .scheme: scheme()
        case .noScheme: try noScheme()
        case .specialRelativeOrAuthority, .pathOrAuthority, .specialAuthoritySlashes, .specialAuthorityIgnoreSlashes:
            slashes()
        case .relative: relative()
        case .relativeSlash: relativeSlash()
        case .authority: try authority()
        case .host, .fileHost: try host()
        case .port: try port()
        case .file: file()
        case .fileSlash: fileSlash()
        case .pathStart: pathStart()
        case .path: path()
        case .opaquePath: opaquePath()
        case .query: query()
        case .fragment: fragment()
        }
    }

    private mutating func scheme() {
        if state == .schemeStart {
            if let scalar = current, scalar.isASCIILetter {
                buffer.append(scalar.asciiLowercased)
                state = .scheme
            } else {
                state = .noScheme
                pointer -= 1
            }
            return
        }
        if let scalar = current, scalar.isASCIILetter || scalar.isASCIIDigit || "+-.".unicodeScalars.contains(scalar) {
            buffer.append(scalar.asciiLowercased)
        } else if current == ":" {
            url.scheme = buffer.text
            buffer = []
            if url.scheme == "file" {
                state = .file
            } else if url.isSpecial {
                state = base?.scheme == url.scheme ? .specialRelativeOrAuthority : .specialAuthoritySlashes
            } else if next == "/" {
                state = .pathOrAuthority
                pointer += 1
            } else {
                url.path = .opaque("")
                state = .opaquePath
            }
        } else {
            buffer = []
            state = .noScheme
            pointer = -1
        }
    }

    private mutating func noScheme() throws(URLParsingError) {
        guard let base, !base.hasOpaquePath || current == "#" else { throw failure(.relativeWithoutBase) }
        if base.hasOpaquePath {
            url = base.parts
            state = .fragment
        } else {
            state = base.scheme == "file" ? .file : .relative
            pointer -= 1
        }
    }

    private mutating func slashes() {
        switch state {
        case .specialRelativeOrAuthority:
            if current == "/", next == "/" {
                state = .specialAuthorityIgnoreSlashes
                pointer += 1
            } else {
                state = .relative
                pointer -= 1
            }
        case .pathOrAuthority:
            if current == "/" {
                state = .authority
            } else {
                state = .path
                pointer -= 1
            }
        case .specialAuthoritySlashes:
            state = .specialAuthorityIgnoreSlashes
            if current == "/", next == "/" { pointer += 1 } else { pointer -= 1 }
        default:
            if current != "/", current != "\\" {
                state = .authority
                pointer -= 1
            }
        }
    }
}

extension Unicode.Scalar {
    var isASCIILetter: Bool { ("a"..."z").contains(self) || ("A"..."Z").contains(self) }
    var isASCIIDigit: Bool { ("0"..."9").contains(self) }
    var asciiLowercased: Unicode.Scalar {
        ("A"..."Z").contains(self) ? Unicode.Scalar(UInt8(value) + 32) : self
    }
}

extension Collection<Unicode.Scalar> {
    var text: String {
        if allSatisfy(\.isASCII) {
            return String(unsafeUninitializedCapacity: count) { bytes in
                for (index, scalar) in enumerated() { bytes[index] = UInt8(truncatingIfNeeded: scalar.value) }
                return bytes.count
            }
        }
        var view = String.UnicodeScalarView()
        view.append(contentsOf: self)
        return String(view)
    }
}
