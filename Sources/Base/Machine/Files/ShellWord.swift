/// A text as one word of a POSIX shell (IEEE Std 1003.1, XCU 2.2).
package enum ShellWord {
    /// Returns the text in quotes where a shell would not read it as it stands.
    package static func quoted(_ text: String) -> String {
        text.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || "/._-".contains($0)) }
            ? text : "'" + text.replacing("'", with: "'\\''") + "'"
    }
}
