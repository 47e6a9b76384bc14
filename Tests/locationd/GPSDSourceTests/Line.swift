/// Lines as gpsd writes them.
enum Line {
    static let device = "/dev/ttyACM0"
    static let version = #"{"class":"VERSION","release":"3.22","rev":"3.22","proto_major":3,"proto_minor":14}"#
    static let watch =
        #"{"class":"WATCH","enable":true,"json":true,"nmea":false,"raw":0,"scaled":false,"timing":false,"pps":false}"#

    /// A TPV with every field that is read.
    static let fullTPV = tpv(
        #""status":3,"mode":3,"time":"2018-03-29T21:29:39.250Z","leapseconds":18,"ept":0.005,"lat":44.068789557,"#
            + #""lon":-121.314099257,"altHAE":1105.1829,"altMSL":1127.3375,"alt":1127.3375,"epx":9.054,"epv":1.362,"#
            + #""track":293.0727,"magtrack":307.4911,"magvar":14.4,"speed":0.020,"climb":-0.017,"eps":0.01,"epd":2.5,"#
            + #""epc":10.88,"ecefx":-2386055.44,"velN":0.008,"velD":-0.000,"geoidSep":-22.155,"eph":0.893,"sep":31.801"#
    )
    static let fullSKY = sky(
        #""xdop":1.26,"ydop":2.39,"vdop":5.62,"tdop":4.17,"hdop":2.72,"gdop":7.54,"pdop":6.25,"nSat":3,"uSat":2,"#
            + #""satellites":[{"PRN":26,"el":34.0,"az":52.0,"ss":34.0,"used":true,"gnssid":0,"svid":26},"#
            + #"{"PRN":82,"el":9.0,"az":359.0,"ss":37.0,"used":false,"gnssid":6,"svid":18},"#
            + #"{"PRN":133,"az":192.0,"ss":46.0,"used":true}]"#)
    static let fullATT = att(
        #""time":"2018-03-29T21:29:39.250Z","heading":143.590,"mag_st":"N","pitch":-17.25,"pitch_st":"N","roll":33.50,"#
            + #""roll_st":"N","dip":13.647,"mag_x":2450.000"#)

    static func tpv(_ fields: String, device: String = Line.device) -> String { line("TPV", device, fields) }
    static func sky(_ fields: String, device: String = Line.device) -> String { line("SKY", device, fields) }
    static func att(_ fields: String, device: String = Line.device) -> String { line("ATT", device, fields) }

    /// The answer to a request for reports that names these receivers.
    static func devices(_ paths: String...) -> String {
        let list = paths.map { #"{"class":"DEVICE","path":"\#($0)","activated":"2026-11-21T08:41:35.119Z"}"# }
        return #"{"class":"DEVICES","devices":[\#(list.joined(separator: ","))]}"#
    }

    /// A view of so many satellites, the first `used` of which are used.
    static func sky(satellites: Int, used: Int) -> String {
        let list = (1...max(1, satellites)).prefix(satellites).map { number in
            #"{"PRN":\#(number),"el":\#(number % 90).0,"az":\#(number).0,"ss":34.0,"used":\#(number <= used),"#
                + #""gnssid":0,"svid":\#(number)}"#
        }
        let counts = #""nSat":\#(satellites),"uSat":\#(used),"#
        return sky(#""hdop":1.10,\#(counts)"satellites":[\#(list.joined(separator: ","))]"#)
    }

    private static func line(_ name: String, _ device: String, _ fields: String) -> String {
        #"{"class":"\#(name)","device":"\#(device)"\#(fields.isEmpty ? "" : ",")\#(fields)}"#
    }
}
