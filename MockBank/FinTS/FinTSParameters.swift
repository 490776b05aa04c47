/// The parameters that the mock bank sends: BPD and UPD (FinTS 3.0, Formals, chapters D and E).
struct FinTSParameters: Sendable {
    let configuration: FinTSBankConfiguration
    let version: Int

    private var scenario: FinTSScenario { configuration.scenario }

    var bankCode: String { scenario == .otherBank ? "87654321" : configuration.bankCode }

    /// The system id that the bank gives in a dialog of this number.
    func newSystemID(in opened: Int) -> String { "sys+4711:\(opened)" }

    /// The numbers of the methods that the customer may use.
    var allowed: [String] {
        switch scenario {
        case .decoupled, .decoupledUnanswered, .decoupledRefused: ["921"]
        case .photoTAN: ["902"]
        case .severalMethods: ["921", "942"]
        default: ["942"]
        }
    }

    var offersPDF: Bool { scenario != .noPDF && scenario != .onlyMT940 }
    var offersCAMT: Bool { scenario != .onlyMT940 }

    func bank(answering reference: Int) -> [String] {
        let code = WireSegment.escaped(bankCode)
        let jobs = ["HKSPA", "HKSAL", "HKKAU", "HKEKP", "HKEKA", "HKCAZ", "HKKAZ"]
        let needsTAN = scenario == .tanForStatements ? "J" : "N"
        let rules = jobs.map { "\($0):\(needsTAN)" } + ["HKTAB:N", "HKTAN:N"]
        var segments = [
            "HIBPA:0:3:\(reference)+\(version)+280:\(code)+Meridian Savings+1+1+300+9999",
            "HISHV:0:3:\(reference)+J+PIN:1",
            "HIPINS:0:1:\(reference)+1+1+1+4:20:6:Login::\(rules.joined(separator: ":"))",
            "HISPAS:0:1:\(reference)+1+1+1+J:J:N:sepade?:xsd?:pain.001.001.02.xsd",
            "HISALS:0:6:\(reference)+1+1+1", "HISALS:0:7:\(reference)+1+1+1", "HISALS:0:99:\(reference)+1+1+1",
            "HIKAZS:0:6:\(reference)+1+1+1+365:J:N", "HIKAZS:0:7:\(reference)+1+1+1+365:J:N",
            "HITABS:0:4:\(reference)+1+1+1", "HITABS:0:5:\(reference)+1+1+1",
            // A job for payments, as every bank offers; no reader may ask for it.
            "HICCSS:0:1:\(reference)+1+1+1",
            "HITANS:0:6:\(reference)+1+1+1+J:N:0:\(typed(942, "SMS-TAN", medium: scenario == .severalMethods)):"
                + typed(902, "photoTAN", medium: false),
            "HITANS:0:7:\(reference)+1+1+1+J:N:0:\(decoupled)",
        ]
        if offersCAMT {
            segments.append(
                "HICAZS:0:1:\(reference)+1+1+1+365:J:N:urn?:iso?:std?:iso?:20022?:tech?:xsd?:camt.053.001.02")
        }
        if offersPDF {
            segments += [
                "HIKAUS:0:2:\(reference)+1+1+1", "HIEKPS:0:2:\(reference)+1+1+1+J:N:J:N",
                "HIEKAS:0:5:\(reference)+1+1+1+J:N:J:3",
            ]
        }
        return segments
    }

    /// A method of version 6 with its 21 elements.
    private func typed(_ function: Int, _ name: String, medium: Bool) -> String {
        "\(function):2:\(name)ID:\(name)::\(name):6:1:TAN:2048:J:1:N:0:0:N:N:00:\(medium ? 2 : 0):N:\(medium ? 2 : 1)"
    }

    /// A decoupled method of version 7 with its 26 elements.
    private var decoupled: String {
        "921:2:PushID:Decoupled::Meridian App:::Freigabe:2048:J:1:N:0:0:N:N:00:0:N:1:"
            + "\(configuration.polls):0:1:N:J"
    }

    func user(answering reference: Int) -> [String] {
        ["HIUPA:0:4:\(reference)+\(WireSegment.escaped(configuration.user))+\(version)+0"]
            + Account.all.map { account in
                var jobs = ["HKSPA", "HKSAL", "HKKAZ"]
                if offersCAMT { jobs.append("HKCAZ") }
                if offersPDF { jobs += ["HKKAU", "HKEKP", "HKEKA"] }
                return "HIUPD:0:6:\(reference)+\(nationalConnection(of: account))+\(account.iban)+"
                    + "\(WireSegment.escaped(configuration.user))+1+GBP+Robin Ashdown++\(account.name)++"
                    + jobs.map { "\($0):1" }.joined(separator: "+")
            }
    }

    func number(_ account: Account) -> String { account.number.filter(\.isNumber) }

    /// The bank's identifier (ISO 9362): that of a bank which is made up, with the ending of a head office.
    static let bic = "MERIDEFFXXX"

    /// Names an account in the national form: number, bank code, and Germany's number (ISO 3166-1).
    func nationalConnection(of account: Account) -> String { "\(number(account))::280:\(bankCode)" }

    /// Names an account in the international form, with the national one.
    func connection(of account: Account) -> String {
        "\(account.iban):\(Self.bic):\(nationalConnection(of: account))"
    }

    /// The bank's list of SEPA accounts.
    func accounts(answering reference: Int) -> String {
        "HISPA:0:1:\(reference)+"
            + Account.all.map { "J:\(connection(of: $0))" }.joined(separator: "+")
    }
}
