import Encodings

/// The reason why a program's file is left alone; what its user can do instead is for the caller to say.
struct ProgramFileProblem: Error, Sendable, Hashable, CustomStringConvertible {
    let description: String
}

/// The text of a program's file, changed in one place: everything else stays as its user wrote it.
protocol ProgramFileText {
    /// Returns the text with the server's entry in place of an earlier one.
    ///
    /// - Throws: ``ProgramFileProblem`` for a text in which the place cannot be found for certain.
    func adding(_ command: ServerCommand, to text: String) throws -> String
    /// Returns the text without the server's entry, and without the lists that are empty then; nil when the entry is missing.
    ///
    /// - Throws: ``ProgramFileProblem`` for an entry, or a text, that cannot be told apart from the rest for certain.
    func removing(from text: String) throws -> String?
}

extension AgentProgram {
    var text: any ProgramFileText {
        switch form {
        case .json(let path): JSONProgramFile(path: path, namesTransport: namesTransport)
        case .toml(let table): TOMLProgramFile(table: table)
        case .yaml(let key): YAMLProgramFile(key: key)
        }
    }
}
