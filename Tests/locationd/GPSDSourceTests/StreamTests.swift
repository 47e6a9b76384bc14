@_spi(Programs) import LocationModel
import ProgramTestSupport
@_spi(Programs) import SystemSupport
import Testing

@_spi(Programs) @testable import GPSDSource

/// The source beside a gpsd that follows a script: what arrives as long as the connection lasts.
@Suite(.timeLimit(.minutes(10))) struct StreamTests {
    private static func tpv(_ latitude: Double, device: String = Line.device) -> String {
        Line.tpv(#""mode":3,"lat":\#(latitude),"lon":13.25"#, device: device)
    }

    @Test func fixesArriveWithTheirDevice() async throws {
        let gpsd = try ScriptedGPSD.listening()
        let log = EventLog()
        let source = GPSDSource(name: "roof", endpoint: GPSDEndpoint(port: gpsd.port))
        async let _ = source.run(deliver: log.deliver)
        let visit = try await gpsd.visit()
        try await visit.send(Line.version)
        #expect(try await visit.line() == #"?WATCH={"enable":true,"json":true};"#)
        try await visit.send(Line.devices(Line.device))
        try await visit.send(Line.watch)
        let fix = Self.tpv(52.5)
        // In two parts and together with other lines, as the network has it.
        try await visit.send(Array(fix.utf8.prefix(40)))
        try await visit.send(Array(fix.utf8.dropFirst(40)) + Array("\r\n\(Line.fullSKY)\r\n\(Line.fullTPV)\r\n".utf8))
        let first = try await log.fix()
        #expect(first.coordinate == Coordinate(latitude: 52.5, longitude: 13.25))
        #expect(first.source == SourceInformation(name: "roof", device: Line.device))
        #expect(try await log.fix().hdop == 2.72)
        #expect(log.events.prefix(2) == [.condition(.connecting(reason: nil)), .condition(.connected(reason: nil))])
        #expect(source.counters.isEmpty)
    }

    @Test func aDeviceIsAskedForByItsFullName() async throws {
        let gpsd = try ScriptedGPSD.listening()
        let log = EventLog()
        let device = #"/dev/serial/by-id/usb-"u-blox"_AG_-_www.u-blox.com_u-blox_GNSS_receiver_of_a_longer_name-if00"#
        #expect(device.utf8.count > 80)
        let source = GPSDSource(endpoint: GPSDEndpoint(port: gpsd.port, device: device))
        async let _ = source.run(deliver: log.deliver)
        let visit = try await gpsd.visit()
        try await visit.send(Line.version)
        #expect(try await visit.line() == WatchCommand(device: device).line.dropLast())
    }

    @Test func severalReceiversAtOnce() async throws {
        let gpsd = try ScriptedGPSD.listening()
        let log = EventLog()
        let source = GPSDSource(endpoint: GPSDEndpoint(port: gpsd.port))
        async let _ = source.run(deliver: log.deliver)
        let visit = try await gpsd.streamingVisit(devices: "/dev/a", "/dev/b", "/dev/c", "/dev/d", "/dev/e", "/dev/f")
        for (index, letter) in ["a", "b", "c", "d", "e", "f"].enumerated() {
            try await visit.send(Line.sky(#""hdop":\#(index).5,"uSat":\#(index)"#, device: "/dev/\(letter)"))
        }
        for index in [3, 0, 5, 1, 4, 2, 0] {
            let device = "/dev/" + ["a", "b", "c", "d", "e", "f"][index]
            try await visit.send(Self.tpv(Double(index), device: device))
            let location = try await log.fix()
            #expect(location.source.device == device)
            #expect(location.coordinate.latitude == Double(index))
            #expect(location.hdop == Double(index) + 0.5)
        }
    }

    @Test func nothingIsLostAfterAFlood() async throws {
        let gpsd = try ScriptedGPSD.listening()
        let log = EventLog()
        let source = GPSDSource(endpoint: GPSDEndpoint(port: gpsd.port))
        async let _ = source.run(deliver: log.deliver)
        let visit = try await gpsd.streamingVisit(devices: Line.device)
        var generator = SeededGenerator(seed: 7)
        for number in 1...20 {
            let noise = (0..<50_000).map { _ in UInt8.random(in: 0...255, using: &generator) }
            try await visit.send(noise + Array("\n\(Self.tpv(Double(number)))\n".utf8))
        }
        for number in 1...20 { #expect(try await log.fix().coordinate.latitude == Double(number)) }
        #expect(source.counters["garbage", default: 0] > 1000)
        let anomalies = log.events.filter { if case .anomaly = $0 { true } else { false } }
        #expect(anomalies.count == 1)
    }

    /// libgps' own reader stops for good at the first of these.
    @Test(arguments: [20_480, 20_481, 30_000, 131_000, 131_073, 1_000_000])
    func longLinesCostOnlyThemselves(_ size: Int) async throws {
        let gpsd = try ScriptedGPSD.listening()
        let log = EventLog()
        let source = GPSDSource(endpoint: GPSDEndpoint(port: gpsd.port))
        async let _ = source.run(deliver: log.deliver)
        let visit = try await gpsd.streamingVisit(devices: Line.device)
        let head = Self.tpv(1).dropLast()
        let more = String(repeating: #","x":0"#, count: (size - head.utf8.count - 1) / 6)
        let blanks = String(repeating: " ", count: (size - head.utf8.count - 1) % 6)
        let line = "\(head)\(more)}\(blanks)"
        #expect(line.utf8.count == size)
        try await visit.send(line)
        try await visit.send(Self.tpv(2))
        let isTaken = size <= LineSplitter.gpsdLimit
        if isTaken { #expect(try await log.fix().coordinate.latitude == 1) }
        #expect(try await log.fix().coordinate.latitude == 2)
        #expect(source.counters["overlong"] == (isTaken ? nil : 1))
    }
}
