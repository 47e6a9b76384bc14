import ServiceKit
import Testing

@testable import locationd_fleet

/// When the service says that something is wrong.
@Suite struct FleetStateTests {
    private var state = FleetState(ordinary: 20)

    @Test mutating func connectingIsNoTroubleButAFailureIs() {
        #expect(state.notification == .status("connecting to the broker; 0 messages wait"))
        state.broker = "nothing listens"
        state.waiting = 1
        #expect(state.notification == .status("nothing listens; 1 message waits", isDegraded: true))
        state.broker = nil
        #expect(state.notification == .status("connected to the broker"))
        state.waiting = 21
        #expect(state.notification == .status("connected to the broker; 21 messages wait"))
    }

    @Test mutating func eachFaultIsMarked() {
        state.broker = nil
        state.locations = ("the receiver has no fix yet", false)
        #expect(state.notification == .status("connected to the broker; the receiver has no fix yet"))
        state.locations = ("not authorized", true)
        #expect(state.notification == .status("connected to the broker; not authorized", isDegraded: true))
        state.hours = "outside of the hours"
        #expect(state.notification == .status("connected to the broker; outside of the hours"))
        state.commands = "no commands"
        #expect(
            state.notification
                == .status("connected to the broker; no commands; outside of the hours", isDegraded: true))
        state.commands = nil
        state.outbox = "the disk is full"
        #expect(
            state.notification
                == .status("the disk is full; connected to the broker; outside of the hours", isDegraded: true))
    }
}
