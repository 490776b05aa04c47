import BankScript
import Selectors

/// A locator of a step that a mend may change, and the step with another one in its place.
struct LocatorSlot {
    /// The kind of element that the step uses.
    enum Kind: Sendable {
        case link, button, field, control, row

        func fits(_ kind: PagePart.Kind) -> Bool {
            switch self {
            case .link: kind == .link
            case .button: kind == .button
            case .field: kind == .field
            case .control: kind == .link || kind == .button
            case .row: false
            }
        }

        func locator(named name: String) -> Locator {
            switch self {
            case .link: .link(.name(name))
            case .button: .button(.name(name))
            case .field: .field(.name(name))
            case .control: .control(.name(name))
            case .row: .row(.name(name))
            }
        }
    }

    let kind: Kind
    let locator: Locator
    /// True for a field that takes a credential or a one-time code.
    let holdsCredential: Bool
    let put: (Locator) -> Action

    /// Returns the locators of an action; empty for an action that a mend leaves alone.
    static func all(of action: Action) -> [LocatorSlot] {
        func slot(
            _ kind: Kind, _ locator: Locator, holdsCredential: Bool = false, _ put: @escaping (Locator) -> Action
        ) -> LocatorSlot {
            LocatorSlot(kind: kind, locator: locator, holdsCredential: holdsCredential, put: put)
        }
        switch action.kind {
        case let follow as FollowStep: return [slot(.link, follow.link) { .follow($0) }]
        case let press as PressStep: return [slot(.button, press.button) { .press($0) }]
        case let fill as FillStep:
            return [slot(.field, fill.field, holdsCredential: fill.value.isSecret) { .fill($0, fill.value) }]
        case let choose as ChooseStep:
            return [slot(.field, choose.list, holdsCredential: choose.option.isSecret) { .choose($0, choose.option) }]
        case let check as CheckStep: return [slot(.field, check.box) { .check($0, check.isOn) }]
        case let step as SecondFactorStep:
            guard case .code(let field, let picture) = step.method else { return [] }
            let code = slot(.field, field, holdsCredential: true) { locator in
                var copy = step
                copy.method = .code(field: locator, picture: picture)
                return .secondFactor(copy)
            }
            guard let confirm = step.confirm else { return [code] }
            return [
                code,
                slot(.button, confirm) { locator in
                    var copy = step
                    copy.confirm = locator
                    return .secondFactor(copy)
                },
            ]
        case let search as SearchStep:
            guard case .html(let target, let next) = search.pages else { return [] }
            func searching(_ target: Locator, _ next: Locator) -> Action {
                var copy = search
                copy.pages = .html(target: target, next: next)
                return .search(copy)
            }
            return [
                slot(.row, target) { searching($0, next) }, slot(.control, next) { searching(target, $0) },
            ]
        case let download as DownloadStep:
            guard case .control(let control) = download.source else { return [] }
            return [
                slot(.control, control) { locator in
                    var copy = download
                    copy.source = .control(locator)
                    return .download(copy)
                }
            ]
        default: return []
        }
    }

    /// Returns the action that looks for the old way first, and then for the new one.
    func adding(_ other: Locator) -> Action {
        var both = locator
        both.alternatives.append(other)
        return put(both)
    }
}

extension Value {
    /// True for what a page must not get in another place: a credential, a part of one, or a captured value.
    fileprivate var isSecret: Bool {
        switch self {
        case .credential, .character, .captured: true
        case .template, .number: false
        }
    }
}
