import Authorization
import LocationHub
@_spi(Programs) import LocationInterface
import ServiceServer
@_spi(Programs) import SystemSupport
import Varlink

/// The connections, whose they are, and what they wait for.
struct Connections {
    let registry: ClientRegistry<ServerClient>
    /// Admitted clients, by the number that administrators see.
    var clients: [Int: ServerClient] = [:]
    var requesters: [RequestID: ServerClient] = [:]
    /// `nil` before ``ServerDispatcher/watchProcesses()``; until then no connection is admitted.
    var processes: (any ProcessEnds)?
    let units = ControlGroupTree()
    /// Of clients that have left.
    var receiverShares = ReceiverShares()
    private var lastNumber = 0

    init(_ settings: ServerSettings, on loop: ServiceLoop) {
        registry = ClientRegistry(
            UserLimits(settings.userLimits, capacity: settings.clientCapacity, loop: loop), on: loop)
    }

    /// A number for a client or a request.
    mutating func newNumber() -> Int {
        lastNumber += 1
        return lastNumber
    }
}

/// What the daemon says of itself, by the socket.
struct ServiceDescriptions {
    let own: ServiceDescription
    /// With the interface for administrators.
    let administration: ServiceDescription

    init(version: String) {
        func description(_ interfaces: [InterfaceDescription]) -> ServiceDescription {
            ServiceDescription(
                vendor: "locationd", product: "locationd", version: version, url: "man:locationd(8)",
                interfaces: interfaces)
        }
        own = description([LocationInterface.description])
        administration = description([LocationInterface.description, AdminInterface.description])
    }
}
