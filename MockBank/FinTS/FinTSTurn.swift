import Foundation

/// One message of a customer and the bank's answer to it.
struct FinTSTurn {
    let configuration: FinTSBankConfiguration
    /// The number of dialogs that were opened, which counts the versions of changing parameters.
    let opened: Int
    let dialogName: String
    var dialog: FinTSBank.Dialog
    var isOver = false

    private var global: [String] = []
    private var notes: [(reference: Int, answer: String)] = []
    private var content: [[UInt8]] = []

    init(configuration: FinTSBankConfiguration, opened: Int, dialogName: String, dialog: FinTSBank.Dialog) {
        self.configuration = configuration
        self.opened = opened
        self.dialogName = dialogName
        self.dialog = dialog
    }

    private var scenario: FinTSScenario { configuration.scenario }

    private var parameters: FinTSParameters {
        FinTSParameters(configuration: configuration, version: scenario == .newParameters ? opened : 7)
    }

    /// The segments of the answer, each with 0 as its number.
    var segments: [[UInt8]] {
        let grouped = Dictionary(grouping: notes, by: \.reference).sorted { $0.key < $1.key }
        return ["HIRMG:0:2+\(global.joined(separator: "+"))"].map(WireSegment.latin)
            + grouped.map { WireSegment.latin("HIRMS:0:2:\($0.key)+" + $0.value.map(\.answer).joined(separator: "+")) }
            + content
    }

    private mutating func note(_ reference: Int, _ answer: String) { notes.append((reference, answer)) }

    private mutating func say(_ segment: String) { content.append(WireSegment.latin(segment)) }

    /// Ends the dialog with a code for the message.
    private mutating func refuse(_ answers: String...) {
        global += answers
        isOver = true
    }

    mutating func take(_ segments: [WireSegment], isWrapped: Bool, _ record: inout FinTSBank.Record) {
        if scenario == .maintenance { return refuse("9997::Zurzeit Wartungsarbeiten", "9800::Dialog abgebrochen") }
        let jobs = segments.filter { !["HNSHK", "HNSHA"].contains($0.code) }
        guard isWrapped else { return takeAnonymous(jobs) }
        guard let signature = segments.first, signature.code == "HNSHK", let end = segments.last, end.code == "HNSHA"
        else {
            return refuse("9110::Signatur fehlt", "9800::Dialog abgebrochen")
        }
        if signature.text(3) != end.text(1) { record.breaches.append("reference of the signature") }
        record.withPIN += 1
        let (pin, tan) = (end.text(3, 0), end.text(3, 1))
        if !tan.isEmpty { record.withTAN += 1 }
        switch scenario {
        case .locked: return refuse("3938::Ihr Zugang ist vorläufig gesperrt", "9800::Dialog abgebrochen")
        case .userLocked:
            return refuse("9050::Teilweise fehlerhaft", "9931::Teilnehmersperre", "9800::Dialog abgebrochen")
        default: break
        }
        guard pin == configuration.pin, scenario != .wrongPIN, scenario != .unnamedRefusal else {
            record.withWrongPIN += 1
            if scenario != .unnamedRefusal { note(segments[0].number, "9942::PIN falsch") }
            return refuse("9050::Teilweise fehlerhaft", "9800::Dialog abgebrochen")
        }
        dialog.securityFunction = signature.text(2)
        guard dialog.securityFunction == "999" || parameters.allowed.contains(dialog.securityFunction) else {
            return refuse("9010::Verfahren nicht zugelassen", "9800::Dialog abgebrochen")
        }
        global.append("0010::Nachricht entgegengenommen")
        if let identification = jobs.first(where: { $0.code == "HKIDN" }) { open(identification, jobs) }
        for job in jobs where !isOver { perform(job, beside: jobs, tan: tan, &record) }
    }

    private mutating func takeAnonymous(_ jobs: [WireSegment]) {
        guard scenario != .noAnonymous, let identification = jobs.first(where: { $0.code == "HKIDN" }),
            identification.text(2) == "9999999999"
        else {
            if jobs.contains(where: { $0.code == "HKEND" }), dialog.number > 1 {
                global.append("0100::Dialog beendet")
                isOver = true
                return
            }
            return refuse("9010::Anonymer Zugang nicht erlaubt", "9800::Dialog abgebrochen")
        }
        global.append("0010::Nachricht entgegengenommen")
        note(identification.number, "0020::Dialog begonnen")
        for segment in parameters.bank(answering: identification.number + 1) { say(segment) }
    }

