/// The encodings that have one byte for each character, which banks of Europe still write.
///
/// Source: the mappings of the Unicode Consortium (MAPPINGS/VENDORS/MICSFT and MAPPINGS/ISO8859). The first 128
/// characters are ASCII in all of them.
package enum CodePage: String, Sendable, Hashable, CaseIterable {
    case windows1250 = "windows-1250"
    case windows1251 = "windows-1251"
    case windows1252 = "windows-1252"
    case windows1253 = "windows-1253"
    case windows1254 = "windows-1254"
    case windows1257 = "windows-1257"
    case latin1 = "iso-8859-1"
    case latin2 = "iso-8859-2"
    case latin9 = "iso-8859-15"
    case cyrillicISO = "iso-8859-5"
    case ibm437 = "cp437"
    case ibm850 = "cp850"
    case ibm852 = "cp852"
    case ibm866 = "cp866"
    case koi8r = "koi8-r"

    /// Returns the page of a name as headers and people write it, e.g. `windows-1251`, `CP850` or `1252`.
    package init?(named name: String) {
        let plain = name.lowercased().filter { $0.isASCII && ($0.isLetter || $0.isNumber) }
        guard let page = Self.names[plain] else { return nil }
        self = page
    }

    private static let names: [String: CodePage] = [
        "windows1250": .windows1250,
        "cp1250": .windows1250,
        "1250": .windows1250,
        "windows1251": .windows1251,
        "cp1251": .windows1251,
        "1251": .windows1251,
        "windows1252": .windows1252,
        "cp1252": .windows1252,
        "1252": .windows1252,
        "ansi": .windows1252,
        "windows1253": .windows1253,
        "cp1253": .windows1253,
        "1253": .windows1253,
        "windows1254": .windows1254,
        "cp1254": .windows1254,
        "1254": .windows1254,
        "windows1257": .windows1257,
        "cp1257": .windows1257,
        "1257": .windows1257,
        "iso88591": .latin1,
        "latin1": .latin1,
        "88591": .latin1,
        "iso88592": .latin2,
        "latin2": .latin2,
        "88592": .latin2,
        "iso885915": .latin9,
        "latin9": .latin9,
        "885915": .latin9,
        "iso88595": .cyrillicISO,
        "88595": .cyrillicISO,
        "cp437": .ibm437,
        "ibm437": .ibm437,
        "437": .ibm437,
        "cp850": .ibm850,
        "ibm850": .ibm850,
        "850": .ibm850,
        "cp852": .ibm852,
        "ibm852": .ibm852,
        "852": .ibm852,
        "cp866": .ibm866,
        "ibm866": .ibm866,
        "866": .ibm866,
        "koi8r": .koi8r,
    ]

    /// The characters of 0x80 to 0xFF, with U+FFFD for a byte that has none.
    var upperHalf: [Unicode.Scalar] {
        let text =
            switch self {
            case .windows1250: Self.windows1250Text
            case .windows1251: Self.windows1251Text
            case .windows1252: Self.windows1252Text
            case .windows1253: Self.windows1253Text
            case .windows1254: Self.windows1254Text
            case .windows1257: Self.windows1257Text
            case .latin1: Self.latin1Text
            case .latin2: Self.latin2Text
            case .latin9: Self.latin9Text
            case .cyrillicISO: Self.cyrillicISOText
            case .ibm437: Self.ibm437Text
            case .ibm850: Self.ibm850Text
            case .ibm852: Self.ibm852Text
            case .ibm866: Self.ibm866Text
            case .koi8r: Self.koi8rText
            }
        return Array(text.unicodeScalars)
    }

    private static let windows1250Text =
        "€\u{FFFD}‚\u{FFFD}„…†‡\u{FFFD}‰Š‹ŚŤŽŹ\u{FFFD}‘’“”•–—\u{FFFD}™š›śťžź\u{A0}ˇ˘Ł¤Ą¦§¨©Ş«¬\u{AD}®"
        + "Ż°±˛ł´µ¶·¸ąş»Ľ˝ľżŔÁÂĂÄĹĆÇČÉĘËĚÍÎĎĐŃŇÓÔŐÖ×ŘŮÚŰÜÝŢßŕáâăäĺćçčéęëěíîďđńňóôőö÷řůúűüýţ˙"
    private static let windows1251Text =
        "ЂЃ‚ѓ„…†‡€‰Љ‹ЊЌЋЏђ‘’“”•–—\u{FFFD}™љ›њќћџ\u{A0}ЎўЈ¤Ґ¦§Ё©Є«¬\u{AD}®Ї°±Ііґµ¶·ё№є»јЅѕїАБВГДЕЖЗИЙК"
        + "ЛМНОПРСТУФХЦЧШЩЪЫЬЭЮЯабвгдежзийклмнопрстуфхцчшщъыьэюя"
    private static let windows1252Text =
        "€\u{FFFD}‚ƒ„…†‡ˆ‰Š‹Œ\u{FFFD}Ž\u{FFFD}\u{FFFD}‘’“”•–—˜™š›œ\u{FFFD}žŸ\u{A0}¡¢£¤¥¦§¨©ª«¬\u{AD}®"
        + "¯°±²³´µ¶·¸¹º»¼½¾¿ÀÁÂÃÄÅÆÇÈÉÊËÌÍÎÏÐÑÒÓÔÕÖ×ØÙÚÛÜÝÞßàáâãäåæçèéêëìíîïðñòóôõö÷øùúûüýþÿ"
    private static let windows1253Text =
        "€\u{FFFD}‚ƒ„…†‡\u{FFFD}‰\u{FFFD}‹\u{FFFD}\u{FFFD}\u{FFFD}\u{FFFD}\u{FFFD}‘’“”•–—\u{FFFD}™"
        + "\u{FFFD}›\u{FFFD}\u{FFFD}\u{FFFD}\u{FFFD}\u{A0}΅Ά£¤¥¦§¨©\u{FFFD}«¬\u{AD}®―°±²³΄µ¶·ΈΉΊ»Ό½ΎΏΐΑ"
        + "ΒΓΔΕΖΗΘΙΚΛΜΝΞΟΠΡ\u{FFFD}ΣΤΥΦΧΨΩΪΫάέήίΰαβγδεζηθικλμνξοπρςστυφχψωϊϋόύώ\u{FFFD}"
    private static let windows1254Text =
        "€\u{FFFD}‚ƒ„…†‡ˆ‰Š‹Œ\u{FFFD}\u{FFFD}\u{FFFD}\u{FFFD}‘’“”•–—˜™š›œ\u{FFFD}\u{FFFD}Ÿ\u{A0}¡¢£¤¥"
        + "¦§¨©ª«¬\u{AD}®¯°±²³´µ¶·¸¹º»¼½¾¿ÀÁÂÃÄÅÆÇÈÉÊËÌÍÎÏĞÑÒÓÔÕÖ×ØÙÚÛÜİŞßàáâãäåæçèéêëìíîïğñòóôõö÷øùúûü"
        + "ışÿ"
    private static let windows1257Text =
        "€\u{FFFD}‚\u{FFFD}„…†‡\u{FFFD}‰\u{FFFD}‹\u{FFFD}¨ˇ¸\u{FFFD}‘’“”•–—\u{FFFD}™\u{FFFD}›\u{FFFD}"
        + "¯˛\u{FFFD}\u{A0}\u{FFFD}¢£¤\u{FFFD}¦§Ø©Ŗ«¬\u{AD}®Æ°±²³´µ¶·ø¹ŗ»¼½¾æĄĮĀĆÄÅĘĒČÉŹĖĢĶĪĻŠŃŅÓŌÕÖ×ŲŁ"
        + "ŚŪÜŻŽßąįāćäåęēčéźėģķīļšńņóōõö÷ųłśūüżž˙"
    private static let latin1Text =
        "\u{80}\u{81}\u{82}\u{83}\u{84}\u{85}\u{86}\u{87}\u{88}\u{89}\u{8A}\u{8B}\u{8C}\u{8D}\u{8E}"
        + "\u{8F}\u{90}\u{91}\u{92}\u{93}\u{94}\u{95}\u{96}\u{97}\u{98}\u{99}\u{9A}\u{9B}\u{9C}\u{9D}"
        + "\u{9E}\u{9F}\u{A0}¡¢£¤¥¦§¨©ª«¬\u{AD}®¯°±²³´µ¶·¸¹º»¼½¾¿ÀÁÂÃÄÅÆÇÈÉÊËÌÍÎÏÐÑÒÓÔÕÖ×ØÙÚÛÜÝÞßàáâãäå"
        + "æçèéêëìíîïðñòóôõö÷øùúûüýþÿ"
    private static let latin2Text =
        "\u{80}\u{81}\u{82}\u{83}\u{84}\u{85}\u{86}\u{87}\u{88}\u{89}\u{8A}\u{8B}\u{8C}\u{8D}\u{8E}"
        + "\u{8F}\u{90}\u{91}\u{92}\u{93}\u{94}\u{95}\u{96}\u{97}\u{98}\u{99}\u{9A}\u{9B}\u{9C}\u{9D}"
        + "\u{9E}\u{9F}\u{A0}Ą˘Ł¤ĽŚ§¨ŠŞŤŹ\u{AD}ŽŻ°ą˛ł´ľśˇ¸šşťź˝žżŔÁÂĂÄĹĆÇČÉĘËĚÍÎĎĐŃŇÓÔŐÖ×ŘŮÚŰÜÝŢßŕáâăäĺ"
        + "ćçčéęëěíîďđńňóôőö÷řůúűüýţ˙"
    private static let latin9Text =
        "\u{80}\u{81}\u{82}\u{83}\u{84}\u{85}\u{86}\u{87}\u{88}\u{89}\u{8A}\u{8B}\u{8C}\u{8D}\u{8E}"
        + "\u{8F}\u{90}\u{91}\u{92}\u{93}\u{94}\u{95}\u{96}\u{97}\u{98}\u{99}\u{9A}\u{9B}\u{9C}\u{9D}"
        + "\u{9E}\u{9F}\u{A0}¡¢£€¥Š§š©ª«¬\u{AD}®¯°±²³Žµ¶·ž¹º»ŒœŸ¿ÀÁÂÃÄÅÆÇÈÉÊËÌÍÎÏÐÑÒÓÔÕÖ×ØÙÚÛÜÝÞßàáâãäå"
        + "æçèéêëìíîïðñòóôõö÷øùúûüýþÿ"
    private static let cyrillicISOText =
        "\u{80}\u{81}\u{82}\u{83}\u{84}\u{85}\u{86}\u{87}\u{88}\u{89}\u{8A}\u{8B}\u{8C}\u{8D}\u{8E}"
        + "\u{8F}\u{90}\u{91}\u{92}\u{93}\u{94}\u{95}\u{96}\u{97}\u{98}\u{99}\u{9A}\u{9B}\u{9C}\u{9D}"
        + "\u{9E}\u{9F}\u{A0}ЁЂЃЄЅІЇЈЉЊЋЌ\u{AD}ЎЏАБВГДЕЖЗИЙКЛМНОПРСТУФХЦЧШЩЪЫЬЭЮЯабвгдежзийклмнопрстуфх"
        + "цчшщъыьэюя№ёђѓєѕіїјљњћќ§ўџ"
    private static let ibm437Text =
        "ÇüéâäàåçêëèïîìÄÅÉæÆôöòûùÿÖÜ¢£¥₧ƒáíóúñÑªº¿⌐¬½¼¡«»░▒▓│┤╡╢╖╕╣║╗╝╜╛┐└┴┬├─┼╞╟╚╔╩╦╠═╬╧╨╤╥╙╘╒╓╫╪┘┌█"
        + "▄▌▐▀αßΓπΣσµτΦΘΩδ∞φε∩≡±≥≤⌠⌡÷≈°∙·√ⁿ²■\u{A0}"
    private static let ibm850Text =
        "ÇüéâäàåçêëèïîìÄÅÉæÆôöòûùÿÖÜø£Ø×ƒáíóúñÑªº¿®¬½¼¡«»░▒▓│┤ÁÂÀ©╣║╗╝¢¥┐└┴┬├─┼ãÃ╚╔╩╦╠═╬¤ðÐÊËÈıÍÎÏ┘┌█"
        + "▄¦Ì▀ÓßÔÒõÕµþÞÚÛÙýÝ¯´\u{AD}±‗¾¶§÷¸°¨·¹³²■\u{A0}"
    private static let ibm852Text =
        "ÇüéâäůćçłëŐőîŹÄĆÉĹĺôöĽľŚśÖÜŤťŁ×čáíóúĄąŽžĘę¬źČş«»░▒▓│┤ÁÂĚŞ╣║╗╝Żż┐└┴┬├─┼Ăă╚╔╩╦╠═╬¤đĐĎËďŇÍÎě┘┌█"
        + "▄ŢŮ▀ÓßÔŃńňŠšŔÚŕŰýÝţ´\u{AD}˝˛ˇ˘§÷¸°¨˙űŘř■\u{A0}"
    private static let ibm866Text =
        "АБВГДЕЖЗИЙКЛМНОПРСТУФХЦЧШЩЪЫЬЭЮЯабвгдежзийклмноп░▒▓│┤╡╢╖╕╣║╗╝╜╛┐└┴┬├─┼╞╟╚╔╩╦╠═╬╧╨╤╥╙╘╒╓╫╪┘┌█"
        + "▄▌▐▀рстуфхцчшщъыьэюяЁёЄєЇїЎў°∙·√№¤■\u{A0}"
    private static let koi8rText =
        "─│┌┐└┘├┤┬┴┼▀▄█▌▐░▒▓⌠■∙√≈≤≥\u{A0}⌡°²·÷═║╒ё╓╔╕╖╗╘╙╚╛╜╝╞╟╠╡Ё╢╣╤╥╦╧╨╩╪╫╬©юабцдефгхийклмнопярстуж"
        + "вьызшэщчъЮАБЦДЕФГХИЙКЛМНОПЯРСТУЖВЬЫЗШЭЩЧЪ"
}
