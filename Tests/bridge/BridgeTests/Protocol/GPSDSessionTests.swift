@_spi(Programs) import LocationModel
import Testing

@testable import GPSDProtocol

struct GPSDSessionTests {
    private static let devices = GPSDReply.devices([Sample.device, Sample.other]).lines
    private static let error = #"{"class":"ERROR","message":""#

    private func session(_ requests: String...) -> GPSDSession {
        var session = GPSDSession(devices: [Sample.device, Sample.other])
        for request in requests { _ = session.lines(for: request + "\n") }
        return session
    }

    private static let json = #"?WATCH={"enable":true,"json":true};"#
    private static let nmea = #"?WATCH={"enable":true,"nmea":true};"#

    @Test func itGreetsWithItsVersion() {
        #expect(GPSDSession.greeting == GPSDReply.version)
    }

    @Test func everyRequestIsAnswered() {
        var session = session()
        #expect(session.lines(for: "?VERSION;\n") == GPSDReply.version.lines)
        #expect(session.lines(for: "?DEVICES;\n") == Self.devices)
        #expect(
            session.lines(for: "?DEVICE;\n") == [Sample.device, Sample.other].flatMap { GPSDReply.device($0).lines })
        #expect(session.lines(for: "?WATCH;\n") == Self.devices + GPSDReply.watch(WatchPolicy()).lines)
        #expect(
            session.lines(for: "?POLL;\n")
                == GPSDReply.poll(at: Sample.now, active: 0, positions: [], skies: []).lines)
        #expect(session.lines(for: "?FOO;\r\n") == [Self.error + "Unrecognized request '?FOO;'\"}"])
        #expect(session.lines(for: "?VERSION;?DEVICES;\n") == GPSDReply.version.lines + Self.devices)
    }

    @Test func aDeviceIsReportedAndNotChanged() {
        var session = session()
        #expect(session.lines(for: "?DEVICE={\"path\":\"/dev/ttyUSB1\"};\n") == GPSDReply.device(Sample.other).lines)
        #expect(session.lines(for: "?DEVICE={};\n").count == 2)
        #expect(session.lines(for: "?DEVICE={\"path\":\"/dev/x\"};\n") == [Self.error + "No such device as /dev/x\"}"])
        // As gpsd answers, whether it can change the speed or not.
        #expect(
            session.lines(for: #"?DEVICE={"path":"/dev/ttyUSB1","bps":9600};"# + "\n")
                == GPSDReply.device(Sample.other).lines)
        #expect(
            session.lines(for: #"?DEVICE={"path":"/dev/x","bps":9600};"# + "\n")
                == [Self.error + "No such device as /dev/x\"}"])
        #expect(
            session.lines(for: #"?DEVICE={"hexdata":"b5"};"# + "\n").first?.contains("'hexdata' cannot be sent") == true
        )
        var empty = GPSDSession()
        #expect(empty.lines(for: "?DEVICE;\n") == [Self.error + "There is no device\"}"])
    }

    @Test func nothingIsSentBeforeItWatches() throws {
        var session = session()
        #expect(session.demand == .nothing && session.forms == [])
        #expect(session.applyReport(GPSDReport(try Sample.location())) == [])
        #expect(session.lines(for: "?POLL;\n").first?.contains(#""tpv":[]"#) == true)
    }

    @Test func aWatchIsAnsweredWithTheDevicesThenThePolicyThenReportsFollow() throws {
        var session = session()
        let answer = session.lines(for: Self.json + "\n")
        #expect(answer.count == 2 && answer.first == Self.devices.first)
        #expect(answer.last?.hasPrefix(#"{"class":"WATCH","enable":true,"json":true,"nmea":false,"raw":0,"#) == true)
        #expect(session.demand == .locationsAndSatellites && session.forms == .json)
        let fix = GPSDReport(try Sample.location())
        let sky = GPSDReport(SkyView([], device: Sample.path))
        #expect(session.applyReport(fix) == fix.bytes(in: .json))
        #expect(session.applyReport(sky) == sky.bytes(in: .json))
    }

    @Test func sentencesAreSentForNMEAAndRaw() throws {
        let fix = GPSDReport(try Sample.location())
        let sky = GPSDReport(SkyView([], device: Sample.path))
        for request in [Self.nmea, #"?WATCH={"raw":1};"#, #"?WATCH={"enable":true,"raw":2};"#] {
            var session = session(request)
            #expect(session.demand == .locationsAndSatellites && session.forms == .nmea)
            #expect(session.applyReport(fix) == fix.bytes(in: .nmea))
            #expect(session.applyReport(sky) == [])
        }
        var both = session(#"?WATCH={"json":true,"nmea":true};"#)
        #expect(both.demand == .locationsAndSatellites)
        #expect(both.applyReport(fix) == fix.bytes(in: .nmea) + fix.bytes(in: .json))
    }

    @Test func reportsAreNotCopied() throws {
        let fix = GPSDReport(try Sample.location())
        var (first, second) = (session(Self.json), session(Self.json))
        let sent = first.applyReport(fix)
        let again = second.applyReport(fix)
        let places = [sent, again].map { bytes in bytes.withUnsafeBytes { $0.baseAddress } }
        #expect(places[0] == places[1])
    }

    @Test func membersThatAreNotGivenStayAsInGpsd() {
        var session = session(Self.json, #"?WATCH={"enable":false};"#)
        #expect(session.demand == .nothing)
        let answer = session.lines(for: Self.nmea + "\n")
        #expect(answer.last?.contains(#""enable":true,"json":true,"nmea":true"#) == true)
        #expect(session.forms == [.json, .nmea])
    }

    @Test func aWatchThatEndsIsSentNothingMore() throws {
        var session = session(Self.json)
        _ = session.applyReport(GPSDReport(try Sample.location()))
        #expect(session.lines(for: #"?WATCH={"enable":false};"# + "\n").last?.contains(#""enable":false"#) == true)
        #expect(session.applyReport(GPSDReport(try Sample.location())) == [])
        #expect(session.lines(for: "?POLL;\n").first?.contains(#""active":0,"tpv":[]"#) == true)
    }

    @Test func aWatchThatIsRefusedChangesNothing() {
        var session = session(Self.json)
        #expect(session.lines(for: #"?WATCH={"enable":"no","nmea":true};"# + "\n").count == 1)
        #expect(session.forms == .json)
    }

    @Test func aDeviceIsSelected() throws {
        var session = session(#"?WATCH={"json":true,"device":"/dev/ttyUSB1"};"#)
        #expect(session.device == "/dev/ttyUSB1")
        #expect(session.applyReport(GPSDReport(try Sample.location())) == [])
        #expect(session.applyReport(.noFix(device: Sample.path)) == [])
        #expect(session.applyReport(GPSDReport(try Sample.location(device: "/dev/ttyUSB1"))) != [])
        let answer = try #require(session.lines(for: "?POLL;\n").first)
        #expect(answer.contains(#""active":0,"tpv":[{"class":"TPV","device":"/dev/ttyUSB1""#))
        #expect(answer.components(of: "TPV") == 1 && answer.components(of: "SKY") == 1)
        _ = session.lines(for: #"?WATCH={"json":true}"# + "\n")
        #expect(session.device == nil)
        #expect(session.applyReport(GPSDReport(try Sample.location())) != [])
    }

    @Test func anUnknownDeviceIsRefusedButReportsFollowWhenItAppears() throws {
        var session = session()
        #expect(
            session.lines(for: #"?WATCH={"json":true,"device":"/dev/none"};"# + "\n")
                == [Self.error + "No such device as /dev/none\"}"])
        #expect(session.demand == .locationsAndSatellites)
        // Reports of no device are of those that there are.
        #expect(session.applyReport(.noFix(device: nil)) == [])
        #expect(session.applyReport(GPSDReport(SkyView([], device: nil))) == [])
        #expect(session.applyRefusal("No").lines.count == 2, "it is told why all the same")
        #expect(session.applyReport(GPSDReport(try Sample.location(device: "/dev/none"))) != [])
        _ = session.lines(for: #"?WATCH={"json":true,"device":"/dev/ttyUSB1"};"# + "\n")
        #expect(session.applyReport(.noFix(device: nil)) != [])
    }

    @Test func pollAnswersWithTheLatestOfEachDevice() throws {
        // What a program that polls sends: it watches, but in no form.
        var session = session(#"?WATCH={"enable":true};"#)
        #expect(session.demand == .locationsAndSatellites && session.forms == [])
        let fixes = try [(1.0, Sample.path), (2.0, Sample.path), (3.0, "/dev/ttyUSB1")].map {
            GPSDReport(try Sample.location($0, device: $1))
        }
        let sky = GPSDReport(SkyView([], device: Sample.path))
        for report in fixes + [sky] { #expect(session.applyReport(report) == []) }
        let other = GPSDReport(SkyView([], device: "/dev/ttyUSB1"))
        #expect(
            session.lines(for: "?POLL;\n")
                == GPSDReply.poll(at: Sample.now, active: 1, positions: Array(fixes[1...]), skies: [sky, other]).lines)
    }

    @Test func reportsOfManyDevicesAreBounded() throws {
        var session = session(Self.json)
        for number in 0..<100 {
            _ = session.applyReport(GPSDReport(try Sample.location(device: "/dev/many\(number)")))
        }
        let answer = try #require(session.lines(for: "?POLL;\n").first)
        #expect(answer.components(of: "TPV") == 8 && answer.contains("/dev/many99"))
    }

    @Test func withoutAFixTheModeIsOne() {
        var session = session(#"?WATCH={"json":true,"nmea":true};"#)
        let lines = session.applyReport(.noFix(device: Sample.path)).lines
        #expect(lines.count == 4 && lines.last == #"{"class":"TPV","device":"/dev/ttyACM0","mode":1}"#)
    }

    @Test func aClientThatMayNotKnowIsToldWhyOnce() throws {
        var session = session(Self.json)
        let unknown = #"{"class":"TPV","mode":0}"#
        let first = session.applyRefusal("Ask the administrator").lines
        #expect(first == [Self.error + "Ask the administrator\"}", unknown])
        #expect(session.applyRefusal("Ask the administrator").lines == [unknown])
        let stopped = "The service is stopped"
        #expect(session.applyRefusal(stopped).lines == [Self.error + stopped + "\"}", unknown])
        let fix = GPSDReport(try Sample.location())
        #expect(session.applyReport(fix) == fix.bytes(in: .json))
        #expect(session.applyRefusal(stopped).lines.count == 2, "a second refusal is said again")
    }

    @Test func aRefusalForgetsWhatWasKnown() throws {
        var session = session(Self.json)
        _ = session.applyReport(GPSDReport(try Sample.location()))
        _ = session.applyReport(GPSDReport(SkyView([], device: Sample.path)))
        _ = session.applyRefusal("No")
        let answer = try #require(session.lines(for: "?POLL;\n").first)
        let noSky = #""sky":[{"class":"SKY","nSat":0,"uSat":0,"satellites":[]}]"#
        #expect(answer.contains(#""tpv":[{"class":"TPV","mode":0}],"gst":[],"# + noSky))
        _ = session.applyReport(.noFix(device: Sample.path))
        let searching = try #require(session.lines(for: "?POLL;\n").first)
        #expect(searching.contains(#""tpv":[{"class":"TPV","device":"/dev/ttyACM0","mode":1}]"#))
    }

    /// What POLL has of a device that has not reported to the session.
    private static let nothingYet =
        #""active":1,"tpv":[{"class":"TPV","device":"/dev/ttyACM0","mode":0}],"gst":[],"#
        + #""sky":[{"class":"SKY","device":"/dev/ttyACM0","nSat":0,"uSat":0,"satellites":[]}]}"#

    @Test func pollHasBothReportsOfEachDeviceThatReports() throws {
        var session = session(#"?WATCH={"enable":true};"#)
        #expect(session.lines(for: "?POLL;\n").first?.contains(Self.nothingYet) == true)
        _ = session.applyReport(GPSDReport(SkyView([Satellite(gnss: "GPS", id: 7, used: true)], device: Sample.path)))
        let answer = try #require(session.lines(for: "?POLL;\n").first)
        #expect(answer.components(of: "TPV") == 1 && answer.components(of: "SKY") == 1 && answer.contains(#""PRN":7"#))
        var idle = GPSDSession(devices: [Sample.other])
        _ = idle.lines(for: #"?WATCH={"enable":true};"# + "\n")
        #expect(idle.lines(for: "?POLL;\n").first?.contains(#""active":0,"tpv":[],"gst":[],"sky":[]"#) == true)
    }

    /// Before its first fix a receiver's path may be unknown; then its source is listed, and is meant later, too.
    @Test func deviceMayBeNamedByItsSource() throws {
        var session = GPSDSession(devices: [GPSDDevice(path: "gpsd", name: "gpsd")])
        let answer = session.lines(for: #"?WATCH={"json":true,"device":"gpsd"};"# + "\n")
        #expect(
            answer.first?.hasPrefix(#"{"class":"DEVICES""#) == true
                && answer.last?.contains(#""device":"gpsd""#) == true)
        _ = session.applyDevices([Sample.device])
        let fix = GPSDReport(try Sample.location())
        #expect(session.applyReport(fix) == fix.bytes(in: .json))
        #expect(session.applyReport(GPSDReport(try Sample.location(device: "/dev/none"))) == [])
        #expect(session.lines(for: #"?DEVICE={"path":"gpsd"};"# + "\n") == GPSDReply.device(Sample.device).lines)
        #expect(session.lines(for: "?POLL;\n").first?.contains(#""active":1,"#) == true)
    }

    @Test func requestWithoutAnEndIsAnsweredOnceNothingMoreComes() {
        var session = session()
        #expect(session.lines(for: "?POLL") == [])
        #expect(session.isWithinRequest)
        #expect(session.endRequest(at: Sample.now).lines == [Self.error + "Unrecognized request '?POLL'\"}"])
        #expect(!session.isWithinRequest && session.endRequest(at: Sample.now).isEmpty)
    }

    @Test func reportsAreForgotten() throws {
        var session = session(Self.json)
        _ = session.applyReport(GPSDReport(try Sample.location()))
        session.forgetReports()
        #expect(session.lines(for: "?POLL;\n").first?.contains(Self.nothingYet) == true)
        #expect(session.demand == .locationsAndSatellites)
    }

    @Test func aRefusalBeforeTheWatchIsSaidWhenItBegins() {
        var session = session()
        #expect(session.applyRefusal("No") == [])
        #expect(session.demand == .nothing)
        let answer = session.lines(for: Self.json + "\n")
        #expect(answer.map { $0.split(separator: "\"")[3] } == ["DEVICES", "WATCH", "ERROR", "TPV"])
        #expect(session.demand == .locationsAndSatellites, "it still wants to know")
    }

    @Test func devicesThatComeAndGoAreReported() {
        var session = session(Self.json)
        let third = GPSDDevice(path: "/dev/ttyUSB2", name: "gpsd", activated: Sample.now)
        #expect(session.applyDevices([Sample.device, Sample.other]) == [])
        #expect(session.applyDevices([Sample.device, Sample.other, third]) == GPSDReply.device(third))
        #expect(session.applyDevices([Sample.device, third]) == GPSDReply.inactiveDevice(Sample.other))
        let stopped = Sample.device.activated(at: nil)
        #expect(session.applyDevices([stopped, third]) == GPSDReply.inactiveDevice(stopped))
        #expect(session.lines(for: "?DEVICES;\n") == GPSDReply.devices([stopped, third]).lines)
        var silent = self.session(Self.nmea)
        #expect(silent.applyDevices([third]) == [])
    }

    /// gpsd has no names of sources; a program that counts devices would count one that went.
    @Test func pathTakesThePlaceOfItsSourcesName() {
        let name = GPSDDevice(path: "gpsd", name: "gpsd")
        for activated in [nil, Sample.now] {
            var session = GPSDSession(devices: [name.activated(at: activated)])
            _ = session.lines(for: Self.json + "\n")
            let gone = activated == nil ? [] : GPSDReply.inactiveDevice(name)
            #expect(session.applyDevices([Sample.device]) == gone + GPSDReply.device(Sample.device))
        }
    }

    /// As gpsd counts it, with a fix or without, and in a later watch before it reports again.
    @Test func pollCountsADeviceThatHasReported() {
        var session = GPSDSession(devices: [Sample.device.activated(at: nil), Sample.other])
        _ = session.lines(for: #"?WATCH={"enable":true};"# + "\n")
        #expect(session.lines(for: "?POLL;\n").first?.contains(Self.nothingYet) == true)
    }

    @Test func pollForgetsADeviceThatIsGone() throws {
        var session = session(Self.json)
        _ = session.applyReport(GPSDReport(try Sample.location()))
        _ = session.applyDevices([Sample.other])
        #expect(session.lines(for: "?POLL;\n").first?.contains(#""tpv":[]"#) == true)
    }
}