    private mutating func open(_ identification: WireSegment, _ jobs: [WireSegment]) {
        let preparation = jobs.first { $0.code == "HKVVB" }
        if scenario == .unknownProduct, preparation?.text(4) != "9FA6681DEC0CF3046BFC2F8A6" {
            return refuse("9078::Dialog abgebrochen - FinTS-Produkt ist nicht registriert", "9800::Dialog abgebrochen")
        }
        if scenario == .newForms, preparation?.text(1) != String(parameters.version),
            let form = jobs.first(where: { $0.code == "HKTAN" })
        {
            note(form.number, "9110::Segmentversion wird nicht unterstützt")
            return refuse("9050::Teilweise fehlerhaft", "9800::Dialog abgebrochen")
        }
        let ids = (0..<opened).map { $0 == 0 ? "0" : parameters.newSystemID(in: $0) }
        if scenario == .forgotten, !ids.contains(identification.text(3)) {
            note(identification.number, "9391::Kundensystem-ID unbekannt")
            return refuse("9050::Teilweise fehlerhaft", "9800::Dialog abgebrochen")
        }
        note(identification.number, "0020::Auftrag ausgeführt")
        let reference = preparation?.number ?? identification.number
        note(reference, "3920::Zugelassene Verfahren:\(parameters.allowed.joined(separator: ":"))")
        note(reference, "0901::PIN gültig")
        if preparation?.text(1) != String(parameters.version) {
            note(reference, "3050::BPD nicht mehr aktuell")
            for segment in parameters.bank(answering: reference) { say(segment) }
        }
        if preparation?.text(2) != String(parameters.version) {
            note(reference, "3050::UPD nicht mehr aktuell")
            for segment in parameters.user(answering: reference) { say(segment) }
        }
    }

    private mutating func perform(
        _ job: WireSegment, beside jobs: [WireSegment], tan: String, _ record: inout FinTSBank.Record
    ) {
        switch job.code {
        case "HKIDN", "HKVVB": break
        case "HKSYN":
            say("HISYN:0:4:\(job.number)+\(WireSegment.escaped(parameters.newSystemID(in: opened)))")
        case "HKTAB": sendMedia(job)
        case "HKEND":
            if job.text(1) != dialogName { record.breaches.append("name of the dialog that ends") }
            global = ["0100::Dialog beendet"]
            isOver = true
        case "HKTAN": takeSecondFactor(job, beside: jobs, tan: tan, &record)
        default:
            guard dialog.securityFunction != "999" else {
                return refuse("9075::Starke Kundenauthentifizierung erforderlich", "9800::Dialog abgebrochen")
            }
            guard !dialog.isWaiting else {
                return refuse("9010::Dialog nicht freigegeben", "9800::Dialog abgebrochen")
            }
            // A job that wants a TAN is answered when the TAN is there.
            if scenario == .tanForStatements {
                guard jobs.contains(where: { $0.code == "HKTAN" && $0.text(1) == "4" && $0.text(2) == job.code }) else {
                    return note(job.number, "9010::TAN fehlt")
                }
                return
            }
            answer(job, as: job.number)
        }
    }

    private mutating func sendMedia(_ job: WireSegment) {
        note(job.number, "0020::Auftrag ausgeführt")
        let gap = job.version == 4 ? ":::::::::::" : "::::::::::::"
        say("HITAB:0:\(job.version):\(job.number)+1+M:1\(gap)Robins Telefon+M:1\(gap)Zweites Telefon")
    }

