extension WebURLParser {
    mutating func pathStart() {
        if url.isSpecial {
            state = .path
            if current != "/", current != "\\" { pointer -= 1 }
        } else if current == "?" {
            url.query = ""
            state = .query
        } else if current == "#" {
            url.fragment = ""
            state = .fragment
        } else if current != nil {
            state = .path
            if current != "/" { pointer -= 1 }
        }
    }

    mutating func path() {
        guard endsAuthority else {
            guard let scalar = current else { return }
            if scalar.isASCII, !PercentEncodeSet.path.contains(UInt8(scalar.value)) {
                buffer.append(scalar)
            } else {
                buffer.append(contentsOf: PercentEncoding.encode(String(scalar).utf8, .path).unicodeScalars)
            }
            return
        }
        let segment = buffer.text
        // Nothing longer than "%2e%2e" is dots alone.
        let undotted = buffer.count > 6 ? segment : segment.lowercased().replacing("%2e", with: ".")
        if undotted == ".." {
            _ = segments.popLast()
            if !isSlash { segments.append("") }
        } else if undotted == "." {
            if !isSlash { segments.append("") }
        } else {
            segments.append(segment)
        }
        buffer = []
        if current == "?" {
            url.query = ""
            state = .query
        } else if current == "#" {
            url.fragment = ""
            state = .fragment
        }
    }

    mutating func opaquePath() {
        switch current {
        case "?":
            url.query = ""
            state = .query
        case "#":
            url.fragment = ""
            state = .fragment
        case " ": appendToOpaquePath(next == "?" || next == "#" ? "%20" : " ")
        case .some(let scalar): appendToOpaquePath(PercentEncoding.encode(String(scalar).utf8, .control))
        case nil: break
        }
    }

    private mutating func appendToOpaquePath(_ text: String) {
        if case .opaque(let path) = url.pathForm { url.pathForm = .opaque(path + text) }
    }

    mutating func query() {
        guard current == nil || current == "#" else {
            if let scalar = current { buffer.append(scalar) }
            return
        }
        // Only special schemes take the document's encoding, and sockets do not.
        let isDocumentEncoded = url.isSpecial && url.scheme != "ws" && url.scheme != "wss"
        let encoding = isDocumentEncoded ? encoding : .utf8
        url.query = encoding.percentEncode(buffer, url.isSpecial ? .specialQuery : .query)
        buffer = []
        if current == "#" {
            url.fragment = ""
            state = .fragment
        }
    }

    mutating func fragment() {
        guard let scalar = current else { return }
        url.fragment = (url.fragment ?? "") + PercentEncoding.encode(String(scalar).utf8, .fragment)
    }
}
