@_spi(Programs) import LocationInterface
@_spi(Programs) import LocationModel
import Places
import Varlink

/// A validated request, ready for a provider.
struct PlacesRequest: Sendable, Equatable {
    enum Subject: Sendable, Equatable {
        case position(Coordinate)
        case text(String, limit: Int)
    }

    let subject: Subject
    let locale: String?
    /// The longest wait for the network, seconds.
    let timeout: Double

    init(_ parameters: ReverseGeocodeParameters) throws(ErrorReply) {
        guard let position = Coordinate(latitude: parameters.latitude, longitude: parameters.longitude) else {
            if (-90.0...90.0).contains(parameters.latitude) {
                throw .invalidParameter("longitude", reason: "degrees from -180 to 180")
            }
            throw .invalidParameter("latitude", reason: "degrees from -90 to 90")
        }
        subject = .position(position)
        locale = try Self.locale(parameters.locale)
        timeout = try Self.timeout(parameters.timeout)
    }

    init(_ parameters: GeocodeParameters) throws(ErrorReply) {
        let text = parameters.text
        guard text.contains(where: { !$0.isWhitespace }), text.utf8.count <= 512,
            !text.unicodeScalars.contains(where: {
                $0.properties.generalCategory == .control
            })
        else {
            throw .invalidParameter("text", reason: "1 to 512 bytes, not blanks alone, without control characters")
        }
        let limit = parameters.limit ?? 10
        guard (1...100).contains(limit) else { throw .invalidParameter("limit", reason: "from 1 to 100") }
        subject = .text(text, limit: limit)
        locale = try Self.locale(parameters.locale)
        timeout = try Self.timeout(parameters.timeout)
    }

    func query(_ provider: any PlaceProvider) async throws(PlacesError) -> [Placemark] {
        switch subject {
        case .position(let coordinate): try await provider.placemarks(at: coordinate, locale: locale)
        case .text(let text, let limit): try await provider.placemarks(named: text, locale: locale, limit: limit)
        }
    }

    /// Checks for subtags of 1 to 8 letters and digits, the first of letters only (RFC 5646, 2.1, without its
    /// registry).
    private static func locale(_ text: String?) throws(ErrorReply) -> String? {
        guard let text else { return nil }
        let subtags = text.utf8.split(separator: UInt8(ascii: "-"), omittingEmptySubsequences: false)
        let areSubtags = subtags.enumerated().allSatisfy { index, subtag in
            (1...8).contains(subtag.count)
                && subtag.allSatisfy { byte in
                    let isDigit = (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
                    return isDigit ? index > 0 : (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20)
                }
        }
        guard areSubtags, text.utf8.count <= 64 else {
            throw .invalidParameter("locale", reason: "a language tag (BCP 47) such as de or pt-BR, at most 64 bytes")
        }
        return text
    }

    private static func timeout(_ seconds: Double?) throws(ErrorReply) -> Double {
        guard let seconds else { return 30 }
        guard (1.0...300.0).contains(seconds) else { throw .invalidParameter("timeout", reason: "seconds, 1 to 300") }
        return seconds
    }
}
