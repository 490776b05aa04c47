/// The number of decimals that amounts of a currency have.
///
/// Source: ISO 4217, list one, column “minor units” (SIX, list of 2024-06-25). Codes that are not in that list, such as those of
/// crypto-assets, and those without minor units, such as gold, have no number here.
package enum CurrencyDecimals {
    /// Returns nil for a code that is not known, or that has no minor units.
    package static func of(_ currency: String) -> Int? { known[currency] }

    /// Returns whether the currency has amounts of this many decimals; true for a currency that is not known.
    static func has(_ amount: Amount, in currency: String) -> Bool {
        guard let decimals = of(currency) else { return true }
        let step = (decimals..<Amount.decimals).reduce(Int64(1)) { step, _ in step * 10 }
        // A division of 128 bits takes longer.
        return Int64(exactly: amount.steps).map { $0.isMultiple(of: step) }
            ?? amount.steps.isMultiple(of: Int128(step))
    }

    private static let known: [String: Int] = {
        let lists: [(Int, String)] = [
            (0, "BIF CLP DJF GNF ISK JPY KMF KRW PYG RWF UGX UYI VND VUV XAF XOF XPF"),
            (
                2,
                """
                AED AFN ALL AMD ANG AOA ARS AUD AWG AZN BAM BBD BDT BGN BMD BND BOB BOV BRL BSD BTN BWP BYN BZD CAD CDF CHE \
                CHF CHW CNY COP COU CRC CUC CUP CVE CZK DKK DOP DZD EGP ERN ETB EUR FJD FKP GBP GEL GHS GIP GMD GTQ GYD HKD \
                HNL HRK HTG HUF IDR ILS INR IRR JMD KES KGS KHR KPW KYD KZT LAK LBP LKR LRD LSL MAD MDL MGA MKD MMK MNT MOP \
                MRU MUR MVR MWK MXN MXV MYR MZN NAD NGN NIO NOK NPR NZD PAB PEN PGK PHP PKR PLN QAR RON RSD RUB SAR SBD SCR \
                SDG SEK SGD SHP SLE SLL SOS SRD SSP STN SVC SYP SZL THB TJS TMT TOP TRY TTD TWD TZS UAH USD USN UYU UZS VED \
                VES WST XCD YER ZAR ZMW ZWL
                """
            ),
            (3, "BHD IQD JOD KWD LYD OMR TND"), (4, "CLF UYW"),
        ]
        return lists.reduce(into: [:]) { known, list in
            for code in list.1.split(separator: " ") { known[String(code)] = list.0 }
        }
    }()
}
