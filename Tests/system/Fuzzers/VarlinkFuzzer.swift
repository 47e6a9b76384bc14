@_spi(Programs) import LocationModel
import NIOCore

/// What clients send, and what happens meanwhile. The input is a script of lines: a digit is followed by what the
/// client of that number sends, from its first line on, and a letter is an event. Sending ends at the line, so that
/// calls, the NULs after them and a connection can be cut anywhere.
///
/// | line | event |
/// |---|---|
/// | `0…` to `9…` | the client of that number sends the rest; see ``FuzzedService/visitors`` |
/// | `c` and a digit | that client goes |
/// | `d` and a digit | that client closes its sending side |
/// | `f` | the receiver has a fix |
/// | `n` | the receiver has none |
/// | `s`, `h` | satellites; a heading |
/// | `p`, `r` | from here on clients do not read; they do again |
/// | `t`, `m` | a second passes; a minute |
///
/// Rules: those of ``FuzzedClient``, and when everybody has gone nothing is left of them.
func fuzzVarlink(_ input: [UInt8]) {
    let service = FuzzedService()
    for line in input.split(separator: 0x0A, omittingEmptySubsequences: true).prefix(200) {
        guard let first = line.first else { continue }
        let rest = line.dropFirst()
        let number = rest.first.flatMap(digit)
        switch Character(Unicode.Scalar(first)) {
        case "0"..."9": if let client = digit(first) { service.send(rest, from: client) }
        case "c": if let number { service.leave(number) }
        case "d": if let number { service.endInput(of: number) }
        case "f": service.post(.fix(service.nextFix()))
        case "n": service.post(.noFix(device: FuzzedService.device))
        case "s":
            let satellite = Satellite(gnss: "GPS", id: 7, used: true)
            service.post(.satellites([satellite], device: FuzzedService.device, at: service.present))
        case "h":
            var heading = Heading()
            heading.trueHeading = 90
            service.post(.heading(heading, device: FuzzedService.device, at: service.present))
        case "p": service.setReading(false)
        case "r": service.setReading(true)
        case "t": service.pass(.seconds(1))
        case "m": service.pass(.minutes(1))
        default: break
        }
        service.settle()
    }
    service.end()
}

private func digit(_ byte: UInt8) -> Int? {
    (0x30...0x39).contains(byte) ? Int(byte) - 0x30 : nil
}
