import LocationModel
import TestSupport

@testable import LocationKit
@testable import LocationKitTesting

/// A geocoder and the hand that answers it: what the contract asks is asked of each.
protocol GeocoderSubject: Sendable {
    var geocoder: any ReverseGeocoding { get }

    /// How many requests have reached the service.
    var requests: Int { get }
    /// Answers the request that waits at the service.
    func answer(_ result: Result<[Placemark], GeocodingError>) throws
}

/// Who has to keep the contract.
enum GeocoderContractor: String, CaseIterable, Sendable {
    case fake, real

    /// A subject of its own whose service waits to be told what to answer.
    func subject() throws -> any GeocoderSubject {
        switch self {
        case .fake: FakeGeocoderSubject()
        case .real: try SocketGeocoderSubject()
        }
    }
}

extension GeocoderContractor {
    /// The service of a geocoder that is gone.
    struct Service: Sendable {
        let requests: @Sendable () -> Int
        let answer: @Sendable (Result<[Placemark], GeocodingError>) throws -> Void
    }

    /// Lets go of a geocoder after the body; its service stays.
    func releasedGeocoder(_ body: (any ReverseGeocoding) throws -> Void) throws -> Service {
        switch self {
        case .fake:
            let fake = FakeReverseGeocoder()
            try body(ReverseGeocoder(transport: fake.transport))
            return Service {
                fake.requests.count
            } answer: {
                _ = fake.answer($0)
            }
        case .real:
            let daemon = try LiveDaemon { _, _ in [] }
            try body(ReverseGeocoder(socketPath: daemon.path))
            return Service {
                daemon.calls.count
            } answer: {
                daemon.say(try PlaceReplies.text(of: $0) ?? "")
            }
        }
    }
}

/// The fake, answered by its script.
private struct FakeGeocoderSubject: GeocoderSubject {
    let fake = FakeReverseGeocoder()
    var geocoder: any ReverseGeocoding { fake }
    var requests: Int { fake.requests.count }

    func answer(_ result: Result<[Placemark], GeocodingError>) throws {
        guard fake.answer(result) else { throw Failure("nothing waits") }
    }
}

/// The geocoder before a socket, answered by bytes.
private struct SocketGeocoderSubject: GeocoderSubject {
    let daemon: LiveDaemon
    let geocoder: any ReverseGeocoding
    var requests: Int { daemon.calls.count }

    init() throws {
        daemon = try LiveDaemon { _, _ in [] }
        geocoder = ReverseGeocoder(socketPath: daemon.path)
    }

    func answer(_ result: Result<[Placemark], GeocodingError>) throws {
        guard let text = try PlaceReplies.text(of: result) else { throw Failure("no service says \(result)") }
        daemon.say(text)
    }
}
