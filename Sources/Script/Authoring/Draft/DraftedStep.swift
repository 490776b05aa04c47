import BankScript
import Selectors

/// A step of a draft, with its kind and remarks.
struct DraftedStep: Sendable {
    enum Kind: Sendable, Hashable {
        case plain
        /// Opens the next page of a list.
        case turnsPage
        /// Cannot be undone, e.g. a sign-in.
        case signsIn
    }

    var step: Step
    var kind: Kind
    var remarks: [String]

    init(_ action: Action, _ kind: Kind = .plain, remarks: [String] = []) {
        step = Step(action)
        self.kind = kind
        self.remarks = remarks
    }

    var changesSession: Bool { kind == .signsIn }

    /// Replaces the recorded month and year by parameters.
    func parametrised(by period: RecordedMonth) -> DraftedStep {
        func text(_ template: Template) -> Template { Template(period.parametrised(template.source)) }
        func located(_ locator: Locator) -> Locator { locator.filling { period.parametrised($0) } }
        var copy = self
        switch step.action.kind {
        case let open as OpenStep: copy.step.action = .open(text(open.reference))
        case let follow as FollowStep: copy.step.action = .follow(located(follow.link))
        case let press as PressStep: copy.step.action = .press(located(press.button))
        case let fill as FillStep:
            if case .template(let value) = fill.value { copy.step.action = .fill(fill.field, .template(text(value))) }
        case let choose as ChooseStep:
            guard case .template(let option) = choose.option else { break }
            let month = Self.month(option.source, period, in: choose.list)
            copy.step.action = .choose(choose.list, .template(month ?? text(option)))
        case var search as SearchStep:
            if case .html(let target, let next) = search.pages {
                search.pages = .html(target: located(target), next: next)
            }
            copy.step.action = .search(search)
        case var download as DownloadStep:
            switch download.source {
            case .control(let control): download.source = .control(located(control))
            case .open(let reference): download.source = .open(text(reference))
            case .request, .submit, .encoded, .printedPage: break
            }
            copy.step.action = .download(download)
        default: break
        }
        return copy
    }

    /// Leaves out what was typed into a field, unless a program's word or the recorded month, and asks for it.
    func withoutTyped(by privacy: DraftPrivacy) -> DraftedStep {
        guard let fill = step.action.as(FillStep.self), case .template(let template) = fill.value,
            privacy.reason(against: template.source) != nil
        else { return self }
        var copy = self
        copy.step.action = .fill(fill.field, .template(Template(DraftPrivacy.gap)))
        copy.remarks.append(
            DraftQuestion.mark + "What belongs into this field? The recorded text may be yours, so it is left out.")
        return copy
    }

    /// Returns the template for a month that is a bare number, in a list that is labelled as a list of months.
    private static func month(_ option: String, _ period: RecordedMonth, in list: Locator) -> Template? {
        guard Int(option) == period.month, MonthNames.isLabel(list.description) else { return nil }
        return option.count == 2 ? "{{ month | pad: 2 }}" : "{{ month }}"
    }
}

extension BankScript {
    /// Returns the names to declare for a draft: those that it fills in, or the usual ones if these are enough.
    static func credentials(filledBy steps: [DraftedStep]) -> [String] {
        var names: [String] = []
        for case .credential(let name)? in steps.map({ $0.step.action.as(FillStep.self)?.value })
        where !names.contains(name) {
            names.append(name)
        }
        return Set(names).isSubset(of: usualCredentials) ? usualCredentials : names
    }
}
