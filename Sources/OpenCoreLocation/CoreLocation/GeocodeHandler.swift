import Foundation
import LocationKit
import LocationModel

/// A program's handler on its way to the main queue.
///
/// Unchecked: the handler may be bound to the thread that gave it. It is called, once, on the main queue and nowhere
/// else; who gives it lets go of it.
final class GeocodeHandler: @unchecked Sendable {
    private let handler: CLGeocodeCompletionHandler

    init(_ handler: @escaping CLGeocodeCompletionHandler) {
        self.handler = handler
    }

    func tell(_ result: Result<[Placemark], GeocodingError>) {
        DispatchQueue.main.async { [self] in
            switch result {
            case .success(let places): handler(places.map { CLPlacemark($0) }, nil)
            case .failure(let error): handler(nil, CLError(error))
            }
        }
    }
}
