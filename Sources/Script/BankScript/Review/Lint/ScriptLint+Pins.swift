import Foundation

extension ScriptLint {
    /// Reports pins that no server can match, and pins that will stop the script when the bank changes its key.
    mutating func checkPins() {
        if script.engine == .browser, !script.pins.isEmpty {
            report(
                "pin", .error, "a script for the browser cannot pin keys: the browser cannot be held to them",
                hint: "remove “pins”, or use the engine html", at: nil, about: "pins")
        }
        for (origin, keys) in script.pins.sorted(by: { $0.key < $1.key }) {
            if !script.origins.contains(origin) || !origin.hasPrefix("https://") {
                report(
                    "pin", .error, "“\(origin)” has pins, but is not an https origin of the script",
                    hint: "write it exactly as under “origins”", at: nil, about: origin)
            }
            for key in keys where !Self.isPin(key) {
                report(
                    "pin", .error, "“\(key)” is not a pin",
                    hint: "write sha256/ and the base64 of the key's SHA-256, 44 characters", at: nil, about: key)
            }
            // RFC 7469, section 4.3: pin a backup key, so that losing or replacing one key does not lock the script
            // out.
            if Set(keys).count < 2 {
                report(
                    "backup-pin", keys.isEmpty ? .error : .warning,
                    "“\(origin)” has \(keys.isEmpty ? "no pin" : "one pin"); if the bank changes its key, the script fails",
                    hint: "add a backup key: the bank's next key, or the key of its other servers", at: nil,
                    about: origin)
            }
        }
    }

    private static func isPin(_ text: String) -> Bool {
        text.hasPrefix("sha256/") && text.utf8.count == 51
            && Data(base64Encoded: String(text.dropFirst(7)))?.count == 32
    }
}