    private mutating func takeSecondFactor(
        _ job: WireSegment, beside jobs: [WireSegment], tan: String, _ record: inout FinTSBank.Record
    ) {
        let isDecoupled = dialog.securityFunction == "921"
        if job.version != (isDecoupled ? 7 : 6) { record.breaches.append("version of HKTAN") }
        switch job.text(1) {
        case "4":
            let subject = jobs.first { $0.code == job.text(2) }
            guard scenario != .noSecondFactor, subject?.code == "HKIDN" || scenario == .tanForStatements else {
                note(job.number, "3076::Starke Kundenauthentifizierung nicht notwendig.")
                return say("HITAN:0:\(job.version):\(job.number)+4++noref+nochallenge")
            }
            if scenario == .severalMethods, !isDecoupled, !["Robins Telefon", "Zweites Telefon"].contains(job.text(11))
            {
                record.breaches.append("TAN medium")
                return note(job.number, "9010::TAN-Medium unbekannt")
            }
            let reference = "ref-\(opened)-\(dialog.number)"
            dialog.isWaiting = true
            dialog.pending = FinTSBank.Pending(reference: reference, segment: subject?.code == "HKIDN" ? nil : subject)
            note(
                job.number,
                isDecoupled
                    ? "3955::Sicherheitsfreigabe erfolgt über anderen Kanal" : "0030::Sicherheitsfreigabe erforderlich")
            let words = isDecoupled ? "Bitte in der App freigeben." : "Bitte geben Sie die TAN ein.<br>Anmeldung"
            let challenge = WireSegment.latin(
                "HITAN:0:\(job.version):\(job.number)+4++\(reference)+\(WireSegment.escaped(words))")
            let data: [UInt8]? =
                switch scenario {
                case .photoTAN: Self.matrix
                case .flicker: Array(FinTSBank.flickerCode.utf8)
                default: nil
                }
            content.append(data.map { challenge + [UInt8(ascii: "+")] + WireSegment.counted($0) } ?? challenge)
        case "2": takeTAN(tan, job)
        case "S": takePoll(job)
        default: note(job.number, "9110::TAN-Prozess unbekannt")
        }
    }

    /// A picture as a matrix code carries it: its type and its bytes, each behind its length in two bytes.
    private static let matrix: [UInt8] = {
        let type = Array("image/png".utf8)
        // A PNG of 33 by 33 dots, as a device for such pictures would see it.
        let picture = Array(
            Data(
                base64Encoded: """
                    iVBORw0KGgoAAAANSUhEUgAAACEAAAAhCAAAAAByj52zAAAA5UlEQVR42l2TCRJDMQhCuf+laZsoj7Qzf5rEBUGVZel8Mqe9\
                    9u38cvw9e3zm7jVN5L0fg5Xom9EYfe2DZC0kecFdn4SAe/0nO6Ud1yDf50JIEcszKaGw2YOw9Bzfpf3kE/Jc2wSoobcUK17h\
                    aHc161ack9JdsreTBg/ugxEoYrfabXZpDZ9SwVV0ntBL9KUoZpIe/ubMbOBTU/DoS8vSeSp7NbNKsm2EEbMHvTvgZ17RlZGA\
                    ACO+DPWHGvUBMruFBOwiQ5Eyaj7lbqcLOX1Jwv/sgv4uw7sgtMDPiIKqXpv4FPT37wOFEhANP2YrvQAAAABJRU5ErkJggg==
                    """) ?? Data())
        return [0, UInt8(type.count)] + type + [UInt8(picture.count >> 8), UInt8(picture.count & 0xFF)] + picture
    }()

    private mutating func takeTAN(_ tan: String, _ job: WireSegment) {
        guard let pending = dialog.pending, pending.reference == job.text(5) else {
            return note(job.number, "9210::Auftragsreferenz unbekannt")
        }
        guard tan == configuration.tan, scenario != .wrongTAN else {
            note(job.number, "9941::TAN ungültig")
            return refuse("9050::Teilweise fehlerhaft", "9800::Dialog abgebrochen")
        }
        release(pending, job)
    }

    private mutating func takePoll(_ job: WireSegment) {
        guard var pending = dialog.pending, pending.reference == job.text(5) else {
            return note(job.number, "9210::Auftragsreferenz unbekannt")
        }
        if scenario == .decoupledRefused {
            note(job.number, "9956::Freigabe abgelehnt")
            return refuse("9050::Teilweise fehlerhaft", "9800::Dialog abgebrochen")
        }
        pending.polls += 1
        dialog.pending = pending
        guard scenario != .decoupledUnanswered, pending.polls > configuration.pollsBeforeApproval else {
            note(job.number, "3956::Starke Kundenauthentifizierung noch ausstehend.")
            return say("HITAN:0:\(job.version):\(job.number)+S++\(pending.reference)")
        }
        release(pending, job)
    }

    private mutating func release(_ pending: FinTSBank.Pending, _ job: WireSegment) {
        dialog.pending = nil
        dialog.isWaiting = false
        note(job.number, "0020::Auftrag ausgeführt")
        say("HITAN:0:\(job.version):\(job.number)+\(job.text(1))++\(pending.reference)")
        // The released job is answered with the number that it had in its own message.
        if let segment = pending.segment { answer(segment, as: segment.number) }
    }

    private mutating func answer(_ job: WireSegment, as reference: Int) {
        let answer = FinTSJobs(parameters: parameters).answer(to: job, as: reference)
        for text in answer.answers { note(reference, text) }
        content += answer.segments
    }
}
