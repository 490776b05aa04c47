import Machine

// Checks of a kind that is plugged in.

extension FileKind {
    /// Returns why a program cannot have a plugged-in kind beside others, as the end of a sentence about it; nil when it can. Its
    /// name is checked like the name of every plug-in.
    package func problem(beside others: [FileKind]) -> String? {
        // `as:` in a script has other meanings for these.
        if rawValue == "transactions" { return "is a word of the language of scripts; give the kind another name" }
        guard mediaType.wholeMatch(of: Self.mediaTypes) != nil else {
            return "has the media type “\(mediaType.visible)”, which is not one; write it in small letters and without "
                + "parameters, such as application/vnd.mybank.export"
        }
        guard fileExtension.wholeMatch(of: Self.endings) != nil, !TemporaryNames.isTemporary("a." + fileExtension)
        else {
            return "has the ending “\(fileExtension.visible)”, which documents cannot have; use 1 to 10 small letters "
                + "and digits, but no ending of unfinished files"
        }
        if let other = others.first(where: { $0.fileExtension == fileExtension }) {
            return "has the ending “\(fileExtension)”, which belongs to \(other); give it another"
        }
        if let other = others.first(where: { $0.mediaType == mediaType }) {
            return "has the media type “\(mediaType)”, which belongs to \(other); give it another"
        }
        return nil
    }

    /// Types as RFC 6838, section 4.2 has them, in small letters.
    private static var mediaTypes: Regex<Substring> {
        /[a-z0-9][a-z0-9!#$&^_.+\-]{0,126}\/[a-z0-9][a-z0-9!#$&^_.+\-]{0,126}/
    }

    private static var endings: Regex<Substring> { /[a-z0-9]{1,10}/ }
}
