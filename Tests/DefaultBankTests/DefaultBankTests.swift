import BankScript
import DefaultBank
import Foundation
import TestSupport
import Testing

@Suite("The script of the default bank")
struct DefaultBankTests {
    @Test("is the same in Swift and in YAML")
    func spellings() throws {
        let file = Repository.file("BankScripts/DefaultBank/meridian-savings.yaml")
        let yaml = try BankScript(yaml: String(contentsOf: file, encoding: .utf8), file: file.lastPathComponent)
        #expect(yaml.json == MeridianSavings.script.json)
        #expect(yaml.digest == MeridianSavings.script.digest)
    }

    @Test("lints clean")
    func lint() {
        #expect(ScriptLint.findings(in: MeridianSavings.script).isEmpty)
    }

    @Test("has variants that lint clean", arguments: variants)
    func cleanVariants(name: String) throws {
        let text = try String(contentsOf: Self.variantsFolder.appending(path: name), encoding: .utf8)
        // The mock bank refuses every variant's password alike; the script that ships says how.
        let findings = ScriptLint.findings(in: try BankScript(yaml: text, file: name)).filter {
            $0.rule != "no-refusal"
        }
        #expect(findings.isEmpty, "\(findings)")
    }

    @Test("has no variant that is not linted")
    func everyVariant() throws {
        let names = try FileManager.default.contentsOfDirectory(atPath: Self.variantsFolder.path)
        #expect(names.sorted() == Self.variants)
    }

    private static let variants = [
        "angular-xsrf.yaml", "choice-of-methods.yaml", "code-in-a-picture.yaml", "day-ranges.yaml",
        "every-kind.yaml",
        "json-accounts.yaml",
        "json-bank-in-a-browser.yaml",
        "json-bank.yaml", "json-cursor.yaml", "known-device.yaml", "login-on-another-host.yaml", "memorable-word.yaml",
        "oidc-form-post.yaml", "old-portal.yaml", "pdf-behind-json.yaml", "pdf-by-form.yaml", "pin-pad.yaml",
        "renamed-button.yaml",
        "saml-sign-in.yaml", "single-page-app.yaml", "statement-as-page.yaml", "statement-on-request.yaml",
        "web-forms.yaml", "year-as-zip.yaml",
    ]

    private static let variantsFolder = Repository.file("BankScripts/DefaultBank/Variants")

    @Test("has another digest at another host")
    func moved() {
        let moved = MeridianSavings.script.served(at: "https://localhost:1", isForTesting: true)
        #expect(moved.digest != MeridianSavings.script.digest)
    }
}
