/// The thing kept from an earlier visit that a bank's refusal is about.
enum Staleness {
    /// The form of a segment: the bank speaks other versions now.
    case parameters
    /// The TAN method.
    case method
    /// The system id.
    case installation

    /// The codes that stand beside one that says why.
    private static let general: Set<String> = ["9010", "9050", "9800"]

    /// Reads a refusal of a sign-in; nil where it may be about the PIN, or about something else. Some banks refuse a PIN with
    /// nothing but a general code, so that one counts only where the bank also says that the PIN is right.
    init?(_ answers: [BankAnswer]) {
        let refusals = answers.filter { $0.isRefusal || $0.meaning.endsSignIn }
        guard !refusals.isEmpty, !refusals.contains(where: \.meaning.endsSignIn) else { return nil }
        let codes = Set(refusals.map(\.code)).subtracting(Self.general)
        if codes == ["9391"] {
            self = .installation
        } else if codes == ["9361"] || codes == ["9075"]
            || codes.isEmpty && answers.contains(where: { $0.code == "0901" })
        {
            self = .method
        } else if !codes.isEmpty, codes.allSatisfy({ $0.hasPrefix("91") && $0 != "9185" }) {
            self = .parameters
        } else {
            return nil
        }
    }
}
