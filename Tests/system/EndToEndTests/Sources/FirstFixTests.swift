import ClientTestSupport
import Foundation
@_spi(Programs) import LocationInterface
@_spi(Programs) import LocationKit
import ProgramTestSupport
import Testing

/// The way of one fix, from the receiver's sentences to a client.
@Suite(.onOwnThread, .timeLimit(.minutes(10)))
struct FirstFixTests {
    @Test func locationIsWhatTheReceiverSent() throws {
        let receiver = try Receiver()
        let gpsd = try GPSD([receiver.path])
        let daemon = try DaemonProcess(Settings.gpsd(gpsd.port))
        let watch = try daemon.watch()
        try watch.awaitStatus(.tracking)
        // The later of an epoch's reports are complete: gpsd learns first which sentence ends one.
        let reply = try watch.wait("a whole fix comes") { reply in
            reply.location?.value.speed != nil && reply.location?.value.altitude != nil
        }
        let location = try #require(reply.location?.value)
        let epoch = try #require(receiver.sent(at: location.timestamp))
        #expect(abs(location.coordinate.latitude - Double(epoch.north) / 60e6) < 2e-8)
        #expect(abs(location.coordinate.longitude - Double(epoch.east) / 60e6) < 2e-8)
        #expect(abs(try #require(location.altitude) - Double(epoch.altitude) / 10) < 0.001)
        #expect(abs(try #require(location.speed) - Double(epoch.speed) / 100 * Epoch.knot) < 0.001)
        #expect(location.course == Double(epoch.course) / 10)
        #expect(location.mode == .threeDimensional)
        #expect(location.source == SourceInformation(name: "gpsd", device: receiver.path))
        #expect(try #require(reply.location?.age) < 1)
        #expect(watch.locations.isComplete && watch.dropped == 0)
    }

    @Test func getAnswersWithANewFix() throws {
        let receiver = try Receiver(north: -34, east: -59)
        let gpsd = try GPSD([receiver.path])
        let daemon = try DaemonProcess(Settings.gpsd(gpsd.port))
        let answer = try daemon.locctl("get", "--json")
        #expect(answer.code == 0, "\(answer.errors)")
        let object = try answer.object
        let text = try #require(object["timestamp"] as? String)
        let epoch = try #require(receiver.sent(at: UTCTime(text)))
        #expect(abs(try #require(object["latitude"] as? Double) - Double(epoch.north) / 60e6) < 2e-8)
        #expect(abs(try #require(object["longitude"] as? Double) - Double(epoch.east) / 60e6) < 2e-8)
        #expect(try #require(object["age"] as? Double) < 1)
        #expect((object["source"] as? [String: Any])?["device"] as? String == receiver.path)
    }

    @Test func watchTellsTheSky() throws {
        let receiver = try Receiver()
        let gpsd = try GPSD([receiver.path])
        let daemon = try DaemonProcess(Settings.gpsd(gpsd.port))
        let watch = try daemon.watch { $0.satellites = true }
        let sky = try watch.wait("satellites come") { $0.satellites?.isEmpty == false }.satellites ?? []
        #expect(Set(sky.map(\.id)) == [2, 7, 13, 21] && sky.allSatisfy { $0.gnss == "GPS" })
        #expect(sky.first { $0.id == 7 }?.azimuth == 200)
        #expect(sky.first { $0.id == 7 }?.elevation == 60)
    }
}
