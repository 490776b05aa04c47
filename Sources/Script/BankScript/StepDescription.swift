import Encodings
import Messages

/// One step of the language, described once: its text in YAML, its form under the digest, its words for a person, and what
/// lint, the disclosure and a run have to know of it.
///
/// A step is a value of a type of its own, in a file of its own. ``StepList`` names the types that a program knows; nothing else
/// lists them. How a step runs is the other half of its description, beside the interpreter.
///
/// `Examples/Sources/LookUp` has a step outside the language.
public protocol StepDescription: Sendable {
    // MARK: In YAML

    /// The names under which the step stands in a script. Most steps have one.
    static var names: [String] { get }
    /// The parts that stand beside the name, such as `expecting`.
    static var companions: [StepCompanion] { get }
    /// The names that the step's value may have inside it, by the name of the part in messages.
    static var parts: [String: [String]] { get }

    /// Reads the value that stands behind one of ``names``. One line may hold several steps, such as `fill`.
    ///
    /// - Parameter others: the ``companions`` that are given, by name.
    /// - Throws: ``ScriptSyntaxError`` that says what to write.
    static func read(
        _ value: ScriptNode, named name: String, beside others: [String: ScriptNode]
    ) throws(ScriptSyntaxError) -> [Self]

    /// The name under which this value stands.
    var writtenName: String { get }
    /// The value as YAML, which ``read(_:named:beside:)`` reads as the same step.
    var written: YAMLText { get }
    /// The part that shares a line with steps of the same name; nil for a step with a line of its own.
    var shared: (label: String, value: YAMLText)? { get }

    // MARK: In the schema that editors use

    /// Returns the JSON Schema of the value behind a name.
    static func schema(of name: String) -> JSONValue
    /// The schemas that those of this step and of others refer to, under `#/$defs`.
    static var definitions: [String: JSONValue] { get }

    // MARK: Under the digest

    /// An object with everything that the step means, but ``blocks``. Leave out optional members that have their default, so
    /// that a new member changes the digest of no script that exists.
    var json: JSONValue { get }
    /// The steps inside this one.
    var blocks: [StepBlock] { get }
    /// Returns the step with each list of ``blocks`` changed.
    func changingBlocks(_ change: ([Step]) -> [Step]) -> Self

    // MARK: For a person

    /// Describes the step in one line. A credential appears by name.
    ///
    /// - Parameter filled: the text of a template, ready to stand in a line.
    func words(filling filled: (Template) -> String) -> String
    /// Lines with everything that the words leave out.
    var details: [String] { get }

    // MARK: For lint and the disclosure

    /// Reports what cannot work or must not run. Each text of the step has to be checked as what it is.
    func check(in lint: inout ScriptLint, at mark: Mark?)
    /// The values and answers that leave with the step, or are typed into a page that may send it.
    var sent: [Sending] { get }
    /// The name under which later steps find what this one keeps.
    var keptName: String? { get }
    /// The kinds of the documents that the step fetches.
    var fetchedKinds: [DocumentKind] { get }
    var facts: StepFacts { get }

    /// Returns the step for another host: each address of its own is replaced by `moved`.
    func moving(_ moved: (Template) -> Template) -> Self
}

extension StepDescription {
    public static var companions: [StepCompanion] { [] }
    public static var parts: [String: [String]] { [:] }
    public static var definitions: [String: JSONValue] { [:] }
    public var writtenName: String { Self.names[0] }
    public var shared: (label: String, value: YAMLText)? { nil }
    public var blocks: [StepBlock] { [] }
    public func changingBlocks(_ change: ([Step]) -> [Step]) -> Self { self }
    public var details: [String] { [] }
    public var sent: [Sending] { [] }
    public var keptName: String? { nil }
    public var fetchedKinds: [DocumentKind] { [] }
    public var facts: StepFacts { [] }
    public func moving(_ moved: (Template) -> Template) -> Self { self }
}

/// Facts about a step for the rules about its place among others.
public struct StepFacts: OptionSet, Sendable {
    public let rawValue: Int

    public init(rawValue: Int) {
        self.rawValue = rawValue
    }

