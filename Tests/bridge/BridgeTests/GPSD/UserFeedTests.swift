import Bridge
@_spi(Programs) import LocationModel
import Logging
import ProgramTestSupport
import ServiceServer
@_spi(Programs) import SystemSupport
import Testing

/// What a client is sent for what the daemon replies.
@Suite(.timeLimit(.minutes(10)))
struct UserFeedTests {
    private let folder: TemporaryFolder
    private let daemon: FakeDaemon

    init() throws {
        folder = try TemporaryFolder()
        daemon = try FakeDaemon(in: folder)
    }

    private static let watch = #"?WATCH={"enable":true,"json":true};"#

    /// A client that sends this, over a server of its own.
    private final class Client {
        private let socket: UnixSocket
        private(set) var text = ""

        init(path: String, sending request: String) throws {
            socket = try UnixSocket(path: path)
            try send(request)
        }

        func send(_ request: String) throws { try socket.write(Array(request.utf8)) }

        func forget() { text = "" }

        func awaitText(_ words: String, count: Int = 1) async throws {
            try await eventually("the client reads \(words)", details: { text }) {
                text += String(decoding: try socket.read(forMilliseconds: 0) ?? [], as: UTF8.self)
                return text.occurrences(of: words) >= count
            }
        }
    }

    private func withClient(
        sending request: String = watch, receiversTimeout: Double = 600, _ body: (Client) async throws -> Void
    ) async throws {
        try await withServer(receiversTimeout: receiversTimeout) { _ in
            try await body(Client(path: folder("gpsd.sock"), sending: request))
        }
    }

