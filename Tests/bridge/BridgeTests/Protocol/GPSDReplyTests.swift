@_spi(Programs) import LocationModel
import Testing

@testable import GPSDProtocol

/// Each reply is compared with what gpsd 3.22 sends.
struct GPSDReplyTests {
    @Test(arguments: [(11, "3.22", 14), (14, "3.25", 15), (16, "3.25", 15)])
    func versionIsThatOfTheDistributionsGpsd(api: Int, release: String, minor: Int) {
        let text =
            "{\"class\":\"VERSION\",\"release\":\"\(release)\",\"rev\":\"\(release)\",\"proto_major\":3,"
            + "\"proto_minor\":\(minor)}\r\n"
        #expect(GPSDReply.version(GPSDVersion(api: api)).text == text)
    }

    /// What is not known of a serial line, as clients require it.
    private static let line = #","native":0,"bps":0,"parity":"N","stopbits":1,"cycle":1.00}"#
    private static let active =
        #"{"class":"DEVICE","path":"/dev/ttyACM0","driver":"gpsd","activated":"2026-11-21T08:41:35.119Z","flags":1"#
        + line
    private static let idle = #"{"class":"DEVICE","path":"/dev/ttyUSB1","driver":"gpsd""# + line

    @Test func aDeviceHasItsPathItsSourceItsTimeAndALine() {
        #expect(GPSDReply.device(Sample.device).text == Self.active + "\r\n")
        #expect(GPSDReply.device(Sample.other).text == Self.idle + "\r\n")
        #expect(
            GPSDReply.inactiveDevice(Sample.device).text
                == #"{"class":"DEVICE","path":"/dev/ttyACM0","activated":0"# + Self.line + "\r\n")
    }

    @Test func devicesAreListed() {
        #expect(GPSDReply.devices([]).text == #"{"class":"DEVICES","devices":[]}"# + "\r\n")
        #expect(
            GPSDReply.devices([Sample.device, Sample.other]).text
                == #"{"class":"DEVICES","devices":["# + Self.active + "," + Self.idle + "]}\r\n")
    }

    @Test func noMoreDevicesAreListedThanLibgpsHolds() {
        let idle = (0..<9).map { GPSDDevice(path: "/dev/idle\($0)", name: "gpsd") }
        let text = GPSDReply.devices(idle + [Sample.device]).text
        #expect(text.components(of: #""class":"DEVICE","#) == 4)
        #expect(text.contains(Sample.path), "the active one is among them")
    }

    @Test func namesFitTheMemoryOfLibgps() {
        let device = GPSDDevice(
            path: "/dev/" + String(repeating: "é", count: 100) + "\u{1B}[2J", name: String(repeating: "n", count: 200))
        #expect(device.path.utf8.count <= 127 && device.name.utf8.count == 63)
        #expect(GPSDDevice(path: "/dev/a\u{1B}\"", name: "\n").path == "/dev/a\\u{1b}\"")
        #expect(GPSDDevice(path: "a\"\\", name: "").path == "a\"\\")
        let quoted = GPSDReply.device(GPSDDevice(path: "a\"\\", name: ""))
        #expect(quoted.text == #"{"class":"DEVICE","path":"a\"\\","driver":"""# + Self.line + "\r\n")
    }

    @Test func thePolicyIsEchoedWithAllMembers() {
        var policy = WatchPolicy()
        #expect(
            GPSDReply.watch(policy).text
                == #"{"class":"WATCH","enable":false,"json":false,"nmea":false,"raw":0,"scaled":false,"timing":false,"#
                + #""split24":false,"pps":false}"# + "\r\n")
        var change = WatchChange()
        (change.json, change.nmea, change.raw, change.scaled) = (true, true, 1, true)
        (change.timing, change.split24, change.pps, change.device) = (true, true, true, "/dev/pts/1")
        policy.apply(change)
        #expect(
            GPSDReply.watch(policy).text
                == #"{"class":"WATCH","enable":true,"json":true,"nmea":true,"raw":1,"scaled":true,"timing":true,"#
                + #""split24":true,"pps":true,"device":"/dev/pts/1"}"# + "\r\n")
    }

