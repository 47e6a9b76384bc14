import Fleet
import Glibc
import LocationModel
import SystemClock
import TestSupport

/// Many vehicles with a connection and a topic each, and one subscriber of all of them, on one thread.
final class SimulatedFleet {
    /// A message on its way.
    private struct Sent {
        let payload: [UInt8]
        let time: Double
    }

    private struct Vehicle {
        let client: FleetClient
        let writer: MessageWriter
        let topic: String
    }

    private var vehicles: [Vehicle] = []
    private let connections: Connections
    private let arrivals: Arrivals

    /// What the subscriber has received, beside what was published.
    private final class Arrivals {
        /// Of each topic, the oldest first.
        var sent: [String: [Sent]] = [:]
        var latencies: [Double] = []
        var copies = 0

        func receive(_ topic: String, _ payload: UnsafeRawBufferPointer) {
            // A broker keeps the order of a topic; what it has lost is passed over.
            guard let index = sent[topic]?.firstIndex(where: { payload.isEqual(to: $0.payload) }) else {
                copies += 1
                return
            }
            if let message = sent[topic]?.remove(at: index) { latencies.append(FleetClient.now - message.time) }
        }
    }

    /// Seconds that it took to connect all vehicles.
    let connectTime: Double

    /// Connects everybody.
    ///
    /// - Parameters:
    ///   - ports: of the nodes, among which vehicles are distributed; the subscriber is at the last.
    ///   - authority: the file of the authority for TLS, if it is used.
    init(of count: Int, at ports: [UInt16], authority: String? = nil) throws {
        let arrivals = Arrivals()
        self.arrivals = arrivals
        connections = try Connections()
        let subscriber = try FleetClient("subscriber", authority: authority) { arrivals.receive($0, $1) }
        try connections.connect(subscriber, to: ports[ports.count - 1])
        try connections.serve(until: { subscriber.isConnected })
        try subscriber.subscribe("owntracks/#")
        try connections.serve(until: { subscriber.isSubscribed })
        let start = FleetClient.now
        var waiting: [FleetClient] = []
        for number in 0..<count {
            guard let device = FleetDevice(user: "fleet", device: "v\(number)") else { throw Failure("no device") }
            let client = try FleetClient("locationd-fleet-v\(number)", authority: authority)
            try connections.connect(client, to: ports[number % ports.count])
            vehicles.append(
                Vehicle(
                    client: client, writer: MessageWriter(device, FleetForms(), origin: UInt32(number)),
                    topic: device.locationTopic))
            waiting.append(client)
            // Less than a broker's queue of connections that are not accepted yet.
            try connections.serve(until: { waiting.count { !$0.isConnected } < 50 })
            waiting.removeAll(where: \.isConnected)
        }
        try connections.serve(until: { waiting.allSatisfy(\.isConnected) })
        connectTime = FleetClient.now - start
    }

    /// What came out of one rate.
    struct Outcome {
        var published = 0
        var lost = 0
        var copies = 0
        /// Seconds for which messages were published, and until all had arrived or nothing came for 10 s.
        var (sending, total) = (0.0, 0.0)
        var acknowledgements: [Double] = []
        var latencies: [Double] = []
    }

    /// Publishes at a rate, evenly distributed among the vehicles and over the time, and waits for what is on its way.
    func run(rate: Double, seconds: Double) throws -> Outcome {
        // Written before the clock runs, so that the broker's part is measured.
        let count = Int(rate * seconds)
        let messages = try (0..<count).map { try message($0) }
        (arrivals.latencies, arrivals.copies, arrivals.sent) = ([], 0, [:])
        for vehicle in vehicles { vehicle.client.forgetAcknowledgements() }
        let start = FleetClient.now
        var (next, lastPing) = (0, start)
        var outcome = Outcome()
        while next < count {
            let now = FleetClient.now
            while next < count, start + Double(next) / rate <= now {
                let vehicle = vehicles[next % vehicles.count]
                arrivals.sent[vehicle.topic, default: []].append(Sent(payload: messages[next], time: FleetClient.now))
                try vehicle.client.publish(vehicle.topic, messages[next])
                next += 1
                // Who is late does not let the answers wait.
                if next % 64 == 0 { break }
            }
            try connections.serve(for: start + Double(next) / rate - FleetClient.now)
            if now - lastPing > 5 {
                try connections.ping()
                lastPing = now
            }
        }
        outcome.sending = FleetClient.now - start
        var (progress, progressTime) = (-1, FleetClient.now)
        while arrivals.latencies.count < count || vehicles.contains(where: { !$0.client.inFlight.isEmpty }) {
            try connections.serve(for: 0.1)
            let now = arrivals.latencies.count + vehicles.reduce(0) { $0 + $1.client.acknowledgements.count }
            if now != progress { (progress, progressTime) = (now, FleetClient.now) }
            if FleetClient.now - progressTime > 10 { break }
        }
        outcome.total = FleetClient.now - start
        outcome.published = count
        outcome.lost = count - arrivals.latencies.count
        outcome.copies = arrivals.copies
        outcome.latencies = arrivals.latencies
        outcome.acknowledgements = vehicles.flatMap(\.client.acknowledgements)
        return outcome
    }

    /// The nth message, as the vehicle whose turn it is would write it.
    private func message(_ number: Int) throws -> [UInt8] {
        let vehicle = vehicles[number % vehicles.count]
        let shift = Double(number % 9973) * 1e-5
        guard let coordinate = Coordinate(latitude: 52.5 + shift, longitude: 13.4 + shift) else {
            throw Failure("no coordinate")
        }
        var location = Location(
            coordinate: coordinate, monotonicTime: MachineClock.now, source: SourceInformation(name: "gpsd"))
        (location.horizontalAccuracy, location.altitude, location.verticalAccuracy) = (5, 35, 8)
        (location.speed, location.course, location.sequence) = (13.9, 271.3, Int64(number))
        let messages = vehicle.writer.messages(of: location, age: 0, now: MachineClock.utc, trigger: .moving)
        guard let message = messages.first else { throw Failure("no message") }
        return message.payload
    }
}

extension UnsafeRawBufferPointer {
    fileprivate func isEqual(to bytes: [UInt8]) -> Bool {
        guard let baseAddress, count == bytes.count else { return false }
        return memcmp(baseAddress, bytes, count) == 0
    }
}
