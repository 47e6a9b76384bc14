@_spi(Programs) import LocationModel
import ProgramTestSupport
import Testing

@testable import GPSDProtocol
@testable import GPSDSource

/// What libgps, the decoder of nearly all clients, makes of our lines.
struct LibgpsRoundTripTests {
    private func report(_ report: GPSDReport, _ unpacker: borrowing Unpacker) throws -> Report {
        let line = Array(report.bytes(in: .json).dropLast(2))
        guard case .report(let kind, let facts) = MessageGate.passage(for: line),
            let report = unpacker.unpack(line, as: kind, facts: facts)
        else { throw Failure("libgps does not read \(line.text)") }
        return report
    }

    private func location(from written: Location, _ unpacker: borrowing Unpacker) throws -> Location {
        guard case .position(let report) = try report(GPSDReport(written), unpacker) else { throw Failure("no TPV") }
        var spoilt = 0
        let verdict = report.verdict(source: written.source.name, at: written.monotonicTime, spoilt: &spoilt)
        guard case .fix(let read) = verdict, spoilt == 0 else { throw Failure("\(verdict), \(spoilt) spoilt") }
        return read
    }

    @Test func randomLocationsComeBackWithTheirFields() throws {
        let unpacker = Unpacker()
        var generator = SeededGenerator(seed: 24)
        for _ in 0..<1000 {
            let written = try Location.random(&generator)
            let read = try location(from: written, unpacker)
            #expect(read.isClose(to: written), "\(written)\n\(read)")
        }
    }

    @Test func extremesComeBack() throws {
        let unpacker = Unpacker()
        let corners = [(90.0, 180.0), (-90, -180), (0, 0), (1e-9, -1e-9), (89.9999999996, 179.9999999996)]
        for (latitude, longitude) in corners {
            let coordinate = try #require(Coordinate(latitude: latitude, longitude: longitude))
            var written = Location(
                coordinate: coordinate, mode: .threeDimensional, monotonicTime: BootInstant(seconds: 1),
                source: SourceInformation(name: "gpsd", device: Sample.path))
            (written.altitude, written.speed, written.course) = (-1e8, 1e9, 359.99996)
            (written.horizontalAccuracy, written.magneticVariation) = (0, -180)
            var expected = written
            expected.course = 0
            #expect(try location(from: written, unpacker).isClose(to: expected))
        }
    }

    @Test func simulatedIsReadAsSimulated() throws {
        let unpacker = Unpacker()
        var written = try Sample.location()
        written.source = SourceInformation(name: "simulator", method: .simulated)
        let read = try location(from: written, unpacker)
        #expect(read.source.isSimulated && read.source.device == "simulator")
    }

    @Test func devicesOfEveryKindComeBack() throws {
        let unpacker = Unpacker()
        let paths = [
            "/dev/serial/by-id/usb-u-blox_AG_-_www.u-blox.com_u-blox_GNSS_receiver-if00", "gpsd://host:2947", "a\"\\b",
            "é", "\u{1B}[2J", String(repeating: "x", count: 300), #"{"class":"TPV"}"#, #""class":"#, "class",
        ]
        for path in paths {
            let written = try Sample.location(device: path)
            #expect(try location(from: written, unpacker).source.device == written.source.gpsdDevice)
        }
    }

    @Test func withoutAFixThereIsNone() throws {
        let unpacker = Unpacker()
        for (lost, mode) in [(GPSDReport.noFix(device: Sample.path), 1), (.noFix(device: nil), 1), (.unknown, 0)] {
            guard case .position(let read) = try report(lost, unpacker) else { throw Failure("no TPV") }
            var spoilt = 0
            #expect(read.mode == mode)
            #expect(read.verdict(source: "gpsd", at: BootInstant(seconds: 1), spoilt: &spoilt) == .noFix)
        }
    }

