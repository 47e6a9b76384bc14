import ClientTestSupport
@_spi(Programs) import LocationInterface
@_spi(Programs) import LocationKit
import ProgramTestSupport
import Testing

/// Who may not know starts no receiver: what costs power is for those who get something for it.
@Suite(.onOwnThread, .timeLimit(.minutes(10)), .enabled(if: OtherUser.canBeBecome, "becoming other users takes root"))
struct UserDemandTests {
    private let stranger = OtherUser.stranger.number

    @Test func undecidedOpensNoReceiver() throws {
        let receiver = try Receiver()
        let gpsd = try GPSD([receiver.path], opensAtOnce: false)
        let daemon = try DaemonProcess(Settings.gpsd(gpsd.port))
        let program = try OtherUserProcess(uid: stranger)
        let watch = try program.connect(to: daemon.socket)
        let opening = try watch.watch()
        #expect(opening.status?.source == .stopped && opening.location == nil)
        let asker = try program.connect(to: daemon.socket)
        #expect(try asker.refusal() != nil)
        #expect(try asker.ask(more: true).source == .stopped)
        // Whatever these would have started was asked for before this.
        let statistics = try daemon.statistics()
        #expect(statistics.watches == 1 && !statistics.demand && statistics.fixes == 0)
        #expect(!gpsd.hasOpen(receiver.path))

        try daemon.decide(.authorizedAlways, "uid:\(stranger)")
        try watch.awaitLocation()
        #expect(gpsd.hasOpen(receiver.path))
        #expect(try daemon.statistics().demand)
        try daemon.decide(.denied, "uid:\(stranger)")
        try waitUntil("nobody needs the receiver") { try daemon.statistics().demand == false }
        #expect(try watch.awaitReply { $0.status?.source == .stopped }.status?.authorization == .denied)
    }
}