    @Test func anAnswerToPollHasTheReports() throws {
        #expect(
            GPSDReply.poll(at: Sample.now, active: 0, positions: [], skies: []).text
                == #"{"class":"POLL","time":"2026-11-25T09:19:26.193Z","active":0,"tpv":[],"gst":[],"sky":[]}"# + "\r\n"
        )
        let position = GPSDReport.noFix(device: "a")
        let sky = GPSDReport(SkyView([], device: "a"))
        #expect(
            GPSDReply.poll(at: Sample.now, active: 1, positions: [position, position], skies: [sky]).text
                == #"{"class":"POLL","time":"2026-11-25T09:19:26.193Z","active":1,"#
                + #""tpv":[{"class":"TPV","device":"a","mode":1},{"class":"TPV","device":"a","mode":1}],"gst":[],"#
                + #""sky":[{"class":"SKY","device":"a","nSat":0,"uSat":0,"satellites":[]}]}"# + "\r\n")
    }

    @Test func anAnswerToPollIsNotTooLongForLibgps() throws {
        let satellites = (600...799).map { number in
            var satellite = Satellite(gnss: "unknown", id: number, used: true)
            (satellite.elevation, satellite.azimuth, satellite.signal) = (-12.5, 123.4, 43.2)
            return satellite
        }
        let sky = GPSDReport(SkyView(satellites, device: Sample.path))
        let position = GPSDReport(try Sample.fullLocation())
        let line = GPSDReply.poll(
            at: Sample.now, active: 4, positions: Array(repeating: position, count: 4),
            skies: Array(repeating: sky, count: 4))
        #expect(line.count < 20_480)
        #expect(line.text.components(of: #""class":"SKY""#) == 2)
        #expect(line.text.components(of: #""class":"TPV""#) == 4)
    }

    @Test func anErrorIsEscapedAndCutToWhatLibgpsHolds() {
        #expect(
            GPSDReply.error("Unrecognized request '\"\\\n\u{1}\u{7F}é'").text
                == #"{"class":"ERROR","message":"Unrecognized request '\"\\\n\u0001\u007fé'"}"# + "\r\n")
        let long = GPSDReply.error(String(repeating: "é", count: 300)).text
        #expect(long == #"{"class":"ERROR","message":""# + String(repeating: "é", count: 125) + "…\"}\r\n")
        let longest = String(repeating: "x", count: 250)
        #expect(GPSDReply.error(longest).text == #"{"class":"ERROR","message":""# + longest + "\"}\r\n")
    }

    @Test func numbersHaveSoManyDecimals() {
        var text = LineText(class: "ERROR", capacity: 8)
        text.add("a", 0, places: 3)
        text.add("b", -0.0004, places: 3)
        text.add("c", -0.0006, places: 3)
        text.add("d", 12.5, places: 0)
        text.add("e", 0.05, places: 1)
        text.add("f", 179.9999999996, places: 9)
        text.add("g", -90, places: 9)
        text.add("h", .nan, places: 2)
        text.add("i", .infinity, places: 2)
        text.add("j", 1e300, places: 0)
        text.add("k", Double?.none, places: 2)
        text.add("l", 9_007_199_254_740_992, places: 0)
        text.add("m", Int.min)
        #expect(
            text.line().text
                == #"{"class":"ERROR","a":0.000,"b":0.000,"c":-0.001,"d":13,"e":0.1,"f":180.000000000,"g":-90.000000000,"#
                + #""l":9007199254740992,"m":-9223372036854775808}"# + "\r\n")
    }
}

extension String {
    /// How often a text occurs in this one.
    func components(of part: String) -> Int {
        var count = 0
        var rest = self[...]
        while let range = rest.firstRange(of: part) {
            count += 1
            rest = rest[range.upperBound...]
        }
        return count
    }
}
