import Foundation
import ReferenceModel

/// One message of the daemon's as a client reads it, by a reader that shares nothing with the daemon's writer.
struct Message {
    /// A location, wherever it stands in the message.
    struct Place {
        /// What the reference model knows of it.
        let known: ExpectedReply.Place
        let age: Double
        let source: String
        let device: String?
        let timestamp: String?
        let satellites: Int?
        let basis: String?
        /// How an estimate was made.
        let estimateBasis: String?
        let speed: Double?
        let hdop: Double?
        /// The rule by which it is not believed.
        let implausible: String?
    }

    var error: String?
    var continues = false
    var status: ExpectedStatus?
    /// Of a watch's or a request's own reply.
    var location: Place?
    /// All of them, those in errors and reports too.
    var places: [Place] = []
    var dropped = 0
    var hasHeading = false
    var hasSatellites = false
    var hasVisit = false
    var regionEvent: (identifier: String, state: String, event: String?)?

    /// - Returns: `nil` for what is no reply of Varlink's.
    init?(_ bytes: [UInt8]) {
        guard let object = try? JSONSerialization.jsonObject(with: Data(bytes)) as? [String: Any],
            object["parameters"] == nil || object["parameters"] is [String: Any]
        else { return nil }
        let parameters = object["parameters"] as? [String: Any] ?? [:]
        error = object["error"] as? String
        continues = object["continues"] as? Bool ?? false
        if let status = parameters["status"] as? [String: Any], let isEnabled = status["enabled"] as? Bool,
            let state = status["source"] as? String, let authorization = status["authorization"] as? String
        {
            self.status = ExpectedStatus(
                isEnabled: isEnabled, state: state, authorization: authorization, reason: status["reason"] as? String,
                hasHeading: status["headingAvailable"] as? Bool)
            self.status?.isStationary = status["stationary"] as? Bool ?? false
            self.status?.isPaused = status["paused"] as? Bool ?? false
        }
        location = (parameters["location"] as? [String: Any]).flatMap(Self.place)
        dropped = parameters["dropped"] as? Int ?? 0
        hasHeading = parameters["heading"] != nil
        hasSatellites = parameters["satellites"] != nil
        hasVisit = parameters["visit"] != nil
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
        let known = ExpectedReply.Place(
            sequence: sequence, latitude: latitude, longitude: longitude, monotonicTime: time,
            accuracy: object["horizontalAccuracy"] as? Double,
            isDetailed: ["speed", "course", "altitude", "climb", "satellitesUsed"].contains { object[$0] != nil })
        return Place(
            known: known, age: object["age"] as? Double ?? -1, source: source?["name"] as? String ?? "",
            device: source?["device"] as? String, timestamp: object["timestamp"] as? String,
            satellites: object["satellitesUsed"] as? Int, basis: object["accuracyBasis"] as? String,
            estimateBasis: object["basis"] as? String, speed: object["speed"] as? Double,
            hdop: object["hdop"] as? Double, implausible: object["implausible"] as? String)
    }

    /// The same in the terms of the reference model.
    var reply: ExpectedReply {
        var reply = ExpectedReply()
        reply.status = status
        reply.location = location?.known
        reply.places = places.map(\.known)
        reply.dropped = dropped
        reply.hasHeading = hasHeading
        reply.hasSatellites = hasSatellites
        reply.hasVisit = hasVisit
        reply.isFinal = !continues
        return reply
    }
}
