import ArgumentParser
@_spi(Programs) import LocationInterface
@_spi(Programs) import LocationKit

/// `locctl clients`: lists the connections.
struct ClientsCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "clients",
        abstract: "Lists the connections, their purposes, and which of them fall behind.",
        discussion: """
            RECEIVER is the connection's share of the time in which the receivers were on: such time is divided evenly \
            among the connections that need them then. LIBRARY is what a program says that it is written with.
            """)

    @OptionGroup var options: ConnectionOptions

    func run() throws {
        let list = try options.administer(AdminInterface.Method.listClients, as: ClientList.self)
        if options.json { return try Output.writeJSON(list) }
        var table = Table([
            "ID", "WHO", "PID", "SINCE", "SOCKET", "REQUEST", "SENT", "DROPPED", "RECEIVER", "LIBRARY", "PURPOSE",
        ])
        for client in list.clients {
            table.add([
                "\(client.id)", PrincipalText.words(client.principal), "\(client.pid)", Text.time(client.since),
                client.socket.rawValue, (client.request ?? "-") + (client.behind ? " (behind)" : ""),
                "\(client.sent)", "\(client.dropped)", Text.duration(client.receiverTime),
                client.library ?? "-", client.use,
            ])
        }
        for line in table.lines { Output.write(line) }
    }
}

extension ClientReport {
    /// What a bridge says of the program, and what the program says it is for; empty if neither is known.
    var use: String {
        [label, purpose == label ? nil : purpose].compactMap(\.self).joined(separator: ": ")
    }
}

/// `locctl disconnect`: ends a connection.
struct DisconnectCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "disconnect",
        abstract: "Ends one connection.")

    @OptionGroup var options: ConnectionOptions

    @Argument(help: "The id of the connection, as `locctl clients` shows it.", completion: .clients)
    var id: Int

    func run() throws {
        do {
            _ = try options.administer(AdminInterface.Method.disconnect, ClientID(id: id))
            try options.writeOutcome("the connection \(id) has ended")
        } catch LocationError.refused(AdminInterface.Failure.noSuchClient, _) {
            throw Failure(code: ExitCodes.failed, message: "there is no client \(id); `locctl clients` lists them")
        }
    }
}
