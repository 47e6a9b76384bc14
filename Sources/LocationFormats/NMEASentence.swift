/// The frame of an NMEA 0183 sentence: `$`, the fields, `*`, the checksum, CR LF.
enum NMEASentence {
    /// The standard's limit, with `$` and CR LF.
    static let longest = 82
    /// How many decimals minutes may have: 6 are 2 mm, 5 are 2 cm, 4 are 19 cm.
    private static let minuteDecimals = 4...6

    /// The sentence with as many decimals in its minutes as its length allows.
    static func fitting(_ fields: (_ minuteDecimals: Int) -> [String]) -> String {
        var decimals = minuteDecimals.upperBound
        var sentence = framed(fields(decimals))
        while sentence.utf8.count > longest, decimals > minuteDecimals.lowerBound {
            decimals -= 1
            sentence = framed(fields(decimals))
        }
        return sentence
    }

    /// The fields as a sentence. The checksum is all bytes between `$` and `*`, combined by exclusive or.
    static func framed(_ fields: [String]) -> String {
        let body = fields.joined(separator: ",")
        let checksum = String(body.utf8.reduce(0, ^), radix: 16, uppercase: true)
        return "$" + body + (checksum.utf8.count < 2 ? "*0" : "*") + checksum + "\r\n"
    }
}
