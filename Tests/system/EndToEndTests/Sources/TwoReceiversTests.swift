import ClientTestSupport
@_spi(Programs) import LocationInterface
@_spi(Programs) import LocationKit
import ProgramTestSupport
import Testing

/// Several receivers: one is followed, all can be seen.
@Suite(.onOwnThread, .timeLimit(.minutes(10)))
struct TwoReceiversTests {
    @Test func oneIsFollowedAndTheOtherTakesOver() throws {
        let first = try Receiver(north: 10)
        let second = try Receiver(north: 20)
        let gpsd = try GPSD([first.path])
        let daemon = try DaemonProcess(Settings.gpsd(gpsd.port))
        let plain = try daemon.watch()
        try plain.awaitLocation()
        let all = try daemon.watch { $0.everySource = true }
        try gpsd.add(second.path)
        for receiver in [first, second] {
            try all.wait("\(receiver.path) is seen") { $0.location?.value.source.device == receiver.path }
        }
        let seen = all.replies.count
        try all.wait("the second goes on", after: seen + 10) { $0.location?.value.source.device == second.path }
        #expect(Set(plain.locations.map(\.source.device)) == [first.path])
        #expect(all.locations.allSatisfy { ($0.coordinate.latitude < 15) == ($0.source.device == first.path) })
        #expect(all.locations.isComplete)

        first.fallSilent()
        let location = try plain.wait("the second takes over") { $0.location?.value.source.device == second.path }
        #expect(try #require(location.location).value.coordinate.latitude > 15)
        #expect(plain.locations.risesStrictly && plain.end == nil)
        // The one that is followed stays so when the other comes back: it has no better rank.
        first.speakAgain()
        let later = all.replies.count
        for _ in 0..<2 {
            try all.wait("the first is back", after: later) { $0.location?.value.source.device == first.path }
        }
        let count = plain.replies.count
        try plain.awaitLocation(after: count + 2)
        #expect(plain.locations.last?.source.device == second.path)
    }
}
