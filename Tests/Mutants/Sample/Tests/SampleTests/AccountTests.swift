import Sample
import Testing

@Test("An account pays out what came in")
func account() {
    let account = Account()
    #expect(account.deposit(10))
    #expect(!account.deposit(0))
    #expect(account.withdraw(10))
    #expect(account.balance == 0)
    #expect(!account.withdraw(1))
    #expect(!account.withdraw(0))
    #expect(Account.countdown(from: 3) == 0)
}
