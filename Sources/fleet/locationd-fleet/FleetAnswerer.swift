import Delivery
import Fleet
@_spi(Programs) import LocationInterface
import ServiceServer
import Varlink

/// Answers the calls of `org.locationd.fleet`. The socket's mode decides which users may connect.
struct FleetAnswerer: CallAnswerer {
    enum Request: Sendable {
        case destinations
        case test(HTTPDelivery)
    }

    let publisher: FleetPublisher
    /// The broker's address; `nil` if there is none.
    let broker: String?

    let description = ServiceDescription(
        vendor: "locationd", product: "locationd-fleet", version: Release.version, url: "man:locationd-fleet(8)",
        interfaces: [FleetInterface.description])
    let interface = FleetInterface.name

    func request(_ call: Call) throws(ErrorReply) -> Request {
        switch call.method {
        case FleetInterface.Method.getDestinations: return .destinations
        case FleetInterface.Method.testDestination:
            let request: FleetInterface.TestRequest = try call.parameters()
            guard let delivery = publisher.deliveries.first(where: { $0.destination.name == request.name }) else {
                throw ErrorReply(FleetInterface.Failure.unknownDestination)
            }
            return .test(delivery)
        default: throw .methodNotFound(call.method)
        }
    }

    func answer(
        _ request: Request, for uid: UInt32, _ replies: CallReplies
    ) async throws(ErrorReply) -> any Encodable & Sendable {
        switch request {
        case .destinations: return FleetInterface.Destinations(destinations: await destinations())
        case .test(let delivery):
            guard let message = await publisher.answer else {
                let reason = await publisher.obstacle ?? "the daemon has told none yet"
                throw ErrorReply(
                    FleetInterface.Failure.noLocation, parameters: FleetInterface.Reason(reason: reason))
            }
            return FleetInterface.TestResult(problem: await delivery.test(message.payload))
        }
    }

    private func destinations() async -> [FleetInterface.Destination] {
        var destinations: [FleetInterface.Destination] = []
        if let broker { destinations.append(await publisher.brokerDestination(at: broker)) }
        for delivery in publisher.deliveries {
            let state = await delivery.state
            var destination = FleetInterface.Destination(
                name: delivery.destination.name, url: "\(delivery.destination.address)", waiting: state.waiting,
                problem: state.trouble, stopped: state.isStopped)
            (destination.dropped, destination.lastDelivery) = (state.dropped, state.lastDelivery)
            destinations.append(destination)
        }
        return destinations
    }
}
