@_spi(Programs) import LocationModel

/// What gpsd 3.22 writes for a receiver that moves: a SKY of twelve satellites and a TPV, ten times a second.
enum Lines {
    /// What gpsd sends before the first report.
    static let greeting = bytes(
        #"{"class":"VERSION","release":"3.22","rev":"3.22","proto_major":3,"proto_minor":14}"#,
        #"{"class":"DEVICES","devices":[{"class":"DEVICE","path":"/dev/ttyACM0","activated":"2026-01-01T00:00:00.000Z"}]}"#,
        #"{"class":"WATCH","enable":true,"json":true}"#)

    /// The reports of the epoch with this number. Values repeat after 10,000 epochs.
    static func epoch(_ number: Int) -> [UInt8] {
        let time = UTCTime(seconds: 1_767_225_600, nanoseconds: Int64(number) * 100_000_000)
        // Four digits of which the last is never zero, so that the text of every epoch has the same length.
        let digits = 1001 + number * 38 % 8998
        return bytes(
            #"{"class":"SKY","device":"/dev/ttyACM0","time":"\#(time)","xdop":0.60,"ydop":0.64,"vdop":1.52,"tdop":0.81,"#
                + #""hdop":0.88,"gdop":1.97,"pdop":1.76,"nSat":12,"uSat":9,"satellites":[\#(satellites)]}"#,
            #"{"class":"TPV","device":"/dev/ttyACM0","mode":3,"time":"\#(time)","ept":0.005,"lat":46.49\#(digits)177,"#
                + #""lon":7.56\#(digits)672,"altHAE":1391.\#(digits),"altMSL":1345.\#(digits),"alt":1345.\#(digits),"#
                + #""epx":3.475,"epy":4.404,"epv":10.249,"track":10.\#(digits),"magtrack":12.\#(digits),"magvar":2.3,"#
                + #""speed":10.\#(digits),"climb":-0.\#(digits),"eps":8.95,"epc":20.50,"geoidSep":45.590,"eph":5.610,"#
                + #""sep":12.445}"#)
    }

    private static let satellites = (1...12).map { number in
        #"{"PRN":\#(number * 2),"el":\#(number * 7).0,"az":\#(number * 29).0,"ss":\#(24 + number).0,"#
            + #""used":\#(number < 10),"gnssid":0,"svid":\#(number * 2),"health":1}"#
    }.joined(separator: ",")

    private static func bytes(_ lines: String...) -> [UInt8] {
        lines.flatMap { Array($0.utf8) + [0x0D, 0x0A] }
    }
}
