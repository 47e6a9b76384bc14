import Foundation

/// One message of the daemon's as a client reads it, by a reader that shares nothing with the daemon's writer.
struct Message {
    /// A location, wherever it stands in the message.
    struct Place {
        let sequence: Int64
        let latitude, longitude: Double
        let age, monotonicTime: Double
        let accuracy: Double?
        let source: String
        let device: String?
        let timestamp: String?
        let satellites: Int?
        /// True if it tells more than a reduced one may.
        let isDetailed: Bool
    }

    var error: String?
    var continues = false
    var authorization: String?
    var isEnabled: Bool?
    var state: String?
    /// Of a watch's or a request's own reply.
    var location: Place?
    /// All of them, those in errors and reports too.
    var places: [Place] = []
    var dropped = 0
    var tellsSky = false
    var tellsVisit = false
    var regionEvent: (identifier: String, state: String, event: String?)?

    /// - Returns: `nil` for what is no reply of Varlink's.
    init?(_ bytes: [UInt8]) {
        guard let object = try? JSONSerialization.jsonObject(with: Data(bytes)) as? [String: Any],
            object["parameters"] == nil || object["parameters"] is [String: Any]
        else { return nil }
        let parameters = object["parameters"] as? [String: Any] ?? [:]
        error = object["error"] as? String
        continues = object["continues"] as? Bool ?? false
        if let status = parameters["status"] as? [String: Any] {
            authorization = status["authorization"] as? String
            isEnabled = status["enabled"] as? Bool
            state = status["source"] as? String
        }
        location = (parameters["location"] as? [String: Any]).flatMap(Self.place)
        dropped = parameters["dropped"] as? Int ?? 0
        tellsSky = parameters["satellites"] != nil || parameters["heading"] != nil
        tellsVisit = parameters["visit"] != nil
        if let region = parameters["region"] as? [String: Any], let identifier = region["identifier"] as? String,
            let state = region["state"] as? String
        {
            regionEvent = (identifier, state, region["event"] as? String)
        }
        collect(parameters)
    }

    private mutating func collect(_ value: Any) {
        if let list = value as? [Any] { for element in list { collect(element) } }
        guard let object = value as? [String: Any] else { return }
        if let place = Self.place(object) { places.append(place) }
        for element in object.values where element is [Any] || element is [String: Any] { collect(element) }
    }

    private static func place(_ object: [String: Any]) -> Place? {
        guard let latitude = object["latitude"] as? Double, let longitude = object["longitude"] as? Double,
            let time = object["monotonicTime"] as? Double, let sequence = object["sequence"] as? Int64
        else { return nil }
        let source = object["source"] as? [String: Any]
        return Place(
            sequence: sequence, latitude: latitude, longitude: longitude, age: object["age"] as? Double ?? -1,
            monotonicTime: time, accuracy: object["horizontalAccuracy"] as? Double,
            source: source?["name"] as? String ?? "", device: source?["device"] as? String,
            timestamp: object["timestamp"] as? String,
            satellites: object["satellitesUsed"] as? Int,
            isDetailed: ["speed", "course", "altitude", "climb", "satellitesUsed"].contains { object[$0] != nil })
    }
}
