import FoundationEssentials

/// A command that somebody has published for the device, as OwnTracks writes it. The configuration cannot be changed by
/// one.
package enum RemoteCommand: String, Sendable, Equatable {
    /// Publish the location now.
    case reportLocation
    /// Publish the program's state.
    case status

    private struct Form: Decodable {
        let type: String
        let action: String

        private enum CodingKeys: String, CodingKey { case type = "_type", action }
    }

    /// - Returns: `nil` for anything else.
    package init?(_ payload: [UInt8]) {
        guard let form = try? JSONDecoder().decode(Form.self, from: Data(payload)), form.type == "cmd" else {
            return nil
        }
        self.init(rawValue: form.action)
    }

    /// An object of any members.
    private struct Item: Decodable {
        let command: RemoteCommand?

        init(from decoder: any Decoder) throws {
            let form = try? Form(from: decoder)
            command = form?.type == "cmd" ? form.flatMap { RemoteCommand(rawValue: $0.action) } : nil
        }
    }

    /// The commands in a server's answer to a report: an object, or a list of objects of which others are no commands.
    package static func commands(in answer: [UInt8]) -> [RemoteCommand] {
        let items = try? JSONDecoder().decode([Item].self, from: Data(answer))
        return items?.compactMap(\.command) ?? [RemoteCommand(answer)].compactMap(\.self)
    }
}

/// The answer to ``RemoteCommand/status``.
struct ProgramStatus: Encodable {
    let time: Int64
    let version: String
    /// Messages that no broker has yet.
    let waiting: Int
    /// Why there is no location; `nil` if there is one.
    let reason: String?

    private enum CodingKeys: String, CodingKey { case type = "_type", time = "tst", locationd }
    private enum StateKeys: String, CodingKey { case version, waiting, reason }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode("status", forKey: .type)
        try container.encode(time, forKey: .time)
        var state = container.nestedContainer(keyedBy: StateKeys.self, forKey: .locationd)
        try state.encode(version, forKey: .version)
        try state.encode(waiting, forKey: .waiting)
        try state.encodeIfPresent(reason, forKey: .reason)
    }
}
