@_spi(Programs) import LocationInterface
@_spi(Programs) import LocationModel
import Places
import ProgramTestSupport
import ServiceServer
import Testing
import Varlink

@testable import locationd_places

/// What happens to calls nobody waits for any more, to answers nobody reads, and to silence.
@Suite(.timeLimit(.minutes(10)))
struct ServicePatienceTests {
    private func gated(_ gate: AnswerGate, heedsCancellation: Bool = true) -> ScriptedPlaces {
        ScriptedPlaces { _ in
            await gate.pass(heedsCancellation: heedsCancellation)
            return .success([.berlin])
        }
    }

    @Test func callOfWhoHangsUpIsCancelled() async throws {
        let gate = AnswerGate()
        try await ServiceBench.run {
            $0.offline = gated(gate)
        } _: { bench in
            let client = try bench.connect()
            client.send(ServiceClient.reverse)
            try await eventually("it is asked") { gate.waiting == 1 }
            client.end()
            try await eventually("it is cancelled") { gate.cancelled == 1 }
            #expect(gate.waiting == 0)
        }
    }

    /// Only who has closed both halves is gone.
    @Test func callOfWhoOnlyStoppedTalkingIsAnswered() async throws {
        let gate = AnswerGate()
        try await ServiceBench.run {
            $0.offline = gated(gate)
        } _: { bench in
            let client = try bench.connect()
            client.send(ServiceClient.reverse)
            client.endWriting()
            try await eventually("it is asked") { gate.waiting == 1 }
            gate.open()
            #expect(try await client.reply().error == nil)
            #expect(try await client.next() == nil)
        }
    }

    @Test(arguments: [true, false])
    func networkIsWaitedForNoLongerThanAsked(heedsCancellation: Bool) async throws {
        let gate = AnswerGate()
        let online = gated(gate, heedsCancellation: heedsCancellation)
        try await ServiceBench.run {
            $0.online = online
            $0.offline = ScriptedPlaces { _ in .failure(.noResult) }
        } _: { bench in
            let client = try bench.connect()
            client.send(ServiceClient.request("ReverseGeocode", "{\"latitude\":1,\"longitude\":2,\"timeout\":7}"))
            try await eventually("it is asked, and the time runs") { gate.waiting == 1 && bench.time.waiting == [7] }
            bench.time.pass(6.9)
            bench.time.pass(0.2)
            let reply = try await client.reply()
            #expect(reply.error == PlacesInterface.Failure.network)
            #expect(
                try reply.parameters(as: Explained.self).reason?.contains("there was no answer within 7.0 s") == true)
            #expect(gate.cancelled == 1)
            client.send(ServiceClient.reverse)
            try await eventually("thirty seconds are usual") { bench.time.waiting == [30] }
            gate.open()
            #expect(try await client.reply().error == nil)
        }
    }

    @Test func whoAsksNothingIsLetGo() async throws {
        try await ServiceBench.run {
            $0.limits.idleTimeout = 10
        } _: { bench in
            let silent = try bench.connect()
            let slow = try bench.connect()
            slow.send("{\"method\":")
            let busy = try bench.connect()
            try await eventually("all are there") { bench.time.waiting.count == 3 }
            for _ in 0..<3 {
                bench.time.pass(6)
                #expect(try await busy.call("Geocode", "{\"text\":\"a\"}").error == nil)
            }
            #expect(try await silent.next() == nil)
            #expect(try await slow.next() == nil)
            try await eventually("one is left") { bench.time.waiting == [10] }
        }
    }

    /// Nobody waits for it: neither the others nor the memory.
    @Test func whoDoesNotReadIsLetGo() async throws {
        var long = Placemark.berlin
        long.name = String(repeating: "x", count: 10_000)
        let places = ScriptedPlaces { [long] _ in .success(Array(repeating: long, count: 100)) }
        try await ServiceBench.run {
            $0.limits.stalledTimeout = 20
            $0.offline = places
        } _: { bench in
            let stalled = try bench.connect()
            stalled.send(ServiceClient.reverse + ServiceClient.reverse)
            try await eventually("its answer waits") { bench.time.waiting == [20, 300] }
            #expect(try await bench.connect().call("Geocode", "{\"text\":\"a\"}").error == nil)
            try await eventually("the other is gone") { bench.time.waiting == [20, 300] }
            bench.time.pass(20)
            try await eventually("it is let go") { bench.time.waiting.isEmpty }
            // The second call was never served.
            #expect(places.asked.count == 2)
            #expect(try await stalled.rest().isEmpty)
        }
    }

    @Test func whoReadsLateButReadsGetsAll() async throws {
        var long = Placemark.berlin
        long.name = String(repeating: "x", count: 10_000)
        try await ServiceBench.run {
            $0.offline = ScriptedPlaces { [long] _ in .success(Array(repeating: long, count: 100)) }
        } _: { bench in
            let client = try bench.connect()
            client.send(ServiceClient.reverse + ServiceClient.reverse)
            try await eventually("its answer waits") { bench.time.waiting == [30, 300] }
            for _ in 0..<2 {
                #expect(try await client.reply().parameters(as: PlacemarksReply.self).placemarks.count == 100)
            }
            try await eventually("nothing waits") { bench.time.waiting == [300] }
        }
    }

    @Test(arguments: [true, false])
    func endTellsWhoWaits(heedsCancellation: Bool) async throws {
        let gate = AnswerGate()
        try await ServiceBench.run {
            $0.offline = gated(gate, heedsCancellation: heedsCancellation)
        } _: { bench in
            let waiting = try bench.connect()
            let silent = try bench.connect()
            waiting.send(ServiceClient.reverse)
            try await eventually("it is asked") { gate.waiting == 1 && bench.time.waiting.count == 1 }
            async let stopped: Void = bench.stop()
            #expect(try await waiting.reply().error == PlacesInterface.Failure.cancelled)
            #expect(try await waiting.next() == nil)
            #expect(try await silent.next() == nil)
            await stopped
            gate.open()
        }
    }
}