    @Test func randomSkiesComeBack() throws {
        let unpacker = Unpacker()
        var generator = SeededGenerator(seed: 42)
        for count in Array(0...140) + [141, 200, 500] {
            let sky = SkyView.random(count, &generator)
            guard case .sky(let read) = try report(GPSDReport(sky), unpacker) else { throw Failure("no SKY") }
            #expect(read.device == sky.device)
            #expect(
                isClose(read.hdop, sky.hdop, 2) && isClose(read.vdop, sky.vdop, 2)
                    && isClose(read.pdop, sky.pdop, 2))
            let satellites = try #require(read.satellites)
            let used = sky.satellites.filter(\.used)
            let expected =
                count <= 140 ? sky.satellites : Array((used + sky.satellites.filter { !$0.used }).prefix(140))
            #expect(satellites.count == expected.count && read.satellitesUsed == expected.count { $0.used })
            for (read, written) in zip(satellites, expected) {
                #expect(read.gnss == written.gnss && read.id == written.id && read.used == written.used)
                #expect(
                    isClose(read.azimuth, written.azimuth, 1) && isClose(read.elevation, written.elevation, 1)
                        && isClose(read.signal, written.signal, 1))
            }
        }
    }

    /// Lines that gpsd 3.22 has sent for NMEA sentences.
    @Test func linesOfGpsdAreWrittenAsTheyWere() throws {
        let unpacker = Unpacker()
        func read(_ line: String) throws -> Report {
            let bytes = Array(line.utf8)
            guard case .report(let kind, let facts) = MessageGate.passage(for: bytes),
                let report = unpacker.unpack(bytes, as: kind, facts: facts)
            else { throw Failure("libgps does not read \(line)") }
            return report
        }
        let opening =
            #"{"class":"TPV","device":"/dev/pts/1","mode":3,"time":"2026-03-25T12:01:03.000Z","#
        let middle =
            #""lat":48.117302050,"lon":11.516674267,"altHAE":592.3000,"altMSL":545.4000,"alt":545.4000,"epv":48.300,"#
            + #""track":84.4000,"magtrack":"#
        let end = #","magvar":-3.1,"speed":11.524,"climb":0.000,"epc":96.60,"geoidSep":46.900,"eph":17.100"#
        let position = try read(opening + #""ept":0.005,"# + middle + "81.3000" + end + #","sep":47.500}"#)
        var spoilt = 0
        guard case .position(let report) = position,
            case .fix(let location) = report.verdict(source: "gpsd", at: BootInstant(seconds: 1), spoilt: &spoilt)
        else { throw Failure("no fix: \(position)") }
        // Without what a location does not have, and with the magnetic course corrected.
        #expect(GPSDReport(location).bytes(in: .json).lines == [opening + middle + "87.5000" + end + "}"])

        let sky =
            #"{"class":"SKY","device":"/dev/pts/1","vdop":2.10,"hdop":1.30,"pdop":2.50,"nSat":6,"uSat":2,"satellites":["#
            + #"{"PRN":1,"el":40.0,"az":83.0,"ss":46.0,"used":false,"gnssid":0,"svid":1},"#
            + #"{"PRN":12,"el":7.0,"az":344.0,"ss":39.0,"used":true,"gnssid":0,"svid":12},"#
            + #"{"PRN":4,"el":40.0,"az":83.0,"ss":46.0,"used":true,"gnssid":0,"svid":4},"#
            + #"{"PRN":5,"el":17.0,"az":308.0,"ss":0.0,"used":false,"gnssid":0,"svid":5},"#
            + #"{"PRN":65,"el":40.0,"az":83.0,"ss":46.0,"used":false,"gnssid":6,"svid":1},"#
            + #"{"PRN":72,"el":0.0,"az":0.0,"ss":41.0,"used":false,"gnssid":6,"svid":8}]}"#
        guard case .sky(let seen) = try read(sky) else { throw Failure("no SKY") }
        var view = SkyView(seen.satellites ?? [], device: seen.device)
        (view.hdop, view.vdop, view.pdop) = (seen.hdop, seen.vdop, seen.pdop)
        #expect(GPSDReport(view).bytes(in: .json).lines == [sky])
    }

    @Test func ourOwnClientReadsTheReplies() {
        func message(_ line: [UInt8], _ name: String) -> ControlMessage? {
            ControlMessage(Array(line.dropLast(2)), class: name)
        }
        #expect(message(GPSDReply.version, "VERSION") == .version(release: GPSDVersion.own.release))
        let (device, path) = (Sample.device, Sample.path)
        #expect(message(GPSDReply.devices([device, Sample.other]), "DEVICES") == .devices([path, "/dev/ttyUSB1"]))
        #expect(message(GPSDReply.device(device), "DEVICE") == .device(path: path, isActive: true))
        #expect(message(GPSDReply.inactiveDevice(device), "DEVICE") == .device(path: path, isActive: false))
        #expect(message(GPSDReply.watch(WatchPolicy()), "WATCH") == .watch)
        #expect(message(GPSDReply.error("a \"b\"\n"), "ERROR") == .error("a \"b\"\n"))
    }

    @Test func whatOurOwnClientSendsIsUnderstood() {
        var parser = GPSDRequestParser()
        var change = WatchChange()
        change.json = true
        #expect(parser.receive(WatchCommand(device: nil).line) == [.watch(change)])
        change.device = "/dev/\"é\""
        #expect(parser.receive(WatchCommand(device: "/dev/\"é\"").line) == [.watch(change)])
    }
}
