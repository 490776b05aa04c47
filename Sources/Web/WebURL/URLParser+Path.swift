extension URLParser {
    mutating func pathStart() {
        if url.isSpecial {
            state = .path
            if current != "/", current != "\\" { pointer -= 1 }
        } else if current == "?" {
            state = .query
        } else if current == "#" {
            state = .fragment
        } else if current != nil {
            state = .path
            if current != "/" { pointer -= 1 }
        }
    }

    mutating func path() {
        guard endsAuthority else {
            guard let scalar = current else { return }
            let encoded = PercentEncodeSet.path
            let plain = input[pointer...].prefix {
                $0.isASCII && !encoded.contains(UInt8(truncatingIfNeeded: $0.value)) && !isSlash($0)
            }
            if plain.isEmpty {
                buffer.append(contentsOf: PercentEncoding.encode(String(scalar).utf8, .path).unicodeScalars)
            } else {
                buffer.append(contentsOf: plain)
                pointer = plain.endIndex - 1
            }
            return
        }
        let segment = buffer.text
        switch Self.dots(in: segment) {
        case 2:
            _ = segments.popLast()
            if !isSlash { segments.append("") }
        case 1: if !isSlash { segments.append("") }
        default: segments.append(segment)
        }
        buffer = []
        if current == "?" {
            state = .query
        } else if current == "#" {
            state = .fragment
        }
    }

    /// Returns 1 for a single-dot segment, 2 for a double-dot segment, and nil for any other. `%2e` counts as a dot.
    private static func dots(in segment: String) -> Int? {
        guard segment.utf8.count <= "%2e%2e".utf8.count, let first = segment.utf8.first,
            first == UInt8(ascii: ".") || first == UInt8(ascii: "%")
        else { return nil }
        let undotted = segment.lowercased().replacing("%2e", with: ".")
        return undotted == "." ? 1 : undotted == ".." ? 2 : nil
    }

    mutating func opaquePath() {
        switch current {
        case "?": state = .query
        case "#": state = .fragment
        case " ": appendToOpaquePath(next == "?" || next == "#" ? "%20" : " ")
        case .some(let scalar): appendToOpaquePath(PercentEncoding.encode(String(scalar).utf8, .control))
        case nil: break
        }
    }

    private mutating func appendToOpaquePath(_ text: String) {
        if case .opaque(let path) = url.path { url.path = .opaque(path + text) }
    }

    /// Reads the whole query at once. The states before it need not set an empty one, as the standard's states do.
    mutating func query() {
        let end = input[pointer...].firstIndex(of: "#") ?? input.endIndex
        // Only special URLs use the document's encoding, except for WebSocket URLs.
        let isDocumentEncoded = url.isSpecial && url.scheme != "ws" && url.scheme != "wss"
        let encoding = isDocumentEncoded ? encoding : .utf8
        url.query = encoding.percentEncode(input[pointer..<end], url.isSpecial ? .specialQuery : .query)
        pointer = end
        if current == "#" { state = .fragment }
    }

    /// Reads the whole fragment at once.
    mutating func fragment() {
        url.fragment = PercentEncoding.encode(input[pointer...].text.utf8, .fragment)
        pointer = input.endIndex
    }
}
