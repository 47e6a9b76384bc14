import NIOCore
import NIOEmbedded
import TestSupport
import Testing

/// What the disk does not take is tried again.
@Suite struct KeepingTests {
    @Test func fullDiskIsTriedByOneTimerHoweverMuchHasChanged() async throws {
        let tries = try await blocking {
            let world = World(seed: 1)
            defer { world.dissolve() }
            var tries = [Int]()
            func pass(_ seconds: Int) {
                for _ in 0..<seconds {
                    world.time.loop.advanceTime(by: .seconds(1))
                    world.settle()
                    world.disk.work()
                    world.settle()
                }
                tries.append(world.disk.refusals)
            }
            world.disk.isFull = true
            for number in 0..<10 {
                let guest = world.connect(uid: 0, capacity: .max)
                let call = Wording.call(
                    "org.locationd.location.Monitor", #""name":"\#(number)","regions":[]"#, more: true)
                if let guest { world.send([(call, .monitor(passive: false))], from: guest) }
                pass(1)
            }
            pass(40)
            world.disk.isFull = false
            pass(30)
            #expect(world.disk.monitors.count == 10)
            pass(60)
            return tries
        }
        let changes = try #require(tries.dropFirst(9).first)
        #expect(changes >= 5)
        #expect(tries.dropFirst(10) == [changes + 1, changes + 1, changes + 1])
    }
}
