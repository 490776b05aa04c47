extension URLParser {
    mutating func relative() {
        guard let base else { return }
        url.scheme = base.scheme
        if isSlash {
            state = .relativeSlash
            return
        }
        copyAuthority(of: base)
        takePathAndQuery(of: base)
    }

    /// Starts from the base's path and query, and drops what the reference replaces: the end of the relative state and of
    /// the file state.
    private mutating func takePathAndQuery(of base: URLRecord) {
        copyPath(of: base)
        url.query = base.query
        switch current {
        case "?": state = .query
        case "#": state = .fragment
        case nil: break
        default:
            url.query = nil
            _ = segments.popLast()
            state = .path
            pointer -= 1
        }
    }

    mutating func relativeSlash() {
        if url.isSpecial, current == "/" || current == "\\" {
            state = .specialAuthorityIgnoreSlashes
        } else if current == "/" {
            state = .authority
        } else {
            if let base { copyAuthority(of: base) }
            state = .path
            pointer -= 1
        }
    }

    private mutating func copyAuthority(of base: URLRecord) {
        url.username = base.username
        url.password = base.password
        url.host = base.host
        url.port = base.port
    }

    private mutating func copyPath(of base: URLRecord) {
        if case .segments(let others) = base.parts.path { segments = others }
    }

    mutating func authority() throws(URLParsingError) {
        if current == "@" {
            if atSignSeen { buffer.insert(contentsOf: "%40".unicodeScalars, at: 0) }
            atSignSeen = true
            for scalar in buffer {
                if scalar == ":", !passwordTokenSeen {
                    passwordTokenSeen = true
                } else if passwordTokenSeen {
                    url.password += PercentEncoding.encode(String(scalar).utf8, .userinfo)
                } else {
                    url.username += PercentEncoding.encode(String(scalar).utf8, .userinfo)
                }
            }
            buffer = []
        } else if endsAuthority {
            if atSignSeen, buffer.isEmpty { throw failure(.emptyHost) }
            pointer -= buffer.count + 1
            buffer = []
            state = .host
        } else if let scalar = current {
            buffer.append(scalar)
        }
    }

    mutating func host() throws(URLParsingError) {
        if state == .fileHost {
            try fileHost()
        } else if current == ":", !insideBrackets {
            if buffer.isEmpty { throw failure(.emptyHost) }
            url.host = try parsedHost()
            state = .port
        } else if endsAuthority {
            pointer -= 1
            if buffer.isEmpty, url.isSpecial { throw failure(.emptyHost) }
            url.host = try parsedHost()
            state = .pathStart
        } else if let scalar = current {
            if scalar == "[" { insideBrackets = true }
            if scalar == "]" { insideBrackets = false }
            buffer.append(scalar)
        }
    }

    private mutating func parsedHost() throws(URLParsingError) -> Host {
        defer { buffer = [] }
        guard let host = Host(parsing: buffer.text, isSpecial: url.isSpecial) else { throw failure(.invalidHost) }
        return host
    }

    mutating func port() throws(URLParsingError) {
        if let scalar = current, scalar.isASCIIDigit {
            buffer.append(scalar)
        } else if endsAuthority {
            if !buffer.isEmpty {
                let digits = buffer.drop { $0 == "0" }.text
                guard let number = digits.isEmpty ? 0 : UInt16(digits) else { throw failure(.invalidPort) }
                url.port = number == URLRecord.defaultPort(of: url.scheme) ? nil : number
            }
            buffer = []
            state = .pathStart
            pointer -= 1
        } else {
            throw failure(.invalidPort)
        }
    }

    mutating func file() {
        url.scheme = "file"
        url.host = .empty
        if current == "/" || current == "\\" {
            state = .fileSlash
        } else if let base, base.scheme == "file" {
            url.host = base.host
            takePathAndQuery(of: base)
        } else {
            state = .path
            pointer -= 1
        }
    }

    mutating func fileSlash() {
        if current == "/" || current == "\\" {
            state = .fileHost
        } else {
            if let base, base.scheme == "file" { url.host = base.host }
            state = .path
            pointer -= 1
        }
    }

    private mutating func fileHost() throws(URLParsingError) {
        guard endsAuthority else {
            if let scalar = current { buffer.append(scalar) }
            return
        }
        pointer -= 1
        if !buffer.isEmpty {
            let host = try parsedHost()
            url.host = host == .domain("localhost") ? .empty : host
        }
        state = .pathStart
    }
}
