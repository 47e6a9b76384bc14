import Testing

@testable import GPSDProtocol

struct GPSDRequestParserTests {
    private func requests(_ text: String) -> [GPSDRequest] {
        var parser = GPSDRequestParser()
        return parser.receive(text)
    }

    private func watch(_ members: (inout WatchChange) -> Void) -> GPSDRequest {
        var change = WatchChange()
        members(&change)
        return .watch(change)
    }

    @Test func everyRequestIsRead() {
        #expect(requests("?VERSION;\n") == [.version])
        #expect(requests("?WATCH;\n") == [.watch(nil)])
        #expect(requests("?POLL;\n") == [.poll])
        #expect(requests("?DEVICES;\n") == [.devices])
        #expect(requests("?DEVICE;\n") == [.device(path: nil)])
        #expect(requests(#"?DEVICE={"path":"/dev/ttyUSB0"};"# + "\n") == [.device(path: "/dev/ttyUSB0")])
    }

    @Test func everyMemberOfWatchIsRead() {
        let line =
            #"?WATCH={"class":"WATCH","enable":false,"json":true,"nmea":true,"raw":2,"scaled":true,"timing":false,"#
            + #""split24":true,"pps":true,"device":"/dev/ttyACM0","later":[1,{"a":"]}"}]};"#
        let all = watch {
            $0.enable = false
            $0.json = true
            $0.nmea = true
            $0.raw = 2
            $0.scaled = true
            $0.timing = false
            $0.split24 = true
            $0.pps = true
            $0.device = "/dev/ttyACM0"
        }
        #expect(requests(line + "\n") == [all])
    }

    @Test func whatProgramsSendIsRead() {
        let json = watch { $0.json = true }
        // libgps, Python's gps, gpspipe -r and -R, a JavaScript program.
        #expect(requests("?WATCH={\"enable\":true,\"json\":true};") == [json])
        #expect(requests("?WATCH={\"enable\":true,\"json\":true};\r\n") == [json])
        #expect(requests("?WATCH={\"enable\":true,\"json\":true}\n") == [json])
        #expect(requests("?WATCH={\"enable\":true,\"nmea\":true};\n") == [watch { $0.nmea = true }])
        #expect(requests("?WATCH={\"enable\":true,\"raw\":2};\n") == [watch { $0.raw = 2 }])
        #expect(requests("?WATCH = { \"enable\" : true , \"json\" : true } ;\r\n") == [json])
    }

    @Test func aNumberIsATruthAndATruthIsNoNumberAsGpsdReadsThem() {
        #expect(requests(#"?WATCH={"enable":1,"json":0}"# + "\n") == [watch { $0.json = false }])
        #expect(requests(#"?WATCH={"raw":true}"# + "\n") == [watch { $0.raw = 0 }])
    }

    @Test func anEmptyObjectAndNoneEnableAsInGpsd() {
        #expect(requests("?WATCH={};\n") == [.watch(WatchChange())])
        #expect(requests("?WATCH=\n") == [.watch(WatchChange())])
        #expect(requests("?WATCH=;\n") == [.watch(WatchChange())])
        #expect(requests(#"?WATCH={"device":""};"# + "\n") == [.watch(WatchChange())])
    }

    @Test func severalRequestsOnALineAreReadInOrder() {
        let expected: [GPSDRequest] = [.watch(nil), .poll, .version, .devices]
        #expect(requests("?WATCH;?POLL;?VERSION;?DEVICES;\n") == expected)
        #expect(requests("?WATCH; \t ?POLL;;?VERSION;\r?DEVICES\r\n") == expected)
        #expect(requests(#"?WATCH={"enable":false}?VERSION;"# + "\n") == [watch { $0.enable = false }, .version])
    }

    @Test func emptyLinesAreIgnored() {
        #expect(requests("\n\r\n  \n;\n;;\r\n") == [])
    }

    @Test(arguments: [
        ("?FOO;", "?FOO;"), ("hello", "hello"), ("?version;", "?version;"), ("?", "?"), ("?;", "?;"), ("{}", "{}"),
        ("?VERSION={};", "?VERSION={};"), ("?POLL x;", "?POLL x;"), ("?DEVICESS;", "?DEVICESS;"),
        ("GET / HTTP/1.1", "GET / HTTP/1.1"),
    ])
    func anythingElseIsQuotedAndRefused(line: String, quoted: String) {
        #expect(requests(line + "\r\n") == [.refused("Unrecognized request '\(quoted)'")])
    }

