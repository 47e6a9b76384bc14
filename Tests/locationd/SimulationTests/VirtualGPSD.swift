@_spi(Programs) import LocationModel

/// A gpsd with its receivers, and what it says on the one connection to it.
final class VirtualGPSD {
    enum Mood: CaseIterable { case up, refusing, frozen }
    /// How it behaves towards a client that connects.
    enum Welcome { case proper, wordless, dumb, foreign, unwilling }

    var mood = Mood.up
    var receivers: [VirtualReceiver] = []
    /// What it has said and the reader has not yet read.
    private(set) var output: [UInt8] = []
    /// What must come of each line, by where it ends in all that was said on the connection.
    private var meanings: [(end: Int, meaning: VirtualReceiver.Meaning)] = []
    private var said = 0
    private var isStreaming = false
    private var welcome = Welcome.proper
    private(set) var isClosing = false

    func begin(_ welcome: Welcome) {
        self.welcome = welcome
        (output, meanings, said, isStreaming, isClosing) = ([], [], 0, false, false)
        switch welcome {
        case .proper, .unwilling: say(#"{"class":"VERSION","release":"3.22","proto_major":3,"proto_minor":14}"#)
        case .wordless: isClosing = true
        case .dumb: break
        case .foreign: say("220 mail.example.org ESMTP")
        }
    }

    /// The reader asked for reports.
    func answerWatch() {
        guard welcome == .proper else {
            if welcome == .unwilling { say(#"{"class":"ERROR","message":"No such device"}"#) }
            return
        }
        sayDevices()
        say(#"{"class":"WATCH","enable":true,"json":true}"#)
        isStreaming = true
    }

    func sayDevices() {
        let list = receivers.map {
            #"{"class":"DEVICE","path":"\#($0.device)","activated":"2026-11-21T08:41:35.119Z"}"#
        }
        say(#"{"class":"DEVICES","devices":[\#(list.joined(separator: ","))]}"#)
    }

    /// Says the lines of an epoch, unless nobody listens.
    func report(_ lines: [VirtualReceiver.Line]) {
        guard isStreaming, mood == .up else { return }
        for line in lines { say(line.bytes, line.meaning) }
    }

    func say(_ text: String) { say(Array(text.utf8), .nothing) }

    func say(_ line: [UInt8], _ meaning: VirtualReceiver.Meaning) {
        output += line + [0x0D, 0x0A]
        said += line.count + 2
        meanings.append((said, meaning))
    }

    func close() { isClosing = true }

    /// The next bytes, and what must come of the lines that end in them.
    func takeOutput(_ count: Int) -> (bytes: [UInt8], meanings: [VirtualReceiver.Meaning]) {
        let bytes = Array(output.prefix(count))
        output.removeFirst(bytes.count)
        let read = said - output.count
        let due = meanings.prefix { $0.end <= read }.map(\.meaning)
        meanings.removeFirst(due.count)
        return (bytes, due)
    }
}
