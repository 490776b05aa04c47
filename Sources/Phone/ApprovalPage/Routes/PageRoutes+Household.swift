import Foundation
import HTTPTypes
import Hummingbird
import KeyVault
import Phone
import PhoneStore
import Storage
import WebServing

// The settings of the household: where statements are kept, and which services are told. They decide where documents go, so each
// change takes the vault's passphrase.

extension PageRoutes {
    func addHousehold(to router: RouterGroup<PageContext>) {
        router.get("/household") { request, context in
            try await householdPage(
                try PageRequest.session(context), isChanged: await told(request) == .household)
        }
        router.post("/household") { request, context in
            let (session, form) = try await PageRequest.form(request, context)
            guard let household = configuration.household else { throw PageRefusal.notFound }
            do {
                let change = try HouseholdView.change(form, from: household.plan())
                let number = try await state.change(
                    household, by: change, with: PassphraseVerification(form.secret("passphrase"), from: .page))
                let query = number.map { "?changed=\($0)" } ?? ""
                return Response.redirect(to: session.base + "/household" + query, type: .normal)
            } catch let error as VaultError {
                return try await householdPage(
                    session, form, notice: RefusalWords.again(error), status: .forbidden)
            } catch let refusal as HouseholdRefusal {
                let words = PageText.of("household.refused", ["problem": ReportText.cleaned(refusal.words, limit: 600)])
                return try await householdPage(session, form, notice: words, status: .conflict)
            } catch let contradiction as HouseholdView.Contradiction {
                return try await householdPage(
                    session, form, notice: PageText.of(contradiction.key), status: .conflict)
            }
        }
    }

    /// - Parameter form: the form that was refused, whose values stay in the fields.
    private func householdPage(
        _ session: PageSession, _ form: PostedForm? = nil, isChanged: Bool = false, notice: String? = nil,
        status: HTTPResponse.Status = .ok
    ) async throws -> Response {
        _ = try await state.unlocked()
        guard let household = configuration.household else { throw PageRefusal.notFound }
        var values = try HouseholdView(plan: household.plan(), typed: form).values
        values["needsBoth"] = try state.home.vault.slots().contains(where: \.needsBoth)
        values["changed"] = isChanged
        return PageViews.page(
            "household", title: PageText.of("household.title"), session: session, in: .settings, notice: notice, values,
            status: status)
    }
}
