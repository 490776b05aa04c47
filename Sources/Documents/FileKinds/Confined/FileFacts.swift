import Encodings

/// The values that travel between the confined reader and the process that asked it.
enum FileFacts {
    static func json(of file: CheckedFile) -> JSONValue {
        [
            "kind": .string(file.kind.rawValue), "changed": .bool(file.isChanged),
            "notes": .array(file.notes.map(JSONValue.string)),
        ]
    }

    /// - Parameter bytes: the file's own, or those that the reader gave instead.
    /// - Returns: nil for facts that are not those of a file.
    static func file(_ json: JSONValue, _ bytes: [UInt8]) -> CheckedFile? {
        guard let kind = json["kind"]?.stringValue.flatMap(FileKind.init(rawValue:)),
            let isChanged = json["changed"]?.boolValue, let notes = json["notes"]?.arrayValue?.compactMap(\.stringValue)
        else { return nil }
        return CheckedFile(kind: kind, bytes: bytes, isChanged: isChanged, notes: notes)
    }

    private static let codes: [(name: String, code: FileRefusal.Code)] = [
        ("wrongKind", .wrongKind), ("damaged", .damaged), ("tooLarge", .tooLarge), ("forbidden", .forbidden),
        ("unread", .unread),
    ]

    static func json(of refusal: FileRefusal) -> JSONValue {
        let name = codes.first { $0.code == refusal.code }?.name ?? "unread"
        return ["code": .string(name), "message": .string(refusal.message)]
    }

    /// - Returns: nil for facts that are not a refusal.
    static func refusal(_ json: JSONValue?) -> FileRefusal? {
        guard let name = json?["code"]?.stringValue, let code = codes.first(where: { $0.name == name })?.code,
            let message = json?["message"]?.stringValue
        else { return nil }
        return FileRefusal(code, message)
    }

    static func json(of limits: FileLimits) -> JSONValue {
        .array([limits.size, limits.entries, limits.unpacked, limits.ratio].map { .number(Double($0)) })
    }

    static func limits(_ json: JSONValue?) -> FileLimits {
        let numbers = json?.arrayValue?.compactMap(\.intValue) ?? []
        guard numbers.count == 4 else { return FileLimits() }
        return FileLimits(size: numbers[0], entries: numbers[1], unpacked: numbers[2], ratio: numbers[3])
    }
}