    @Test func whatFollowsAnUnknownRequestIsDroppedWithIt() {
        #expect(
            requests("?POLL;?FOO;?POLL;\n?VERSION;\n")
                == [.poll, .refused("Unrecognized request '?FOO;?POLL;'"), .version])
    }

    @Test func aQuotationIsBounded() {
        let long = "?" + String(repeating: "x", count: 3000)
        #expect(requests(long + "\n") == [.refused("Unrecognized request '\(long.prefix(80))'")])
    }

    @Test(arguments: [
        (#"{"enable":"x"}"#, "'enable' is true or false"), (#"{"json":null}"#, "'json' is true or false"),
        (#"{"nmea":[]}"#, "'nmea' is true or false"), (#"{"raw":3}"#, "'raw' is 0, 1 or 2"),
        (#"{"raw":-1}"#, "'raw' is 0, 1 or 2"), (#"{"raw":0.5}"#, "'raw' is 0, 1 or 2"),
        (#"{"raw":"1"}"#, "'raw' is 0, 1 or 2"), (#"{"device":7}"#, "'device' is a string"),
        (#"{"device":{}}"#, "'device' is a string"), (#"{"pps":{"a":1}}"#, "'pps' is true or false"),
        (#"{"json":1e999}"#, "a value is no JSON, or too large"),
        (#"{"json":tru}"#, "a value is no JSON, or too large"),
        (#"{"json":inf}"#, "a value is no JSON, or too large"),
        (#"{"json":0x1}"#, "a value is no JSON, or too large"),
        (#"{"json":}"#, "a value is missing"), (#"{"json"}"#, "a colon is missing"),
        (#"{"json":true"#, "a comma or the closing brace is missing"),
        (#"{"json":true "nmea":true}"#, "a comma or the closing brace is missing"),
        (#"{json:true}"#, "a string is expected"), (#"{"json"#, "a string does not end"),
        (#"{"a":"\x"}"#, "a string has an unknown escape"), (#"{"a":"\u12"}"#, "a string has an unknown escape"),
        (#"{"a":"\ud800"}"#, "a string has half a character"), (#"{"a":"\udc00"}"#, "a string has half a character"),
        (#"{"a":[1}"#, "a comma or the closing brace is missing"), (#"{"a":[[["#, "a bracket is not closed"),
        ("true", "an object is expected"),
    ])
    func aWatchThatCannotBeReadIsRefused(object: String, reason: String) {
        #expect(requests("?WATCH=\(object);\n").first == .refused("Invalid WATCH: \(reason)"))
    }

    @Test func whatFollowsAnObjectOfWrongTypesIsRead() {
        #expect(
            requests(#"?WATCH={"json":"x"};?POLL;"# + "\n")
                == [.refused("Invalid WATCH: 'json' is true or false"), .poll])
        #expect(requests(#"?WATCH={"json":x};?POLL;"# + "\n").count == 1)
    }

    @Test func aTextMayHaveEveryEscape() {
        let line = #"?DEVICE={"path":"\"\\\/\b\f\n\r\t\u00e9\ud83d\ude00é"};"#
        #expect(requests(line + "\n") == [.device(path: "\"\\/\u{8}\u{c}\n\r\té😀é")])
    }

    @Test(arguments: ["bps", "parity", "stopbits", "native", "cycle", "mincycle"])
    func settingsOfDevicesAskForTheDevice(name: String) {
        #expect(requests("?DEVICE={\"path\":\"/dev/x\",\"\(name)\":1};\n") == [.device(path: "/dev/x")])
    }

    @Test func bytesForAReceiverAreRefused() {
        #expect(
            requests("?DEVICE={\"path\":\"/dev/x\",\"hexdata\":\"b562\"};\n")
                == [.refused("Invalid DEVICE: 'hexdata' cannot be sent from here; devices are only reported")])
    }

    @Test func aLineThatIsTooLongIsRefusedOnceAndSkipped() {
        let long = "?POLL;" + String(repeating: " ", count: 5000)
        #expect(requests(long) == [.refused("A line is longer than 4096 bytes")])
        #expect(
            requests(long + long + "?POLL;\n?VERSION;\n")
                == [.refused("A line is longer than 4096 bytes"), .version])
        let longest = "?POLL;" + String(repeating: " ", count: 4090)
        #expect(requests(longest + "\n") == [.poll])
    }

    @Test func aLineOfManyRequestsIsCutOff() {
        let line = String(repeating: "?POLL;", count: 600)
        #expect(
            requests(line + "\n?VERSION;\n")
                == Array(repeating: .poll, count: 16) + [.refused("More than 16 requests on one line"), .version])
        #expect(requests(String(repeating: "?POLL;", count: 16) + "\n").count == 16)
    }

    @Test func aSemicolonAtTheEndNeedsNoLineFeed() {
        var parser = GPSDRequestParser()
        #expect(parser.receive("?POLL;") == [.poll])
        #expect(parser.receive("?WATCH={\"device\":\"a;") == [], "it is within a text")
        #expect(parser.receive("b\"") == [])
        #expect(parser.receive("};") == [watch { ($0.enable, $0.device) = (true, "a;b") }])
        #expect(parser.receive("\n?POLL;\n") == [.poll])
    }

    /// What OpenCPN, gps3 and Merkaartor send, with the request that it is.
    private static let withoutAnEnd: [(bytes: String, json: Bool?, nmea: Bool?)] = [
        (#"?WATCH={"class":"WATCH", "nmea":true}"#, nil, true),
        (#"?WATCH={"enable":true,"json":true}"#, true, nil),
        (#"?WATCH={"enable":true,"nmea":true}"#, nil, true),
    ]

    @Test(arguments: withoutAnEnd.indices)
    func objectEndsItsRequestWhereverItIsCut(index: Int) {
        let (text, json, nmea) = Self.withoutAnEnd[index]
        let expected = [watch { ($0.json, $0.nmea) = (json, nmea) }]
        let bytes = Array(text.utf8)
        for cut in 0...bytes.count {
            for end in ["", "\r", ";", "\n", "\r\n", ";\r\n", " ;\n"] {
                var parser = GPSDRequestParser()
                let first = parser.receive(Array(bytes[..<cut]))
                #expect(first.isEmpty || cut == bytes.count, "\(cut)")
                #expect(first + parser.receive(Array(bytes[cut...])) == expected, "\(cut) \(end)")
                #expect(!parser.isWithinRequest)
                // It is neither repeated nor an error when its end comes after all, and what follows is read.
                #expect(parser.receive(Array(end.utf8)) == [], "\(cut) \(end)")
                #expect(parser.receive(Array("?VERSION;".utf8)) == [.version], "\(cut) \(end)")
                var whole = GPSDRequestParser()
                #expect(whole.receive(Array((text + end).utf8)) == expected, "\(end)")
            }
        }
        var parser = GPSDRequestParser()
        var read: [GPSDRequest] = []
        for (index, byte) in bytes.enumerated() {
            #expect(read.isEmpty, "before byte \(index)")
            read += parser.receive([byte])
        }
        #expect(read == expected)
    }

    @Test func bracesWithinAnObjectDoNotEndIt() {
        for text in [#"?WATCH={"device":"a}\"}","json":true}"#, #"?WATCH={"later":{"a":[{}]},"json":true}"#] {
            var parser = GPSDRequestParser()
            var read: [GPSDRequest] = []
            for (index, byte) in text.utf8.enumerated() {
                read += parser.receive([byte])
                #expect(read.count == (index + 1 == text.utf8.count ? 1 : 0), "\(text) \(index)")
            }
            let change: WatchChange? = if case .watch(let change)? = read.first { change } else { nil }
            #expect(change?.json == true)
        }
    }

    @Test func requestsBehindObjectsAreRead() {
        let json = watch { $0.json = true }
        let text = #"?WATCH={"enable":true,"json":true}"#
        #expect(requests(text + text) == [json, json])
        #expect(requests(text + "\r\n?VERSION;\r\n") == [json, .version])
        #expect(requests(text + "x\n") == [json, .refused("Unrecognized request 'x'")])
        #expect(requests(#"?DEVICE={"path":"/dev/x"}"#) == [.device(path: "/dev/x")])
    }

    /// gpsd takes what it reads at once for a request.
    @Test(arguments: ["?POLL", "?VERSION", "?DEVICES", "?DEVICE", "?WATCH", "?FOO"])
    func requestWithoutAnEndIsReadOnceNothingMoreComes(text: String) {
        var parser = GPSDRequestParser()
        #expect(!parser.isWithinRequest)
        #expect(parser.receive(text) == [])
        #expect(parser.isWithinRequest)
        #expect(parser.endLine() == [.refused("Unrecognized request '\(text)'")])
        #expect(!parser.isWithinRequest)
        #expect(parser.endLine() == [])
        #expect(parser.receive(";\n?VERSION;") == [.version])
    }

    @Test func objectThatIsNotClosedIsRefusedOnceNothingMoreComes() {
        var parser = GPSDRequestParser()
        #expect(parser.receive(#"?WATCH={"json":true"#) == [])
        #expect(parser.endLine() == [.refused("Invalid WATCH: a comma or the closing brace is missing")])
        #expect(parser.receive(#"?VERSION;?WATCH={"device":"a;"#) == [])
        #expect(parser.endLine() == [.version, .refused("Invalid WATCH: a string does not end")])
        #expect(parser.receive("?POLL;\n") == [.poll])
    }

    @Test func blanksAndLinesThatAreTooLongHaveNoEndToWaitFor() {
        var parser = GPSDRequestParser()
        #expect(parser.receive(" \r\n\t ") == [])
        #expect(!parser.isWithinRequest && parser.endLine() == [])
        #expect(parser.receive("?" + String(repeating: "x", count: 5000)).count == 1)
        #expect(!parser.isWithinRequest && parser.endLine() == [])
    }

    @Test func piecesOfEverySizeAreRead() {
        let text =
            "?VERSION;\r\n?WATCH={\"enable\":true,\"json\":true,\"device\":\"/dev/é\"};?POLL;\n\n"
            + "?FOO\n" + String(repeating: "x", count: 5000) + "\n?DEVICES;\n"
        let bytes = Array(text.utf8)
        let whole = requests(text)
        #expect(whole.count == 6)
        for size in Array(1...64) + [4095, 4096, 4097] {
            var parser = GPSDRequestParser()
            var read: [GPSDRequest] = []
            for start in stride(from: 0, to: bytes.count, by: size) {
                read += parser.receive(Array(bytes[start..<min(start + size, bytes.count)]))
            }
            #expect(read == whole, "pieces of \(size) bytes")
        }
    }
}
