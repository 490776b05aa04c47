import Encodings
import TestSupport
import Testing

@testable import CountersignCommandLine

@Suite("The names of commands", .timeLimit(.minutes(2)))
struct CommandNamesTests {
    private static func names(of command: ProgramCommand) -> Set<String> {
        command.subcommands.reduce(into: []) { names, part in
            names.insert(part.key)
            names.formUnion(self.names(of: part.value))
        }
    }

    @Test("use one verb for one idea")
    func verbs() async throws {
        // The verbs are in the glossary.
        let others = [
            "remove": ["delete", "forget", "revoke", "erase", "drop", "unpair", "forget-device"],
            "add": ["create", "register", "insert"], "change, rename": ["edit", "modify", "alter"],
            "rotate": ["reseal", "renew", "rekey"], "list, show": ["view", "display", "print", "ls"],
            "lint": ["validate"],
        ]
        let names = Self.names(of: try await ProgramCommand.whole())
        #expect(names.isSuperset(of: ["remove", "add", "change", "rename", "rotate", "list", "show", "lint"]))
        for (verb, others) in others {
            #expect(names.isDisjoint(with: others), "the verb for this is \(verb)")
        }
    }

    @Test("that an owner types stand at the top, and the rest in five groups")
    func groups() async throws {
        let program = try await ProgramCommand.whole()
        let groups = ["agent", "broker", "phone", "script", "assistant"]
        #expect(Set(program.subcommands.keys).isSuperset(of: groups))
        #expect(Set(program.subcommands.keys).isDisjoint(with: ["mcp", "offers", "agents", "policy", "mockbank"]))
        let help = try await CountersignProcess(["--help"]).run().output
        let places = try ["SUBCOMMANDS:", "  up ", "AGENT", "  agent ", "AUTHOR", "  script ", "OPERATOR", "  phone "]
            .map {
                try #require(help.firstRange(of: $0)?.lowerBound, "\($0)")
            }
        #expect(places == places.sorted())
    }

    @Test("of before lead to what is there, and are in no list")
    func former() async throws {
        let program = try await ProgramCommand.whole()
        for words in FormerName.all.map(\.words) {
            let name = try #require(FormerName.beginning(words + ["--option"]))
            #expect(name.words == words, "a shorter name comes first")
            let present = name.present.reduce(Optional(program)) { $0?.subcommands[$1] }
            #expect(present != nil, "\(name.present)")
            let before = words.reduce(Optional(program)) { $0?.subcommands[$1] }
            #expect(before == nil, "\(words)")
            let line = name.replaced(in: words + ["--option"])
            #expect(line == name.present + ["--option"] && FormerName.beginning(line) == nil)
            #expect(name.replaced(in: ["help"] + words) == ["help"] + name.present)
        }
    }

    @Test("of before do what the present ones do")
    func running() async throws {
        for (former, present) in [
            (["mockbank", "serve", "--list"], ["script", "mockbank", "serve", "--list"]),
            (["plugins"], ["script", "plugins"]), (["help", "totp", "delete"], ["help", "totp", "remove"]),
            (["phone", "approve", "--help"], ["approve", "--help"]),
            (["offers", "make", "--form", "2026-01"], ["agent", "offers", "add", "--form", "2026-01"]),
        ] {
            let old = try await CountersignProcess(former).run()
            let new = try await CountersignProcess(present).run()
            #expect(old.status == new.status && old.all == new.all, "\(former)")
            #expect(!new.all.isEmpty)
        }
    }
}
