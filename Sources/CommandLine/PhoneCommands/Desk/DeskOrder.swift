import Encodings

extension PhoneWork.Order {
    init?(_ json: JSONValue) {
        guard let task = (json["do"]?.stringValue).flatMap(Task.init) else { return nil }
        self.init(task, id: json["id"]?.stringValue)
        self.json = json["json"] == true
        triesAgain = json["try_again"] == true
        isAttended = json["attended"] == true
    }

    var members: [String: JSONValue] {
        [
            "do": .string(task.rawValue), "id": id.map(JSONValue.string) ?? .null, "json": .bool(json),
            "try_again": .bool(triesAgain), "attended": .bool(isAttended),
        ]
    }
}
