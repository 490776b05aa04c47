/// A bank's question for a second factor (HITAN).
package struct Challenge: Sendable {
    /// The bank's own words, which a stranger wrote.
    package let words: String
    /// A picture to read with an app or a device, such as photoTAN or a QR code.
    package let picture: Picture?
    /// The text for a reader that looks at flickering bars; nil for another question.
    let flicker: HHDCode?
    package let method: TANMethod
    /// The name of the medium that the bank expects; empty when it names none.
    package let medium: String
    /// The bank's name for what is to be released.
    let reference: String

    package struct Picture: Sendable, Hashable {
        package let bytes: [UInt8]
        package let mediaType: String
    }

    /// Returns the picture in the data of a challenge; nil for data of another kind, such as that of a flicker code.
    ///
    /// The data is the length of the media type in two bytes, the media type, the length of the picture in two bytes, and
    /// the picture (FinTS 3.0, Security, Sicherheitsverfahren PIN/TAN, 2020-07-10, data dictionary, “Challenge HHD_UC”,
    /// structure for a matrix code).
    static func picture(in data: [UInt8]) -> Picture? {
        func count(at place: Int) -> Int? {
            data.count >= place + 2 ? Int(data[place]) << 8 | Int(data[place + 1]) : nil
        }
        guard let typeLength = count(at: 0), (5...40).contains(typeLength), let length = count(at: 2 + typeLength),
            length > 0, data.count == 4 + typeLength + length
        else { return nil }
        let type = Latin1.text(data[2..<2 + typeLength]).lowercased()
        guard ["image/png", "image/jpeg", "image/gif"].contains(type) else { return nil }
        return Picture(bytes: Array(data[(4 + typeLength)...]), mediaType: type)
    }

    /// Removes the few marks of HTML that a structured challenge may have, such as `<br>`.
    static func plain(_ words: String) -> String {
        var plain = ""
        var isTag = false
        for character in words {
            switch character {
            case "<": isTag = true
            case ">" where isTag:
                isTag = false
                plain.append(" ")
            default: if !isTag { plain.append(character) }
            }
        }
        // A text with a single “<” is not HTML.
        return isTag ? words : plain
    }
}
