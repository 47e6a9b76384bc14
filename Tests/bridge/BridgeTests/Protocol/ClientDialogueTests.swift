@_spi(Programs) import LocationModel
import Testing

@testable import GPSDProtocol

/// What clients of gpsd send, byte for byte as recorded of each or read in its source, and what they must be answered.
struct ClientDialogueTests {
    /// One exchange: the bytes of a client, the classes of the lines of the answer, and what the client reads in it.
    struct Exchange: Sendable {
        let sent: String
        let classes: [String]
        var read: [String] = []
    }

    struct Client: Sendable, CustomTestStringConvertible {
        let name: String
        let exchanges: [Exchange]
        /// The classes of what it is sent at each fix.
        let reports: [String]
        var testDescription: String { name }
    }

    private static let watching = ["DEVICES", "WATCH"]
    private static let json = ["TPV", "SKY"]
    private static let sentences = ["$GPGGA", "$GPRMC"]
    /// gpsd-py3 takes the first device's path, bps and driver, and gpsd-client-async needs its stopbits.
    private static let device =
        #""devices":[{"class":"DEVICE","path":"/dev/ttyACM0","driver":"gpsd","native":0,"bps":0,"parity":"N","stopbits":1"#
    /// gpsd-py3 takes the last of each list.
    private static let polled = [#""active":1,"tpv":[{"class":"TPV","#, #""sky":[{"class":"SKY","#]

    private static func watcher(_ name: String, _ sent: String, _ reports: [String] = json) -> Client {
        Client(name: name, exchanges: [Exchange(sent: sent, classes: watching, read: [device])], reports: reports)
    }

    /// A client that polls, after the first fix.
    private static func poller(_ name: String, watch: String, poll: String, reports: [String] = []) -> Client {
        Client(
            name: name,
            exchanges: [
                Exchange(sent: watch, classes: watching, read: [device]),
                Exchange(sent: poll, classes: ["POLL"], read: polled),
            ], reports: reports)
    }

    static let clients: [Client] = [
        // libgps for Marble, Viking, Navit, direwolf, cgps, and gpspipe -w; its -r and -R.
        watcher("libgps", "?WATCH={\"enable\":true,\"json\":true};\n"),
        // Of which another gpsd is the source.
        watcher("gpsd", #"?WATCH={"enable":true,"json":true};"#),
        watcher("gpspipe -r", "?WATCH={\"enable\":true,\"nmea\":true};\n", sentences),
        watcher("gpspipe -R", "?WATCH={\"enable\":true,\"raw\":2};\n", sentences),
        watcher("Python's gps", "?WATCH={\"enable\":true,\"json\":true}\n"),
        watcher("gpscsv", "?WATCH={\"enable\":true,\"json\":true,\"scaled\":true}\n"),
        watcher("gpsmon", "?WATCH={\"raw\":2,\"pps\":true}\r\n", sentences),
        watcher("gps3", #"?WATCH={"enable":true,"json":true}"#),
        watcher("gps3, a device", #"?WATCH={"enable":true,"json":true,"device":"/dev/ttyACM0"}"#),
        watcher("gpsdclient", "?WATCH={\"enable\":true,\"json\":true}\n"),
        poller("gpsd-py3", watch: "?WATCH={\"enable\":true}\n", poll: "?POLL;\n"),
        poller("pygpsd", watch: "?WATCH={\"enable\":true}\n", poll: "?POLL;\n"),
        poller(
            "gpsd-client-async", watch: "?WATCH={\"enable\":true,\"json\":true,\"split24\":false,\"raw\":0}\r\n",
            poll: "?POLL;\r\n", reports: json),
        watcher("OpenCPN", #"?WATCH={"class":"WATCH", "nmea":true}"#, sentences),
        watcher("Merkaartor", #"?WATCH={"enable":true,"nmea":true}"#, sentences),
        watcher("QGIS", #"?WATCH={"enable":true,"nmea":true,"raw":true};"#, sentences),
        Client(
            name: "gpsprof",
            exchanges: [
                Exchange(sent: "?WATCH={\"enable\":true,\"json\":true}\n", classes: watching, read: [device]),
                Exchange(sent: "?WATCH={\"enable\":false,\"json\":false,\"timing\":false}\n", classes: watching),
            ], reports: []),
        Client(
            name: "ubxtool",
            exchanges: [
                Exchange(sent: "?WATCH={\"enable\":true,\"raw\":2}\r\n", classes: watching),
                Exchange(
                    sent: "?DEVICE={\"hexdata\":\"b5620a0400000e34\"}\r\n", classes: ["ERROR"], read: ["only reported"]),
            ], reports: sentences),
        Client(
            name: "a change of the speed",
            exchanges: [
                Exchange(
                    sent: #"?DEVICE={"path":"/dev/ttyACM0","bps":9600}"#, classes: ["DEVICE"], read: [#""bps":0"#])
            ], reports: []),
    ]

    private static func classes(_ lines: [String]) -> [String] {
        lines.compactMap { line in
            if line.hasPrefix("$PLOCD") { return nil }
            if line.hasPrefix("$") { return String(line.prefix { $0 != "," }) }
            return line.firstMatch(of: /"class":"([A-Z]+)"/).map { String($0.output.1) }
        }
    }

    /// Plays a dialogue whose first exchange comes before the first fix, in these pieces.
    private func play(_ client: Client, cutting: (String) -> [String]) throws {
        // Before its first fix a receiver is idle.
        var session = GPSDSession(devices: [GPSDDevice(path: Sample.path, name: "gpsd")])
        for (index, exchange) in client.exchanges.enumerated() {
            if index > 0 {
                _ = session.applyDevices([Sample.device])
                _ = session.applyReport(GPSDReport(try Sample.location()))
            }
            let lines = cutting(exchange.sent).flatMap { session.lines(for: $0) }
            #expect(Self.classes(lines) == exchange.classes, "\(client.name): \(exchange.sent) \(lines)")
            for text in exchange.read { #expect(lines.joined().contains(text), "\(client.name): \(lines)") }
            #expect(!session.isWithinRequest)
        }
        _ = session.applyDevices([Sample.device])
        let satellites = [Satellite(gnss: "GPS", id: 7, used: true)]
        let sent =
            session.applyReport(GPSDReport(try Sample.location())).lines
            + session.applyReport(GPSDReport(SkyView(satellites, device: Sample.path))).lines
        let classes = Self.classes(sent)
        #expect(classes.filter { client.reports.contains($0) } == client.reports, "\(client.name): \(sent)")
        #expect(client.reports.isEmpty == classes.isEmpty, "\(client.name): \(sent)")
    }

    @Test(arguments: clients)
    func clientIsAnswered(client: Client) throws {
        try play(client) { [$0] }
    }

    /// The network may cut it anywhere.
    @Test(arguments: clients)
    func clientIsAnsweredByteByByte(client: Client) throws {
        try play(client) { $0.unicodeScalars.map { String($0) } }
        let longest = client.exchanges.map(\.sent.utf8.count).max() ?? 0
        for cut in 0...longest {
            try play(client) { [String($0.prefix(cut)), String($0.dropFirst(cut))] }
        }
    }
}
