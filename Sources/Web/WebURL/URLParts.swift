/// The components of a URL (URL Standard, section 4.1), as the parser builds them; ``URLRecord`` documents each.
struct URLParts: Sendable {
    enum Path: Sendable {
        case opaque(String)
        case segments([String])
    }

    var scheme = ""
    var username = ""
    var password = ""
    var host: Host?
    var port: UInt16?
    var path = Path.segments([])
    var query: String?
    var fragment: String?

    var isSpecial: Bool {
        scheme == "https" || scheme == "http" || scheme == "file" || scheme == "ftp" || scheme == "ws"
            || scheme == "wss"
    }

    var hasCredentials: Bool { !username.isEmpty || !password.isEmpty }

    var hasOpaquePath: Bool {
        if case .opaque = path { true } else { false }
    }

    /// The URL serializer (section 4.5).
    var serialized: String {
        var text: [UInt8] = []
        text.reserveCapacity(127)
        text += scheme.utf8
        text += ":".utf8
        if let host {
            text += "//".utf8
            if hasCredentials {
                text += username.utf8
                if !password.isEmpty {
                    text += ":".utf8
                    text += password.utf8
                }
                text += "@".utf8
            }
            text += host.description.utf8
            if let port {
                text += ":".utf8
                text += String(port).utf8
            }
        } else if case .segments(let segments) = path, segments.count > 1, segments[0].isEmpty {
            text += "/.".utf8
        }
        switch path {
        case .opaque(let path): text += path.utf8
        case .segments(let segments):
            for segment in segments {
                text += "/".utf8
                text += segment.utf8
            }
        }
        if let query {
            text += "?".utf8
            text += query.utf8
        }
        if let fragment {
            text += "#".utf8
            text += fragment.utf8
        }
        return String(decoding: text, as: UTF8.self)
    }
}