    /// - Parameter receiversTimeout: seconds for which the bridge waits for the daemon's receivers: as good as for
    ///   ever, unless the test never answers.
    private func withServer(
        receiversTimeout: Double = 600, estimates: Bool = false, _ body: (UInt16) async throws -> Void
    ) async throws {
        let path = folder("gpsd.sock")
        var limits = GPSDServer.Limits()
        (limits.receiversTimeout, limits.requestTimeout) = (receiversTimeout, 600)
        let listener = try SocketFile.listener(at: path)
        let server = try await GPSDServer(
            [.inherited(listener), .tcp(host: "127.0.0.1", port: 0)], daemon: daemon.path, limits: limits,
            estimates: estimates,
            logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
        do { try await body(try #require(server.tcpPort)) } catch {
            await server.stop()
            throw error
        }
        await server.stop()
    }

    @Test(arguments: [false, true]) func estimatesAreRequestedWhereTheConfigurationSaysSo(estimates: Bool) async throws
    {
        try await withServer(estimates: estimates) { _ in
            let client = try Client(path: folder("gpsd.sock"), sending: Self.watch)
            let call = try await daemon.conversation(calling: "Watch").call
            #expect(call.contains(#""estimate":true"#) == estimates, "\(call)")
            withExtendedLifetime(client) {}
        }
    }

    @Test func authorizationIsRequestedOnceForEachWatch() async throws {
        try await withClient { client in
            for _ in 0..<2 {
                let watch = try await daemon.conversation(calling: "Watch")
                try watch.reply(FakeDaemon.status("notDetermined"))
                let request = try await daemon.conversation(calling: "RequestAuthorization")
                // It does not request again, whatever the watch says.
                try watch.reply(FakeDaemon.status("notDetermined"))
                try await client.awaitText("there is no decision yet")
                try request.reply(FakeDaemon.status("notDetermined"), continues: false)
                try await request.awaitEnd()
                // A daemon that is started anew has forgotten the request.
                try watch.reply(FakeDaemon.status("notDetermined"), continues: false)
                try await watch.awaitEnd()
            }
        }
    }

    @Test func requestThatFailsAfterTheDecisionIsNotReported() async throws {
        try await withClient { client in
            let watch = try await daemon.conversation(calling: "Watch")
            try watch.reply(FakeDaemon.status("notDetermined"))
            let request = try await daemon.conversation(calling: "RequestAuthorization")
            try watch.reply(FakeDaemon.status("authorizedAlways"))
            try watch.write([FakeDaemon.location(latitude: 41)])
            try await client.awaitText(#""lat":41.0"#)
            try request.write([#"{"error":"org.locationd.location.Failed","parameters":{"reason":"too late"}}"#])
            try await request.awaitEnd()
            try watch.write([FakeDaemon.location(latitude: 42)])
            try await client.awaitText(#""lat":42.0"#)
            #expect(!client.text.contains("ERROR") && !client.text.contains(#""mode":0"#), "\(client.text)")
        }
    }

    @Test func requestThatFailsIsReported() async throws {
        try await withClient { client in
            let watch = try await daemon.conversation(calling: "Watch")
            try watch.reply(FakeDaemon.status("notDetermined"))
            let request = try await daemon.conversation(calling: "RequestAuthorization")
            try request.write([#"{"error":"org.locationd.location.Failed","parameters":{"reason":"full"}}"#])
            try await client.awaitText("there is no decision yet")
            try await client.awaitText(#""mode":0"#)
        }
    }

    private static func receivers(_ list: String...) -> String {
        let items = list.map { text in
            let words = text.split(separator: " ")
            return #"{"source":"\#(words[0])""# + (words.count > 1 ? #","device":"\#(words[1])"}"# : "}")
        }
        return #"{"parameters":{"receivers":[\#(items.joined(separator: ","))]}}"#
    }

    /// The beginning of a device in a list: its path, and its source.
    private static func device(_ path: String, _ source: String) -> String {
        #"{"class":"DEVICE","path":"\#(path)","driver":"\#(source)""#
    }

    @Test func receiversAreListedBeforeAnyWatch() async throws {
        daemon.receivers = nil
        try await withClient(sending: "?DEVICES;") { client in
            let inquiry = try await daemon.conversation(calling: "ListReceivers")
            #expect(inquiry.call.contains(#""onBehalfOf":{"#))
            try inquiry.write([Self.receivers("gpsd /dev/ttyUSB0", "spare")])
            try await client.awaitText(#""class":"DEVICES""#)
            let list = #""devices":["# + Self.device("/dev/ttyUSB0", "gpsd")
            #expect(client.text.contains(list) && client.text.contains(Self.device("spare", "spare")), "\(client.text)")
            #expect(!client.text.contains("activated") && !daemon.hasConnection, "nothing is started")
            // A named device is accepted before its first fix.
            try client.send(#"?WATCH={"enable":true,"json":true,"device":"/dev/ttyUSB0"};"#)
            try await client.awaitText(#""class":"WATCH""#)
            #expect(!client.text.contains("ERROR"), "\(client.text)")
        }
    }

    @Test func clientsOfADaemonThatDoesNotAnswerAreServed() async throws {
        daemon.receivers = nil
        try await withClient(receiversTimeout: 0.1) { client in
            let inquiry = try await daemon.conversation(calling: "ListReceivers")
            try await client.awaitText(#""devices":[]"#)
            try await inquiry.awaitEnd()
        }
    }

    @Test func clientsOfADaemonThatTellsNoReceiversAreServed() async throws {
        daemon.receivers = nil
        try await withClient { client in
            let inquiry = try await daemon.conversation(calling: "ListReceivers")
            try inquiry.write([#"{"error":"org.varlink.service.MethodNotFound","parameters":{}}"#])
            try await client.awaitText(#""devices":[]"#)
            let watch = try await daemon.conversation(calling: "Watch")
            daemon.receivers = Self.receivers()
            try watch.reply(FakeDaemon.status("authorizedAlways"))
            try watch.write([FakeDaemon.location(latitude: 41)])
            // Who was told none may know them from now on.
            let again = try await daemon.conversation(calling: "ListReceivers")
            try again.write([Self.receivers("gpsd")])
            try await client.awaitText(#""lat":41.0"#)
        }
    }

    @Test func receiversStayKnownWhenNobodyWatches() async throws {
        try await withClient { client in
            let watch = try await daemon.conversation(calling: "Watch")
            try await client.awaitText(Self.device("gpsd", "gpsd"))
            try watch.reply(FakeDaemon.status("authorizedAlways"))
            try watch.write([FakeDaemon.location(latitude: 41, device: "/dev/ttyUSB0")])
            try await client.awaitText(Self.device("/dev/ttyUSB0", "gpsd") + #","activated":"2"#)
            try await client.awaitText(#""lat":41.0"#)
            try client.send(#"?WATCH={"enable":false};"#)
            try await client.awaitText(#""enable":false"#)
            try await watch.awaitEnd()
            client.forget()
            try client.send("?DEVICES;")
            // Its path stands for the source from now on.
            try await client.awaitText(#""devices":["# + Self.device("/dev/ttyUSB0", "gpsd"))
            #expect(client.text.occurrences(of: #""class":"DEVICE","#) == 1 && !client.text.contains("activated"))
        }
    }

    /// A daemon that was started anew has not heard the receivers yet.
    @Test func receiversStayKnownWhenNobodyIsThere() async throws {
        daemon.receivers = nil
        try await withServer { _ in
            let client = try BridgeClient(path: folder("gpsd.sock"))
            try client.send("?DEVICES;")
            let inquiry = try await daemon.conversation(calling: "ListReceivers")
            try inquiry.write([Self.receivers("gpsd /dev/ttyUSB0", "old")])
            try await client.awaitText(Self.device("/dev/ttyUSB0", "gpsd"))
            client.endSending()
            try await client.awaitEnd()
            let next = try BridgeClient(path: folder("gpsd.sock"))
            try next.send("?DEVICES;")
            let second = try await daemon.conversation(calling: "ListReceivers")
            try second.write([Self.receivers("gpsd", "new")])
            try await next.awaitText(Self.device("new", "new"))
            #expect(next.text.contains(Self.device("/dev/ttyUSB0", "gpsd")))
            #expect(!next.text.contains(Self.device("gpsd", "gpsd")) && !next.text.contains(Self.device("old", "old")))
        }
    }

    // MARK: Reports without a fix

    /// Net::GPSD3 ends at a TPV without time, and scripts read the first five lines.
    @Test func firstReportOfAReceiverThatStartsIsItsFix() async throws {
        try await withClient { client in
            let watch = try await daemon.conversation(calling: "Watch")
            try await client.awaitText(#""class":"WATCH""#)
            // At once, so that the receiver has its fix within a second.
            let starting = ["stopped", "starting", "searching"].map {
                #"{"continues":true,"parameters":\#(FakeDaemon.status(source: $0))}"#
            }
            try watch.write(starting + [FakeDaemon.location(latitude: 41, device: "/dev/ttyUSB0")])
            try await client.awaitText(#""lat":41.0"#)
            let kinds = client.text.split(separator: "\r\n").compactMap {
                $0.split(separator: "\"").dropFirst(3).first
            }
            // What follows a second later is that nothing more came.
            #expect(kinds.prefix(5) == ["VERSION", "DEVICES", "WATCH", "DEVICE", "TPV"], "\(client.text)")
            #expect(client.text.split(separator: "\r\n").dropFirst(4).first?.contains(#""lat":41.0"#) == true)
        }
    }

    /// As where the user's watch of before has just ended.
    @Test(arguments: ["stopped", "starting", "searching"])
    func lastFixOfBeforeIsNotLostWhereTheReceiverStarts(source: String) async throws {
        try await withClient { client in
            let watch = try await daemon.conversation(calling: "Watch")
            let status = #"{"continues":true,"parameters":\#(FakeDaemon.status(source: source))}"#
            let fixes = [41, 42].map { FakeDaemon.location(latitude: $0, device: "/dev/ttyUSB0") }
            try watch.write([fixes[0], status, fixes[1]])
            try await client.awaitText(#""lat":42.0"#)
            let end = client.text.firstRange(of: #""lat":42.0"#)?.lowerBound ?? client.text.endIndex
            #expect(!client.text[..<end].contains(#""mode":1"#), "\(client.text)")
        }
    }

    @Test func satellitesActivateTheirDevice() async throws {
        try await withClient { client in
            let watch = try await daemon.conversation(calling: "Watch")
            let searching = #"{"continues":true,"parameters":\#(FakeDaemon.status(source: "searching"))}"#
            try watch.write([searching, FakeDaemon.satellites])
            try await client.awaitText(#""class":"SKY""#)
            let end = client.text.firstRange(of: #""class":"SKY""#)?.lowerBound ?? client.text.endIndex
            #expect(client.text[..<end].contains(#""activated":"2"#), "\(client.text)")
        }
    }

    /// It is active from then on, also in the answer to a poll, and when nobody watches any more.
    @Test func receiverThatSearchesIsReportedAfterASecond() async throws {
        try await withClient { client in
            let watch = try await daemon.conversation(calling: "Watch")
            try watch.reply(FakeDaemon.status(source: "searching"))
            try await client.awaitText(#"{"class":"TPV","device":"gpsd","mode":1}"#)
            #expect(client.text.contains(Self.device("gpsd", "gpsd") + #","activated":"2"#), "\(client.text)")
            try client.send("?POLL;")
            try await client.awaitText(#""active":1,"tpv":[{"class":"TPV","device":"gpsd","mode":1}]"#)
            try client.send(#"?WATCH={"enable":false};"#)
            try await client.awaitText(#""enable":false"#)
            try await watch.awaitEnd()
            client.forget()
            try client.send("?DEVICES;?WATCH={\"enable\":true};?POLL;")
            try await client.awaitText(#""active":1,"tpv":[{"class":"TPV","device":"gpsd","mode":0}]"#)
            #expect(!client.text.contains("activated"), "\(client.text)")
        }
    }

    /// gpsd reports nothing without one, and lists none as active.
    @Test func sourceWithoutReceiverIsNotReportedAndNotActive() async throws {
        try await withServer { port in
            let client = try Client(path: folder("gpsd.sock"), sending: Self.watch)
            let watch = try await daemon.conversation(calling: "Watch")
            try watch.reply(FakeDaemon.status(source: "searching"))
            try await client.awaitText(#""mode":1"#)
            try watch.reply(FakeDaemon.status(source: "unavailable"))
            try await client.awaitText(#""activated":0"#)
            client.forget()
            let other = try BridgeClient(port: port)
            try other.send(Self.watch)
            let second = try await daemon.conversation(calling: "Watch")
            try second.reply(FakeDaemon.status(source: "searching"))
            try await other.awaitText(#""mode":1"#, count: 3)
            try client.send("?POLL;")
            try await client.awaitText(#""active":0"#)
            #expect(!client.text.contains(#""class":"TPV","device""#), "\(client.text)")
        }
    }

    /// Both are watched for as long; over TCP the same user has a watch of its own.
    @Test(arguments: ["stopped", "starting"])
    func receiverThatStartsIsNotReported(source: String) async throws {
        try await withServer { port in
            let quiet = try Client(path: folder("gpsd.sock"), sending: Self.watch)
            let first = try await daemon.conversation(calling: "Watch")
            try first.reply(FakeDaemon.status(source: source))
            let other = try BridgeClient(port: port)
            try other.send(Self.watch)
            let second = try await daemon.conversation(calling: "Watch")
            try second.reply(FakeDaemon.status(source: "searching"))
            try await other.awaitText(#""mode":1"#, count: 3)
            try first.write([FakeDaemon.location(latitude: 41)])
            try await quiet.awaitText(#""lat":41.0"#)
            #expect(!quiet.text.contains(#""mode":1"#), "\(quiet.text)")
        }
    }

    @Test func lossOfTheFixIsReportedAtOnceByItsDevice() async throws {
        daemon.receivers = Self.receivers("gpsd /dev/ttyUSB0", "spare")
        try await withClient(sending: #"?WATCH={"enable":true,"json":true,"nmea":true};"#) { client in
            let watch = try await daemon.conversation(calling: "Watch")
            try watch.reply(FakeDaemon.status())
            let lost = #"{"continues":true,"parameters":\#(FakeDaemon.status(source: "lost"))}"#
            try watch.write([
                FakeDaemon.location(latitude: 41, device: "/dev/ttyUSB0"), lost, lost, FakeDaemon.satellites,
            ])
            try await client.awaitText("SKY")
            let mode = #"{"class":"TPV","device":"/dev/ttyUSB0","mode":1}"#
            // What follows a second later is that nothing more came.
            let end = client.text.firstRange(of: #""class":"SKY""#)?.lowerBound ?? client.text.endIndex
            let text = String(client.text[..<end])
            #expect(text.occurrences(of: mode) == 1 && text.occurrences(of: "RMC,,V") == 1)
            #expect(client.text.contains(#"{"class":"SKY","device":"/dev/ttyUSB0","#), "\(client.text)")
        }
    }

    /// A receiver's path is for who may know the position fully.
    @Test func receiverIsNotNamedAfterAReduction() async throws {
        try await withClient { client in
            let watch = try await daemon.conversation(calling: "Watch")
            try watch.reply(FakeDaemon.status())
            try watch.write([FakeDaemon.location(latitude: 41, device: "/dev/ttyUSB0")])
            try await client.awaitText(#""lat":41.0"#)
            client.forget()
            daemon.receivers = nil
            try watch.reply(FakeDaemon.status(accuracy: "reduced", source: "searching"))
            let inquiry = try await daemon.conversation(calling: "ListReceivers")
            try inquiry.write([Self.receivers("gpsd")])
            try await client.awaitText(#""mode":1"#)
            #expect(!client.text.contains(#"{"class":"TPV","device":"/dev/ttyUSB0""#), "\(client.text)")
            try await client.awaitText(#"{"class":"TPV","device":"gpsd","mode":1}"#)
            try client.send("?DEVICES;")
            try await client.awaitText(#""devices":["# + Self.device("gpsd", "gpsd"))
        }
    }

    /// As of gpsd, which answers with what its device has said, and as programs poll that connect for each position.
    @Test func pollOfALaterClientHasTheLastReports() async throws {
        try await withClient { client in
            let watch = try await daemon.conversation(calling: "Watch")
            try watch.reply(FakeDaemon.status())
            try watch.write([FakeDaemon.location(latitude: 41), FakeDaemon.satellites])
            try await client.awaitText("SKY")
            let later = try Client(path: folder("gpsd.sock"), sending: #"?WATCH={"enable":true};"#)
            try await later.awaitText(#""class":"WATCH""#)
            try later.send("?POLL;")
            try await later.awaitText(#""class":"POLL""#)
            #expect(later.text.contains(#""lat":41.0"#) && later.text.contains(#""PRN":7"#), "\(later.text)")

            try watch.reply(FakeDaemon.status("denied"))
            try await client.awaitText("locationd does not allow it")
            let last = try Client(path: folder("gpsd.sock"), sending: #"?WATCH={"enable":true};"#)
            try await last.awaitText(#""class":"WATCH""#)
            try last.send("?POLL;")
            try await last.awaitText(#""class":"POLL""#)
            #expect(!last.text.contains("lat"), "\(last.text)")
        }
    }

    // MARK: Times

    /// gpxlogger writes no point without a time.
    @Test(arguments: ["fixedPosition", "network", "gnss"])
    func positionThatNobodyMeasuresHasTheTimeOfItsArrival(method: String) async throws {
        try await withClient(sending: #"?WATCH={"enable":true,"json":true,"nmea":true};"#) { client in
            let watch = try await daemon.conversation(calling: "Watch")
            try watch.reply(FakeDaemon.status())
            let arrival = MachineClock.now.seconds - 30
            let earliest = MachineClock.utc.advanced(bySeconds: -30)
            try watch.write([FakeDaemon.location(latitude: 41, method: method, monotonicTime: arrival)])
            try await client.awaitText(#""lat":41.0"#)
            let latest = MachineClock.utc.advanced(bySeconds: -30)
            let written = try #require(client.text.firstMatch(of: /\$GPRMC,([0-9.]*),A,/)).output.1
            let time = client.text.firstMatch(of: /"time":"([^"]*)"/).flatMap { UTCTime(String($0.output.1)) }
            guard method != "gnss" else {
                #expect(time == nil && written.isEmpty, "a receiver may not know the time yet")
                return
            }
            let told = try #require(time)
            #expect(told >= earliest.advanced(bySeconds: -0.01) && told <= latest.advanced(bySeconds: 0.01))
            #expect(told.description.filter(\.isNumber).dropFirst(8).hasPrefix(written.filter(\.isNumber)))
        }
    }

    // MARK: Requests

    @Test func requestThatHasNoEndIsAnswered() async throws {
        try await withClient(sending: #"?WATCH={"enable":true,"json":true}"#) { client in
            _ = try await daemon.conversation(calling: "Watch")
            try await client.awaitText(#""class":"WATCH""#)
            try client.send("?POLL")
            try await client.awaitText("Unrecognized request '?POLL'")
            try client.send(#"?WATCH={"enable":fal"#)
            try await client.awaitText("Invalid WATCH")
        }
    }

    @Test func requestThatEndsWithTheConnectionIsAnswered() async throws {
        try await withClient(receiversTimeout: 0.1) { _ in
            let client = try BridgeClient(path: folder("gpsd.sock"))
            try client.send("?VERSION;?POLL")
            client.endSending()
            try await client.awaitText("Unrecognized request '?POLL'")
            try await client.awaitEnd()
        }
    }

    @Test func everyReportIsSentHoweverManyComeTogether() async throws {
        try await withClient { client in
            let watch = try await daemon.conversation(calling: "Watch")
            try watch.reply(FakeDaemon.status("authorizedAlways"))
            let count = 200
            try watch.write((0..<count).flatMap { _ in [FakeDaemon.location(latitude: 41), FakeDaemon.satellites] })
            try await client.awaitText("SKY", count: count)
            #expect(client.text.occurrences(of: "TPV") == count)
            let first = try #require(client.text.firstRange(of: "TPV")), sky = client.text.firstRange(of: "SKY")
            #expect(try first.lowerBound < #require(sky).lowerBound)
        }
    }
}

extension String {
    /// How often it contains these words.
    fileprivate func occurrences(of words: String) -> Int { ranges(of: words).count }
}
