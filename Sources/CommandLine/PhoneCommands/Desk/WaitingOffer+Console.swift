import Encodings
import Phone
import Terminal

extension WaitingOffer {
    package func show(on console: Console) {
        console.line("offered  \(bankName.inLine()): \(offer.words.inLine(limit: 1000))", .faint)
        console.line("  by       \(sourceWords.inLine())", .faint)
        console.line("  open it  countersign phone offers --open \(id.short)", .faint)
    }

    package var json: JSONValue {
        guard case .object(var members) = offer.json else { return offer.json }
        members["bank_name"] = .string(bankName)
        return .object(members)
    }
}
