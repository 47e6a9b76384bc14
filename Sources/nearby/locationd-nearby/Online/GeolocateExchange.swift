import AccessPoints
import FoundationEssentials
import HTTPRequests
import LocationModel

/// A request to `/v1/geolocate`, as ichnaea serves it and others after it:
/// https://ichnaea.readthedocs.io/en/latest/api/geolocate.html.
///
/// Signals and addresses are sent, and nothing else: no name of a network. An answer by the machine's address on the
/// internet is not wanted: it would name a town, or another country.
struct GeolocateRequest: Encodable {
    /// Access points of one request at most, the strongest.
    private static let limit = 50

    private let considerIp = false
    private let fallbacks = Fallbacks()
    private let wifiAccessPoints: [AccessPoint]

    private struct Fallbacks: Encodable {
        let lacf = false
        let ipf = false
    }

    private struct AccessPoint: Encodable {
        let macAddress: String
        /// dBm.
        let signalStrength: Int
    }

    init(_ observation: AccessPointObservation) {
        wifiAccessPoints = observation.usable.prefix(Self.limit).map { received in
            AccessPoint(macAddress: received.address.text, signalStrength: Int(received.signal.rounded()))
        }
    }

    /// - Throws: never, in practice: all of it can be written.
    func json() throws -> [UInt8] { [UInt8](try JSONEncoder().encode(self)) }
}

/// Where the service states the machine to be.
struct GeolocateAnswer: Equatable {
    /// Metres: an answer with a larger radius was not computed from access points.
    static let greatestAccuracy = 5000.0

    let coordinate: Coordinate
    /// Metres: no better than any answer of the machine's own.
    let accuracy: Double

    /// What came of a request, and in words why it is no place.
    struct Failure: Error, Equatable {
        let outcome: OnlinePace.Outcome
        let reason: String
    }

    private struct Document: Decodable {
        let location: Position
        let accuracy: Double
        /// How else the service knows the place than by the access points.
        let fallback: String?

        struct Position: Decodable {
            let lat: Double
            let lng: Double
        }
    }

    init(_ answer: HTTPAnswer) throws(Failure) {
        if let hold = answer.hold(usual: OnlinePace.longest) {
            throw Failure(
                outcome: .held(seconds: hold),
                reason: "it wants no request for \(Int(hold)) s (status \(answer.status))")
        }
        if let redirection = answer.redirectionText { throw Failure(outcome: .refused, reason: redirection) }
        switch answer.status {
        case 200: break
        case 404: throw Failure(outcome: .unknown, reason: "it does not know the access points either")
        case 400, 401, 403:
            throw Failure(
                outcome: .refused,
                reason: "it refuses the request (status \(answer.status)); check url and key of [online]")
        default: throw Failure(outcome: .failed, reason: "status \(answer.status)")
        }
        let document: Document
        do {
            document = try JSONDecoder().decode(Document.self, from: answer.json())
        } catch {
            throw Failure(outcome: .failed, reason: "the answer is none of /v1/geolocate")
        }
        guard document.fallback == nil, document.accuracy <= Self.greatestAccuracy else {
            throw Failure(outcome: .unknown, reason: "it knows no more than the area")
        }
        guard document.accuracy > 0,
            let coordinate = Coordinate(latitude: document.location.lat, longitude: document.location.lng)
        else { throw Failure(outcome: .failed, reason: "the answer has an impossible position") }
        (self.coordinate, accuracy) = (coordinate, max(document.accuracy, PlaceEstimator.leastAccuracy))
    }
}
