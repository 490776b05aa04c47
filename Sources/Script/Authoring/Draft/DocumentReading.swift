import BankScript
import HTMLEngine
import Markup
import Selectors

/// Finds out how a person reached a document from a page: the row that names its month, and the link or button in it.
struct DocumentReading {
    struct Found {
        var steps: [DraftedStep]
        var period: RecordedMonth?
        /// The steps look for a row, page by page.
        var searches = false
    }

    let document: Document
    let outline: PageOutline
    let locale: String
    /// The link to the next page of a list.
    let next: Locator?

    func steps(for visit: RecordedVisit, path: String) -> Found {
        if visit.request.method == "GET", let link = outline.links.first(where: { $0.url == visit.url }) {
            return steps(by: link.element, label: link.label, url: visit.url)
        }
        let reading = FormReading(document: document, outline: outline)
        if let form = reading.form(for: visit), let button = reading.button(of: form, for: visit) {
            var filled = reading.steps(for: visit) ?? []
            if filled.last?.step.action.as(PressStep.self) != nil { filled.removeLast() }
            var found = steps(by: button.element, label: button.label, url: visit.url)
            found.steps = filled + found.steps
            return found
        }
        let step = DraftedStep(
            .download(DownloadStep(source: .open(Template(path)))),
            remarks: [
                DraftQuestion.mark
                    + "No link on the page leads to the PDF, so the script opens its recorded address. Which part of it "
                    + "changes from month to month?"
            ])
        return Found(steps: [step], period: RecordedMonth(in: path, locale: locale))
    }

    private func steps(by control: Element, label: String, url: String) -> Found {
        if let period = RecordedMonth(in: label, locale: locale) {
            return Found(steps: [download(.control(.name(label)))], period: period)
        }
        if let row = control.row, let period = RecordedMonth(in: row.text, locale: locale),
            let words = period.naming(in: row.text)
        {
            let target = Locator.row(.name(words))
            // The row makes the control's name unique.
            let named = Locator.control(.name(label)).within(target)
            if (try? document.elements(target)) == [row], (try? document.elements(named)) == [control] {
                guard let next else {
                    return Found(steps: [download(named)], period: period)
                }
                let search = SearchStep(target: target, next: next, limit: 12)
                return Found(
                    steps: [DraftedStep(.search(search)), download(.control(.name(label)))], period: period,
                    searches: true)
            }
        }
        let naming = ElementNaming(document: document)
        let plain = Locator.control(.name(label))
        let isEnough = !label.isEmpty && (try? document.elements(plain)) == [control]
        let locator = isEnough ? plain : naming.link(control) ?? naming.button(control) ?? plain
        return Found(steps: [download(locator)], period: RecordedMonth(in: url, locale: locale))
    }

    private func download(_ control: Locator) -> DraftedStep {
        DraftedStep(.download(DownloadStep(source: .control(control))))
    }
}