    /// May begin on any page of the bank.
    public static let comesFromAnywhere = StepFacts(rawValue: 1 << 0)
    /// May bring a JSON answer.
    public static let bringsJSON = StepFacts(rawValue: 1 << 1)
    /// Succeeds only on a page that has what the author says.
    public static let checksPage = StepFacts(rawValue: 1 << 2)
    /// Ends the run whenever it is reached.
    public static let endsRun = StepFacts(rawValue: 1 << 3)
    /// Ends a path as it should end: with a document, or with a failure that the script declares.
    public static let completesPath = StepFacts(rawValue: 1 << 4)
    /// Asks for a one-time code, an approval or a choice. What it keeps is a code.
    public static let asksForCode = StepFacts(rawValue: 1 << 5)
    /// Gives the bank a credential or a code.
    public static let signsIn = StepFacts(rawValue: 1 << 6)
    /// Sends what steps before it filled in.
    public static let sendsForm = StepFacts(rawValue: 1 << 7)
    /// Sends what it gives itself.
    public static let sendsItself = StepFacts(rawValue: 1 << 8)
    /// Says what the bank shows when it refuses.
    public static let declaresFailure = StepFacts(rawValue: 1 << 9)
    /// Leaves out what belongs to other days than those that are asked for.
    package static let picksDays = StepFacts(rawValue: 1 << 10)
}

/// A part that stands beside a step's name.
public struct StepCompanion: Sendable {
    public var name: String
    public var schema: JSONValue
    public var isRequired: Bool

    public init(_ name: String, schema: JSONValue, isRequired: Bool = false) {
        self.name = name
        self.schema = schema
        self.isRequired = isRequired
    }

    /// The statuses of 400 or more that do not end a step which opens a page.
    public static let expecting = StepCompanion("expecting", schema: ["$ref": "#/$defs/range"])

    /// The longest time for a page in the browser to show what the step looks for.
    public static let within = StepCompanion(
        "within",
        schema: ScriptSchema.described(
            ["$ref": "#/$defs/duration"], "How long a page in the browser may take to show what the step looks for."))
}

/// A list of steps inside a step, under the name that it has in YAML and under the digest.
public struct StepBlock: Sendable {
    public var name: String
    public var steps: [Step]
    /// True for a list that is left out when it is empty.
    public var isOptional: Bool

    public init(_ name: String, _ steps: [Step], isOptional: Bool = false) {
        self.name = name
        self.steps = steps
        self.isOptional = isOptional
    }

    var isWritten: Bool { !(isOptional && steps.isEmpty) }
}

/// Something that a step sends, or types into a page that may send it.
public enum Sending: Sendable {
    /// Values that are typed into a form.
    case form([Value])
    /// A credential of which each character is a key that is pressed.
    case keys(ofCredential: String)
    /// An answer that is typed into a form, in words: `a one-time code`.
    case answer(String)
    /// An address that is opened.
    case address(Template)
    /// A request. The words say how it is repeated, such as `again every 2 s`.
    case request(RequestStep, repeated: String? = nil)
    /// A token that a private key signs, kept under a name.
    case token(SignedToken, as: String)
}

extension Sending {
    /// The values that are typed into a page.
    var typedValues: [Value] {
        switch self {
        case .form(let values): values
        case .keys(let name): [.credential(name)]
        case .answer, .address, .request, .token: []
        }
    }

    /// The names of the credentials that are typed or sent.
    var credentials: [String] {
        switch self {
        case .form, .keys: typedValues.compactMap(\.credentialName)
        case .request(let request, _): request.values.compactMap(\.credentialName)
        case .token(let token, _): token.values.compactMap(\.credentialName)
        case .answer, .address: []
        }
    }

    /// The names of the credentials that sign in: those that accompany a request outside its body do not count.
    var signInCredentials: [String] {
        switch self {
        case .form, .keys: typedValues.compactMap(\.credentialName)
        case .request(let request, _): request.postedValues.compactMap(\.credentialName)
        case .answer, .address, .token: []
        }
    }

    /// The credential whose private key signs.
    var signingKey: String? { if case .token(let token, _) = self { token.key } else { nil } }
}
