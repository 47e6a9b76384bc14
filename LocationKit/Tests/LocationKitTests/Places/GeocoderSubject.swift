@_spi(Programs) import LocationModel
import TestSupport

@_spi(Programs) @testable import LocationKit
@_spi(Programs) @testable import LocationKitTesting

/// A geocoder and the test's control of its service, so that the same contract is tested with each implementation.
protocol GeocoderSubject: Sendable {
    var geocoder: any ReverseGeocoding { get }

    /// How many requests have reached the service.
    var requests: Int { get }
    /// Answers the request that waits at the service.
    func answer(_ result: Result<[Placemark], GeocodingError>) throws
}

/// The implementations that the contract is tested with.
enum GeocoderImplementation: String, CaseIterable, Sendable {
    case fake, real

    /// A new subject, whose service answers when the test says so.
    func subject() throws -> any GeocoderSubject {
        switch self {
        case .fake: FakeGeocoderSubject()
        case .real: try SocketGeocoderSubject()
        }
    }
}

extension GeocoderImplementation {
    /// The service of a geocoder that has been released.
    struct Service: Sendable {
        let requests: @Sendable () -> Int
        let answer: @Sendable (Result<[Placemark], GeocodingError>) throws -> Void
    }

    /// Releases a geocoder after the body; its service stays.
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
                daemon.send(try PlaceReplies.text(of: $0) ?? "")
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

/// The geocoder with a socket, answered by bytes.
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
        daemon.send(text)
    }
}
