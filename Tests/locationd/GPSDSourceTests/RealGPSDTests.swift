import Foundation
@_spi(Programs) import LocationModel
import ProgramTestSupport
import Testing

@testable import GPSDSource

/// The source beside a real gpsd, whose receivers are pseudo terminals.
@Suite(.timeLimit(.minutes(10))) struct RealGPSDTests {
    @Test func aReceiverIsOpenedForTheRunAndGivenUpAfterIt() async throws {
        let receiver = try Receiver(latitude: 52)
        let gpsd = try await GPSD.started(receivers: [receiver])
        #expect(!gpsd.hasOpen(receiver.path))
        let log = EventLog()
        let source = GPSDSource(endpoint: GPSDEndpoint(port: gpsd.port))
        let run = Task { await source.run(deliver: log.deliver) }
        let location = try await log.fix { $0.timestamp != nil }
        #expect(location.coordinate == Coordinate(latitude: 52, longitude: 13.5))
        #expect(location.source == SourceInformation(name: "gpsd", device: receiver.path))
        #expect(gpsd.hasOpen(receiver.path))
        try await gpsd.clients(become: 1)
        run.cancel()
        await run.value
        // gpsd closes the device a minute after its last client, which we no longer are when it has closed its socket.
        try await gpsd.clients(become: 0)
        #expect(source.counters.isEmpty)
    }

    @Test func twoReceiversAreToldApart() async throws {
        let (first, second) = (try Receiver(latitude: 10), try Receiver(latitude: 20))
        let gpsd = try await GPSD.started(receivers: [first])
        let log = EventLog()
        let source = GPSDSource(endpoint: GPSDEndpoint(port: gpsd.port))
        async let _ = source.run(deliver: log.deliver)
        #expect(try await log.fix().source.device == first.path)
        try await gpsd.add(second)
        #expect(try await log.fix { $0.coordinate.latitude == 20 }.source.device == second.path)
        #expect(try await log.fix { $0.coordinate.latitude == 10 }.source.device == first.path)
        for case .fix(let location) in log.events {
            #expect(location.source.device == (location.coordinate.latitude == 10 ? first.path : second.path))
        }
    }

    @Test func withoutReceiverTheReasonIsToldUntilOneComes() async throws {
        let gpsd = try await GPSD.started()
        let log = EventLog()
        let source = GPSDSource(endpoint: GPSDEndpoint(port: gpsd.port))
        async let _ = source.run(deliver: log.deliver)
        let condition = try await log.condition("the connection") { if case .unavailable = $0 { true } else { false } }
        #expect(condition.reason?.contains("has no receiver") == true)
        let receiver = try Receiver(latitude: 30)
        try await gpsd.add(receiver)
        _ = try await log.condition("the receiver") { $0 == .connected(reason: nil) }
        #expect(try await log.fix().source.device == receiver.path)
    }

    @Test func aReceiverWithALongNameIsChosen() async throws {
        let (wanted, other) = (try Receiver(latitude: 40), try Receiver(latitude: 50))
        let folder = try TemporaryFolder()
        let path = folder("usb-u-blox_AG_-_www.u-blox.com_GNSS_receiver-behind-a-hub-if00")
        try FileManager.default.createSymbolicLink(atPath: path, withDestinationPath: wanted.path)
        let gpsd = try await GPSD.started([path, other.path])
        #expect(path.utf8.count > 80)
        let log = EventLog()
        let source = GPSDSource(endpoint: GPSDEndpoint(port: gpsd.port, device: path))
        async let _ = source.run(deliver: log.deliver)
        for _ in 0..<20 {
            let location = try await log.fix()
            #expect(location.source.device == path)
            #expect(location.coordinate.latitude == 40)
        }
    }

    @Test func aReceiverThatGpsdDoesNotHaveIsNamed() async throws {
        let gpsd = try await GPSD.started()
        let log = EventLog()
        let source = GPSDSource(endpoint: GPSDEndpoint(port: gpsd.port, device: #"/dev/"none""#))
        async let _ = source.run(deliver: log.deliver)
        let reason = try await log.reasonToConnect()
        #expect(reason.contains(#"No such device as /dev/"none""#))
        #expect(reason.contains("`device` in locationd.toml"))
    }

    @Test func fixesComeBackAfterAHangup() async throws {
        let receiver = try Receiver(latitude: 52)
        let gpsd = try await GPSD.started(receivers: [receiver])
        let log = EventLog()
        let source = GPSDSource(endpoint: GPSDEndpoint(port: gpsd.port), silenceTimeout: 5)
        async let _ = source.run(deliver: log.deliver)
        _ = try await log.fix()
        gpsd.hangUp()
        receiver.move(to: 53)
        #expect(try await log.fix(within: 40) { $0.coordinate.latitude == 53 }.source.device == receiver.path)
    }

    @Test func fixesComeBackAfterACrash() async throws {
        let receiver = try Receiver(latitude: 52)
        let gpsd = try await GPSD.started(receivers: [receiver])
        let log = EventLog()
        let source = GPSDSource(endpoint: GPSDEndpoint(port: gpsd.port), silenceTimeout: 5)
        async let _ = source.run(deliver: log.deliver)
        _ = try await log.fix()
        try await blocking { try gpsd.kill() }
        receiver.move(to: 54)
        #expect(try await log.reasonToConnect().contains("closed the connection"))
        let refused = try await log.condition("the refusal") { $0.reason?.contains("nothing listens") == true }
        #expect(refused.reason?.contains("127.0.0.1:\(gpsd.port)") == true)
        try await blocking { try gpsd.start() }
        let location = try await log.fix(within: 40)
        #expect(location.coordinate.latitude == 54)
        #expect(location.source.device == receiver.path)
    }

    @Test func gpsdsOwnLimitOfClientsIsUnderstood() async throws {
        let gpsd = try await GPSD.started()
        let sources = (0..<64).map { _ in GPSDSource(endpoint: GPSDEndpoint(port: gpsd.port)) }
        let logs = sources.map { _ in EventLog() }
        let runs = zip(sources, logs).map { source, log in Task { await source.run(deliver: log.deliver) } }
        for log in logs { _ = try await log.condition("a place") { $0.reason?.contains("has no receiver") == true } }
        let log = EventLog()
        let last = GPSDSource(endpoint: GPSDEndpoint(port: gpsd.port))
        async let _ = last.run(deliver: log.deliver)
        #expect(try await log.reasonToConnect().contains("64 clients"))
        // One goes, and there is a place.
        runs.first?.cancel()
        _ = try await log.condition("a place") { $0.reason?.contains("has no receiver") == true }
        for run in runs { run.cancel() }
        for run in runs { await run.value }
    }
}
