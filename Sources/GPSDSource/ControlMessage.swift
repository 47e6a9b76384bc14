import FoundationEssentials

/// What gpsd says about itself rather than about a position, read leniently: only what is used, and only if it fits.
enum ControlMessage: Equatable {
    case version(release: String?)
    case devices([String])
    /// A device came, or went (`isActive` false).
    case device(path: String, isActive: Bool)
    case watch
    case error(String)

    /// - Returns: `nil` if the line is not JSON or lacks what its class needs. Devices without a path are left out. An
    ///   error is one even if it is no JSON: gpsd quotes what it was sent without escaping it.
    init?(_ line: [UInt8], class name: String) {
        guard let fields = try? JSONDecoder().decode(Fields.self, from: Data(line)) else {
            guard name == "ERROR" else { return nil }
            self = .error(String(decoding: line, as: UTF8.self))
            return
        }
        switch name {
        case "VERSION": self = .version(release: fields.release)
        case "WATCH": self = .watch
        case "ERROR": self = .error(fields.message ?? "no message")
        case "DEVICES":
            guard let devices = fields.devices else { return nil }
            self = .devices(devices)
        case "DEVICE":
            guard let path = fields.path else { return nil }
            self = .device(path: path, isActive: fields.isActive)
        default: return nil
        }
    }

    private struct Fields: Decodable {
        let release: String?
        let message: String?
        let path: String?
        let isActive: Bool
        let devices: [String]?

        enum Key: String, CodingKey { case release, message, path, activated, devices }

        init(from decoder: any Decoder) throws {
            let container = try decoder.container(keyedBy: Key.self)
            release = try? container.decode(String.self, forKey: .release)
            message = try? container.decode(String.self, forKey: .message)
            path = try? container.decode(String.self, forKey: .path)
            // The time of activation, or 0 when the device was closed; absent in a list of idle ones.
            isActive = (try? container.decode(Double.self, forKey: .activated)) != 0
            devices = (try? container.decode([Element].self, forKey: .devices))?.compactMap(\.path)
        }
    }

    private struct Element: Decodable {
        let path: String?

        enum Key: String, CodingKey { case path }

        init(from decoder: any Decoder) throws {
            path = try? decoder.container(keyedBy: Key.self).decode(String.self, forKey: .path)
        }
    }
}

/// The line that asks gpsd for reports; `json` has to be named, `enable` alone brings none.
struct WatchCommand: Encodable {
    let enable = true
    let json = true
    let device: String?

    private enum CodingKeys: String, CodingKey { case enable, json, device }

    var line: String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.withoutEscapingSlashes, .sortedKeys]
        let object = (try? encoder.encode(self)).map { String(decoding: $0, as: UTF8.self) }
        return "?WATCH=\(object ?? #"{"enable":true,"json":true}"#);\n"
    }
}
