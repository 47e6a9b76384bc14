import NIOCore
import NIOEmbedded
import ProgramTestSupport
import Testing

/// What the disk does not take is tried again.
@Suite struct PersistenceTests {
    @Test func fullDiskIsTriedByOneTimerHoweverMuchHasChanged() async throws {
        let tries = try await blocking {
            let machine = SimulatedMachine(seed: 1)
            defer { machine.dissolve() }
            var tries = [Int]()
            func pass(_ seconds: Int) {
                for _ in 0..<seconds {
                    machine.time.loop.advanceTime(by: .seconds(1))
                    machine.settle()
                    machine.disk.work()
                    machine.settle()
                }
                tries.append(machine.disk.refusals)
            }
            machine.disk.isFull = true
            for number in 0..<10 {
                let client = machine.connect(uid: 0, capacity: .max)
                let call = CallText.call(
                    "org.locationd.location.Monitor", #""name":"\#(number)","regions":[]"#, more: true)
                if let client { machine.send([(call, .monitor(passive: false))], from: client) }
                pass(1)
            }
            pass(40)
            machine.disk.isFull = false
            pass(30)
            #expect(machine.disk.monitors.count == 10)
            pass(60)
            return tries
        }
        let changes = try #require(tries.dropFirst(9).first)
        #expect(changes >= 5)
        #expect(tries.dropFirst(10) == [changes + 1, changes + 1, changes + 1])
    }
}
