@_spi(Programs) import LocationInterface
@_spi(Programs) import LocationModel
import Places
import ServiceServer
@_spi(Programs) import SystemSupport
import Varlink

/// Answers the calls of `org.locationd.places`.
struct PlacesAnswerer: CallAnswerer {
    let providers: Providers
    let clock: ServiceClock
    var trustedCallers: TrustedCallers? = .ofThisMachine

    struct Request: Sendable {
        let question: PlacesRequest
        /// On whose behalf it is, if not the caller's.
        let user: UInt32?
    }

    /// Beside the parameters of each method.
    private struct NamedUser: Decodable { let user: UInt32? }

    let description = ServiceDescription(
        vendor: "locationd", product: "locationd-places", version: Release.version, url: "man:locationd-places(8)",
        interfaces: [PlacesInterface.description])

    let interface = PlacesInterface.name

    func request(_ call: Call) throws(ErrorReply) -> Request {
        Request(question: try Self.question(call), user: try call.parameters(as: NamedUser.self).user)
    }

    private static func question(_ call: Call) throws(ErrorReply) -> PlacesRequest {
        switch call.method {
        case PlacesInterface.Method.reverseGeocode:
            try PlacesRequest(call.parameters(as: ReverseGeocodeParameters.self))
        case PlacesInterface.Method.geocode: try PlacesRequest(call.parameters(as: GeocodeParameters.self))
        default: throw .methodNotFound(call.method)
        }
    }

    func answer(
        _ request: Request, for uid: UInt32, _ replies: CallReplies
    ) async throws(ErrorReply) -> any Encodable & Sendable {
        do throws(PlacesError) {
            return PlacemarksReply(
                placemarks: try await providers.answer(
                    request.question, for: request.user ?? uid, clock: clock))
        } catch {
            throw ErrorReply(error)
        }
    }

}

extension ErrorReply {
    init(_ error: PlacesError) {
        self =
            switch error {
            case .noResult: .noResult
            case .partialResult(let placemarks): .partialResult(placemarks)
            case .network(let reason): .network(reason: reason)
            case .cancelled: .cancelled
            case .busy(let limit): .busy(limit: limit)
            }
    }
}
