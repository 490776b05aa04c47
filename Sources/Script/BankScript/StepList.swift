import Encodings

/// The steps that a program knows, each described once. Reading, the schema and lint know no other.
public struct StepList: Sendable, Hashable {
    public let all: [any StepDescription.Type]
    /// The names of the steps, in order.
    public let names: [String]
    private let byName: [String: any StepDescription.Type]

    /// The steps of the language.
    public static let standard = StepList([
        OpenStep.self, FollowStep.self, FillStep.self, ChooseStep.self, CheckStep.self, PressStep.self,
        PressEachStep.self,
        SubmitStep.self, EnterStep.self, SecondFactorStep.self, ExpectStep.self, FailStep.self, WhenStep.self,
        SearchStep.self, CaptureStep.self, RequestStep.self, WaitStep.self, DownloadStep.self,
    ])

    /// Of two steps with one name, the first counts.
    public init(_ all: [any StepDescription.Type]) {
        self.all = all
        names = all.flatMap { $0.names }
        byName = Dictionary(all.flatMap { type in type.names.map { ($0, type) } }) { first, _ in first }
    }

    public static func + (some: StepList, more: [any StepDescription.Type]) -> StepList { StepList(some.all + more) }

    subscript(name: String) -> (any StepDescription.Type)? { byName[name] }

    /// The names of the parts that stand beside a step's name, each once.
    var companionNames: [String] {
        var names: [String] = []
        for companion in all.flatMap({ $0.companions }) where !names.contains(companion.name) {
            names.append(companion.name)
        }
        return names
    }

    /// The names of the steps that have a part beside them.
    func names(with companion: String) -> [String] {
        all.filter { $0.companions.contains { $0.name == companion } }.flatMap { $0.names }
    }

    var parts: [String: [String]] {
        all.reduce(into: [:]) { parts, type in parts.merge(type.parts) { first, _ in first } }
    }

    var definitions: [String: JSONValue] {
        all.reduce(into: [:]) { definitions, type in definitions.merge(type.definitions) { first, _ in first } }
    }

    public static func == (left: StepList, right: StepList) -> Bool {
        left.all.map(ObjectIdentifier.init) == right.all.map(ObjectIdentifier.init)
    }

    public func hash(into hasher: inout Hasher) { hasher.combine(names) }
}
